"""How long what is kept: one table, and the periodic job that prunes by it, in batches.

Kept for ever are originals, verdicts with their row errors, events, the audit trail, decisions, daily figures
and bulk outcomes: they are the answer to what happened, which is asked years later.
"""

import datetime as dt
import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from work import pipelines
from work.jobs import Job
from work.models import (
    Attempt,
    CaseClaim,
    Delivery,
    DeliveryState,
    IdempotencyKey,
    InvariantRun,
    Mail,
    MailState,
    Notification,
    PeriodicRun,
    PeriodicState,
    RateWindow,
    RefusedWrite,
    WebhookCall,
    Worker,
)
from work.pipelines import GROUND
from work.storage_folder import FolderFiles

BATCH = 1_000
PATIENCE_SECONDS = 300.0
TEMPORARY_FILES_ARE_KEPT = dt.timedelta(days=1)


@dataclass(frozen=True)
class Kept:
    """`rows(since)` are those older than `since`, a database expression, that nobody needs any more.

    `drop` gets rid of one batch, so that `rows` finds it no more; most rows are simply deleted.
    """

    what: str
    age: dt.timedelta
    why: str
    rows: Callable[[Any], QuerySet[Any]]
    drop: Callable[[QuerySet[Any]], Any] = lambda rows: rows.delete()


def _older_than_a_newer_one(rows: QuerySet[PeriodicRun]) -> QuerySet[PeriodicRun]:
    """The newest run of each job stays: the next slot is counted from it, and it says how the job is."""
    newer = PeriodicRun.objects.filter(
        name=OuterRef("name"), slot__gt=OuterRef("slot"),
        state__in=(PeriodicState.SUCCEEDED, PeriodicState.FAILED),
    ).exclude(trigger="person")  # fmt: skip
    return rows.filter(Exists(newer))


def _ground_pipelines() -> list[str]:
    return [pipeline.name for pipeline in pipelines.of_cluster(GROUND)]


DAY = dt.timedelta(days=1)
TABLE: tuple[Kept, ...] = (
    Kept(
        "idempotency keys", 7 * DAY, "the API promises seven days",
        lambda since: IdempotencyKey.objects.filter(accepted_at__lt=since),
    ),
    Kept(
        "runs of periodic jobs that did their work", 7 * DAY, "two jobs a minute fill a million lines a year",
        lambda since: _older_than_a_newer_one(
            PeriodicRun.objects.filter(finished_at__lt=since).exclude(state=PeriodicState.FAILED)
        ),
    ),
    Kept(
        "failed runs of periodic jobs", 90 * DAY, "their pattern over weeks explains them",
        lambda since: _older_than_a_newer_one(
            PeriodicRun.objects.filter(finished_at__lt=since, state=PeriodicState.FAILED)
        ),
    ),
    Kept(
        "delivered deliveries", 14 * DAY, "long enough to see which consumer had what; the events stay",
        lambda since: Delivery.objects.filter(finished_at__lt=since, state=DeliveryState.DELIVERED),
    ),
    Kept(
        "discarded deliveries", 90 * DAY, "somebody may ask why one was discarded; the decision stays",
        lambda since: Delivery.objects.filter(finished_at__lt=since, state=DeliveryState.DISCARDED),
    ),
    Kept(
        "attempts of the ground's own rows", 7 * DAY, "one per event and minute; the rows go as soon",
        lambda since: Attempt.objects.filter(ended_at__lt=since, pipeline__in=_ground_pipelines()),
    ),
    Kept(
        "attempts of other work", 365 * DAY, "a year of failures to compare; the verdicts stay",
        lambda since: Attempt.objects.filter(ended_at__lt=since).exclude(pipeline__in=_ground_pipelines()),
    ),
    Kept(
        "refused late writes", 365 * DAY, "they are seldom, and each is a lesson",
        lambda since: RefusedWrite.objects.filter(refused_at__lt=since),
    ),
    Kept(
        "workers that are gone", 7 * DAY, "one row per start; attempts carry their labels",
        lambda since: Worker.objects.filter(seen_at__lt=since),
    ),
    Kept(
        "notifications", 180 * DAY, "old news; the pages they lead to stay",
        lambda since: Notification.objects.filter(made_at__lt=since),
    ),
    Kept(
        "sent mails", 30 * DAY, "long enough for 'I never got that mail'",
        lambda since: Mail.objects.filter(finished_at__lt=since, state=MailState.SENT),
    ),
    Kept(
        "mails that were given up", 90 * DAY, "their addresses need mending",
        lambda since: Mail.objects.filter(finished_at__lt=since, state=MailState.FAILED),
    ),
    Kept(
        "webhook calls", 30 * DAY, "long enough to compare with the receiver's log",
        lambda since: WebhookCall.objects.filter(finished_at__lt=since),
    ),
    Kept(
        "runs of the invariants", 90 * DAY, "the last of each kind is shown, the others tell since when",
        lambda since: _not_the_last(InvariantRun.objects.filter(finished_at__lt=since)),
    ),
    Kept(
        "claims on cases", DAY, "they expire after a quarter of an hour",
        lambda since: CaseClaim.objects.filter(until__lt=since),
    ),
    Kept(
        "windows of the rate limit", DAY, "each is a minute long",
        lambda since: RateWindow.objects.filter(began_at__lt=since),
    ),
    Kept(
        "sessions", dt.timedelta(0), "they have ended",
        lambda since: Session.objects.filter(expire_date__lt=since),
    ),
)  # fmt: skip

_registered: list[Kept] = []


def register(kept: Kept) -> None:
    """A line of another app, for what it keeps."""
    _registered.append(kept)


def table() -> list[Kept]:
    """Every line, for the page."""
    return [*TABLE, *_registered]


def prune(job: Job) -> str:
    """Prune everything by the table, then the temporary files of killed runs. What is left over after some
    minutes is for the next hour: the ground has other work."""
    counts: Counter[str] = Counter()
    ends = time.monotonic() + PATIENCE_SECONDS
    for kept in table():
        while time.monotonic() < ends and (dropped := _drop_a_batch(kept)):
            counts[kept.what] += dropped
            job.progress(counts.total(), unit="rows")
    counts["temporary files"] += remove_temporary_files()
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing was old enough"


def remove_temporary_files() -> int:
    """What killed runs and broken-off uploads left. Nothing of ours lasts a day, so none of it is in use."""
    limit = time.time() - TEMPORARY_FILES_ARE_KEPT.total_seconds()
    old = [
        path
        for folder in (Path(settings.VAR_DIR) / "tmp", Path(settings.FILES_DIR) / FolderFiles.INCOMING)
        if folder.is_dir()
        for path in folder.iterdir()
        if _touched_at(path) < limit
    ]
    for path in old:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return len(old)


def _drop_a_batch(kept: Kept) -> int:
    rows = kept.rows(Now() - kept.age)
    keys = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
    if keys:
        with transaction.atomic():
            kept.drop(rows.model._default_manager.filter(pk__in=keys))
    return len(keys)


def _not_the_last(runs: QuerySet[InvariantRun]) -> QuerySet[InvariantRun]:
    newer = InvariantRun.objects.filter(is_deep=OuterRef("is_deep"), finished_at__gt=OuterRef("finished_at"))
    return runs.filter(Exists(newer))


def _touched_at(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except FileNotFoundError:
        return time.time()
