"""Whether all parts work: the line at the foot of the rail, and the panel of clocks, workers, database."""

import datetime as dt

from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from django_q.brokers import get_broker

from work import database_panel, health, paging, probes
from work.access import operators_only
from work.health import ClusterHealth
from work.models import Worker
from work.periodic import database_now
from work.pipelines import alive_seconds
from work.views.requests import Request, page, reading

SKEW_WORTH_SAYING = 2.0
SHOWN_FOR = dt.timedelta(hours=1)


@require_safe
@operators_only
def health_line(request: Request) -> HttpResponse:
    clusters = health.clusters()
    ill = [cluster for cluster in clusters if cluster.state in ("hung", "silent")]
    passed = [cluster.canary_at for cluster in clusters if cluster.canary_at]
    context = {"ill": ill, "clusters": clusters, "canary_at": min(passed, default=None)}
    return TemplateResponse(request, "work/health_line.html", context)


@require_safe
@operators_only
def health_panel(request: Request) -> HttpResponse:
    clusters = health.clusters()
    readiness = probes.readiness()
    now, here = database_now(), timezone.now()
    workers = Worker.objects.filter(stopped_at=None, seen_at__gt=now - SHOWN_FOR)
    context = {
        "clusters": [(cluster, get_broker(cluster.cluster).queue_size()) for cluster in clusters],
        "heading": heading(clusters, readiness),
        "parts": readiness.parts,
        "workers": [(worker, is_alive(worker, now)) for worker in workers.order_by("cluster", "-seen_at")],
        "largest_skew": max((abs(worker.clock_skew_seconds) for worker in workers), default=0.0),
        "skew_worth_saying": SKEW_WORTH_SAYING,
        "database_now": now,
        "web_skew": (here - now).total_seconds(),
        "database": database_panel.read(),
        "live": reading(request),
    }
    return page(request, "work/health.html", context, part="health-live")


@require_safe
@operators_only
def workers(request: Request) -> HttpResponse:
    """Every start of a worker that is still kept, newest first by its last sign of life."""
    listed = paging.of_request(request, Worker.objects.all(), by="seen_at")
    now = database_now()
    rows = [(worker, is_alive(worker, now)) for worker in listed.items]
    return page(request, "work/workers.html", {"rows": rows, "list": listed}, part="workers-table")


def heading(clusters: list[ClusterHealth], readiness: probes.Readiness) -> str:
    """What is the case, worst first."""
    for part in ("database", "storage"):
        if readiness.parts[part] != "ok":
            return f"The {part} does not answer"
    for cluster in clusters:
        if cluster.state == "silent":
            return f"No worker of the cluster {cluster.cluster} gives a sign of life"
        if cluster.state == "hung":
            return f"The workers of the cluster {cluster.cluster} take nothing up"
    if any(cluster.state == "busy" for cluster in clusters):
        return "All parts work, and some workers are all busy"
    return "All parts work"


def is_alive(worker: Worker, now: dt.datetime) -> bool:
    return worker.stopped_at is None and (now - worker.seen_at).total_seconds() < alive_seconds()
