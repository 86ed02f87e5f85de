"""The ledger of periodic jobs: what ran at which slot, what it did, and starting one by hand."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import F, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from work import paging, periodic, waiting
from work.access import operators_only
from work.models import PeriodicRun
from work.periodic import PeriodicJob, database_now
from work.views.requests import ENDED, Question, Request, page, reading, with_reason
from work.views.stories import attempts_of

STRIP_RUNS = 30
SHAPES = {
    "succeeded": ("done", "Succeeded"),
    "failed": ("bad", "Failed"),
    "skipped": ("cancelled", "Skipped"),
    "running": ("running", "Running"),
    "waiting": ("waiting", "Waiting"),
}


@dataclass(frozen=True)
class JobRow:
    job: PeriodicJob
    last: PeriodicRun | None
    next_slot: dt.datetime
    strip: list[tuple[str, str, str]]
    broken_since: dt.datetime | None


@require_safe
@operators_only
def jobs(request: Request) -> HttpResponse:
    now = database_now()
    rows = [job_row(job, now) for job in sorted(periodic.every(), key=lambda job: job.title)]
    failed = [row for row in rows if row.broken_since]
    unrun = sum(row.last is None for row in rows)
    context = {"rows": rows, "failed": failed, "unrun": unrun, "live": reading(request)}
    return page(request, "work/periodic_jobs.html", context, part="jobs-live")


@require_safe
@operators_only
def job(request: Request, name: str) -> HttpResponse:
    declared = _declared(name)
    listed = paging.of_request(request, runs().filter(name=name))
    context = {"row": job_row(declared, database_now()), "list": listed}
    return page(request, "work/periodic_job.html", context, part="runs-table")


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def start(request: Request, name: str) -> HttpResponse:
    declared = _declared(name)

    def act(why: str) -> str:
        periodic.start(name=name, by=request.principal, why=why)
        return f"“{declared.title}” is accepted; a worker starts it within seconds."

    question = Question(
        title=f"Start “{declared.title}” now?",
        sentence="It runs once, beside its schedule. While a run is unfinished, no second one is started.",
        act="Start it",
        back_url=reverse("periodic_job", args=[name]),
    )
    return with_reason(request, question, act)


@require_safe
@operators_only
def run(request: Request, pk: str) -> HttpResponse:
    found = get_object_or_404(runs(), pk=pk)
    context = {
        "run": found,
        "job": periodic.get(found.name),
        "why_waiting": waiting.why(periodic.PIPELINE, found),
        "attempts": attempts_of("periodic", found.pk),
        "live": ENDED if found.finished_at else reading(request),
    }
    return page(request, "work/periodic_run.html", context, part="run-live")


def job_row(job: PeriodicJob, now: dt.datetime) -> JobRow:
    newest = list(PeriodicRun.objects.filter(name=job.name).order_by("-slot")[:STRIP_RUNS])
    return JobRow(
        job=job,
        last=next((run for run in newest if run.state != "skipped"), None),
        next_slot=job.next_slot(now),
        strip=[
            (SHAPES[run.state][0], f"{run.slot:%d %b %H:%M:%S} UTC", SHAPES[run.state][1])
            for run in newest[::-1]
        ],
        broken_since=_broken_since(newest),
    )


def runs() -> QuerySet[PeriodicRun]:
    took = F("finished_at") - F("started_at")
    return PeriodicRun.objects.select_related("requested_by").annotate(took=took)


def _broken_since(newest: list[PeriodicRun]) -> dt.datetime | None:
    """The first failure in the unbroken row of failures that ends with the newest ended run."""
    since = None
    for run in newest:
        if run.state == "succeeded":
            break
        if run.state == "failed":
            since = run.finished_at
    return since


def _declared(name: str) -> PeriodicJob:
    found = periodic.get(name)
    if found is None:
        raise Http404
    return found
