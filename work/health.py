"""Whether clusters do their work: read from canaries and the workers' own rows, by the database's clock."""

import datetime as dt
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F, Max, QuerySet
from django.db.models.functions import Coalesce, Now

from work.models import Canary, Worker
from work.pipelines import GROUND, PIPELINES, alive_seconds

CLUSTERS = (GROUND, PIPELINES)


@dataclass(frozen=True)
class ClusterHealth:
    """`state` is one of healthy, busy, silent (no worker seen), hung, unknown (no canary yet)."""

    cluster: str
    state: str
    workers: int
    busy: int
    busy_since: dt.datetime | None
    canary_at: dt.datetime | None
    waiting_since: dt.datetime | None


def clusters() -> list[ClusterHealth]:
    return [cluster_health(name) for name in CLUSTERS]


def cluster_health(cluster: str) -> ClusterHealth:
    alive = list(alive_workers(cluster))
    canary = Canary.objects.filter(cluster=cluster).first()
    busy = [worker.busy_since for worker in alive if worker.busy_since is not None]
    all_busy_since = max(busy, default=None) if len(busy) == len(alive) else None
    if cluster_is_hung(cluster):
        state = "hung"
    elif not alive:
        state = "silent"
    elif canary is None or canary.passed_at is None:
        state = "unknown"
    else:
        state = "busy" if all_busy_since else "healthy"
    return ClusterHealth(
        cluster=cluster,
        state=state,
        workers=len(alive),
        busy=len(busy),
        busy_since=all_busy_since,
        canary_at=canary.passed_at if canary else None,
        waiting_since=canary.waiting_since if canary else None,
    )


def cluster_is_hung(cluster: str) -> bool:
    """Only when its canary waits for too long and none of its workers took or renewed anything meanwhile.

    A merely busy cluster renews leases. The canaries of all are sent by the ground: when it hangs, none is
    sent, and its own last one grows old.
    """
    limit = dt.timedelta(seconds=settings.CANARY_HUNG_SECONDS)
    since = Coalesce("waiting_since", "passed_at") if cluster == GROUND else F("waiting_since")
    if not Canary.objects.filter(cluster=cluster).alias(since=since).filter(since__lt=Now() - limit).exists():
        return False
    return not Worker.objects.filter(cluster=cluster, took_at__gt=Now() - limit).exists()


def alive_workers(cluster: str) -> QuerySet[Worker]:
    since = dt.timedelta(seconds=alive_seconds())
    return Worker.objects.filter(cluster=cluster, stopped_at__isnull=True, seen_at__gt=Now() - since)


def last_seen(cluster: str) -> dt.datetime | None:
    seen: dt.datetime | None = Worker.objects.filter(cluster=cluster).aggregate(seen=Max("seen_at"))["seen"]
    return seen
