"""The invariants of the periodic ledger and of what is held back."""

import datetime as dt
from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count, F, Max, Q

from work import health, periodic, pipelines
from work.invariants import Breach, Invariant
from work.models import PeriodicRun, PeriodicState, PipelinePause
from work.periodic import PeriodicJob, database_now
from work.pipelines import GROUND

LIMIT = 200


def ledger_is_sane(deep: bool) -> list[Breach]:
    """One unfinished run per job, nothing ended before it began, nothing skipped without a reason."""
    breaches = [
        Breach(name, f"{count} runs are unfinished at once.")
        for name, count in PeriodicRun.objects.unfinished()
        .values_list("name")
        .annotate(count=Count("id"))
        .filter(count__gt=1)
    ]
    skipped = Q(state=PeriodicState.SKIPPED)
    odd = PeriodicRun.objects.filter(
        Q(finished_at__lt=F("started_at"))
        | skipped & Q(skipped_because="")
        | Q(state=PeriodicState.SUCCEEDED, started_at__isnull=True)
        | skipped & Q(starts__gt=0)
    )
    return breaches + [
        Breach(
            f"{run.name} {run.slot:%d %b %H:%M:%S}",
            f"The ledger's line of a {run.state} run does not add up.",
        )
        for run in odd.order_by("slot")[:LIMIT]
    ]


def jobs_are_planned(deep: bool) -> list[Breach]:
    """While the ground lives, every job has its newest slot; while it does not, its health says so."""
    if not health.alive_workers(GROUND).exists():
        return []
    return list(_missed_slots(database_now()))


def pauses_name_pipelines(deep: bool) -> list[Breach]:
    known = [pipeline.name for pipeline in pipelines.every()]
    return [
        Breach(pause.pipeline, f"{pause.paused_by_label} paused a pipeline that does not exist.")
        for pause in PipelinePause.objects.exclude(pipeline__in=known)
    ]


def _missed_slots(now: dt.datetime) -> Iterator[Breach]:
    newest = dict(
        PeriodicRun.objects.exclude(trigger="person").values_list("name").annotate(newest=Max("slot"))
    )
    for job in periodic.every():
        last = newest.get(job.name)
        if last is None:
            continue  # new in the code: the next tick plans its first slot
        if last > now + dt.timedelta(minutes=1):
            yield Breach(job.name, f"Its newest slot, {last:%d %b %H:%M}, lies in the future.")
        elif job.next_slot(last) + _patience(job) < now:
            yield Breach(job.name, f"No slot was planned since {last:%d %b %H:%M:%S}.")


def _patience(job: PeriodicJob) -> dt.timedelta:
    """Two slots of a short job, and a few ticks: a fresh start plans only the newest slot."""
    return 2 * (job.every or dt.timedelta(0)) + dt.timedelta(seconds=5 * settings.TICK_SECONDS)


EVERY = (
    Invariant("ledger_is_sane", "The periodic ledger adds up", ledger_is_sane),
    Invariant("jobs_are_planned", "Every periodic job has its newest slot", jobs_are_planned),
    Invariant("pauses_name_pipelines", "Pauses name known pipelines", pauses_name_pipelines),
)
