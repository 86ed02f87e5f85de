"""Periodic jobs: declared in code, planned by the tick, run as leased rows of the ledger."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Max

from work import calendars, crash, decisions, doorbell, outbox, recovery
from work.failures import StateChanged
from work.jobs import Job
from work.models import PeriodicRun, PeriodicState
from work.models.periodic import PERIODIC_TERMINAL
from work.pipelines import GROUND, Ending, Limits, Pipeline, Step

log = structlog.get_logger(__name__)

# django-q2 looks at its schedule every half minute, so that a tick may come that much late.
MISSED_AFTER_TICKS = 2
SKIPPED_BUSY = "the run before it was still unfinished"
FIRST_SEEN = "first seen: runs from the next slot on"


@dataclass(frozen=True)
class PeriodicJob:
    """`function(job)` returns a sentence of what it did. Either `every` or `cron` (read in `zone`) says when.

    No run starts before `at_least` has passed since the last one's start; the heart gives a run up after
    `at_most`.
    """

    name: str
    title: str
    function: Callable[[Job], str]
    every: dt.timedelta | None = None
    cron: str = ""
    zone: str = "UTC"
    at_least: dt.timedelta = dt.timedelta(0)
    at_most: dt.timedelta = dt.timedelta(minutes=10)

    def next_slot(self, after: dt.datetime) -> dt.datetime:
        return calendars.next_slot(every=self.every, cron=self.cron, zone=self.zone, after=after)


_registered: dict[str, PeriodicJob] = {}


def register(job: PeriodicJob) -> None:
    if job.name in _registered:
        raise ValueError(f"periodic job {job.name} is registered already")
    if (job.every is None) == (not job.cron):
        raise ValueError(f"periodic job {job.name} needs either every or cron")
    _registered[job.name] = job


def get(name: str) -> PeriodicJob | None:
    return _registered.get(name)


def every() -> list[PeriodicJob]:
    return list(_registered.values())


def recover_and_plan() -> None:
    """The tick's work: free the ledger of dead runs, then write the slots that have come due."""
    recovery.recover(PIPELINE)
    now = database_now()
    for job in every():
        try:
            plan(job, now)
        except Exception:
            log.exception("periodic.not_planned", job=job.name)


def plan(job: PeriodicJob, now: dt.datetime) -> PeriodicRun | None:
    """Write the newest due slot of a job, marked as a catch-up when slots were missed. The unique slot is
    the lock.
    """
    last = (
        PeriodicRun.objects.filter(name=job.name)
        .exclude(trigger="person")
        .aggregate(last=Max("slot"))["last"]
    )
    if last is None and job.every is None:
        _insert(job, slot=now.replace(microsecond=0), trigger="schedule", skipped=FIRST_SEEN)
        return None
    due = _newest_due(job, last, now)
    if due is None:
        return None
    trigger = "catch_up" if last is not None and _was_missed(job.next_slot(last), now) else "schedule"
    if PeriodicRun.objects.unfinished().filter(name=job.name).exists():
        _insert(job, slot=due, trigger=trigger, skipped=SKIPPED_BUSY)
        return None
    return _insert(job, slot=due, trigger=trigger)


def start(*, name: str, by: Any, why: str) -> PeriodicRun:
    """Run a job now, by a person. Raises StateChanged when a run of it is unfinished."""
    job = _registered[name]
    with transaction.atomic():
        run = _insert(job, slot=database_now(), trigger="person", by=by)
        if run is None:
            raise StateChanged("busy")
        decisions.record("periodic.started", by=by, kind="periodic", subject=run, label=job.title, why=why)
    return run


def database_now() -> dt.datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    return now


def _newest_due(job: PeriodicJob, last: dt.datetime | None, now: dt.datetime) -> dt.datetime | None:
    """Slots before it that have no row of their own were missed: they are made up for by this one."""
    if job.every is not None:
        return next(calendars.slots_every(job.every, after=last or now - job.every, until=now), None)
    return max(calendars.slots_cron(job.cron, job.zone, after=last or now, until=now), default=None)


def _was_missed(slot: dt.datetime, now: dt.datetime) -> bool:
    return now - slot > dt.timedelta(seconds=MISSED_AFTER_TICKS * settings.TICK_SECONDS)


def _insert(
    job: PeriodicJob, *, slot: dt.datetime, trigger: str, skipped: str = "", by: Any = None
) -> PeriodicRun | None:
    """None when the slot stands already, or another run became unfinished meanwhile."""
    columns: dict[str, Any] = {"due_at": _earliest(job, slot)}
    if skipped:
        columns = {
            "due_at": None, "finished_at": database_now(), "state": PeriodicState.SKIPPED,
            "skipped_because": skipped,
        }  # fmt: skip
    try:
        with transaction.atomic():
            run = PeriodicRun.objects.create(
                name=job.name, slot=slot, trigger=trigger, requested_by=decisions.person(by), **columns
            )
    except IntegrityError:
        return None
    if not skipped:
        doorbell.ring(GROUND)
    return run


def _earliest(job: PeriodicJob, slot: dt.datetime) -> dt.datetime:
    started = PeriodicRun.objects.filter(name=job.name).aggregate(last=Max("started_at"))["last"]
    return max(slot, started + job.at_least) if started else slot


def run_job(job: Job, context: None) -> None:
    """The one step of a run: call the function, then finish with what it did."""
    declared = _registered.get(job.row.name)
    if declared is None:
        did = "nothing: the job is not declared any more"
    else:
        job.held.step = Step(
            declared.name, run_job, declared.at_most.total_seconds(), declared.at_most.total_seconds()
        )
        did = declared.function(job)
    crash.point("periodic.before")
    with transaction.atomic():
        job.finish(state=PeriodicState.SUCCEEDED, fields={"did": did})


def _failed(row: PeriodicRun, code: str, detail: dict[str, Any]) -> Ending:
    outbox.record("periodic.failed", subject=row, kind="periodic", label=row.name, payload={"code": code})
    return Ending(PeriodicState.FAILED)


PIPELINE = Pipeline(
    name="periodic",
    title="Periodic jobs",
    model=PeriodicRun,
    steps=(Step("run_job", run_job),),
    initial=PeriodicState.WAITING,
    running=PeriodicState.RUNNING,
    terminal=PERIODIC_TERMINAL,
    on_failure=_failed,
    cluster=GROUND,
    limits=Limits(running=None, gives_up_after=dt.timedelta(minutes=10)),
)
