"""Runs one claimed row through its pipeline's steps, and writes down how the attempt ended.

The only place that catches broadly: what a step did not foresee counts as temporary and keeps its traceback.
"""

import datetime as dt
import hashlib
import time
import traceback
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction

from work import correlation, crash, heart, leases, stopping
from work.failures import (
    UNFORESEEN,
    Asks,
    LeaseLost,
    PermanentFailure,
    Postponed,
    Stopping,
    TemporaryFailure,
)
from work.jobs import Job
from work.leases import Account, Lease
from work.models import Attempt, Outcome

log = structlog.get_logger(__name__)

# A database that restarts takes seconds. A worker that waits for it with its answer dies in nobody's book;
# after this time recovery has taken the row in any case.
ANSWER_PATIENCE_SECONDS = 300.0
ANSWER_AGAIN_SECONDS = 0.5


def run(lease: Lease) -> None:
    """Run the attempt to its end. Returns normally whatever happened: every outcome is written down, or left
    to recovery; nothing is raised to the queue."""
    job = Job(lease)
    pipeline = lease.pipeline
    heart.the().hold(job.held)
    organisation = str(getattr(lease.row, "organisation_id", "") or "")
    with correlation.bound(lease.row.correlation_id, work_id=str(lease.row.pk), organisation=organisation):
        log.info("attempt.started", pipeline=pipeline.name, number=lease.row.starts)
        try:
            _run_steps(job)
        except Exception as error:
            _answer(job, error)
        finally:
            heart.the().drop(job.held)


def _run_steps(job: Job) -> None:
    pipeline = job.lease.pipeline
    context = pipeline.begin(job.row)
    for step in pipeline.steps:
        with job.step(step):
            step.run(job, context)
        crash.point(f"{pipeline.name}.{step.name}.after")
    if not job.has_ended:
        raise RuntimeError(f"the last step of {pipeline.name} did not finish its row")


def _answer(job: Job, error: Exception) -> None:
    """Write down what was raised, waiting for a database that is away; what cannot be written is left to
    recovery, which says that the worker gave no answer."""
    ends = time.monotonic() + ANSWER_PATIENCE_SECONDS
    try:
        while True:
            try:
                _close_broken_connection()
                _translate(job, error)
                return
            except (OperationalError, InterfaceError) as away:
                if time.monotonic() > ends or stopping.is_asked():
                    raise
                log.warning("attempt.answer_waits", reason=type(away).__name__)
                time.sleep(ANSWER_AGAIN_SECONDS)
    except Exception as unanswered:
        log.error("attempt.not_answered", raised=_traceback(error), then=_traceback(unanswered))


def _translate(job: Job, error: Exception) -> None:
    """What was raised, as the row's next state. A lost lease has nothing to answer but its refusal: whatever
    the step raises after it (its child was killed, say) follows from the loss."""
    try:
        match error:
            case _ if job.has_ended:
                log.error("attempt.raised_after_its_end", raised=_traceback(error))
            case _ if job.held.lost == heart.NO_DATABASE:
                _try_again_later(job, TemporaryFailure(heart.NO_DATABASE))  # the fence knows whose the row is
            case LeaseLost():
                _refuse(job, error)
            case _ if job.held.lost:
                _refuse(job, job.loss())
            case Stopping():
                account = Account(Outcome.POSTPONED, code="stopping")
                leases.release(job.lease, account, due_in=0, postponed=True)
            case Postponed():
                account = Account(Outcome.POSTPONED, code=error.reason)
                seconds = error.due_in.total_seconds()
                leases.release(job.lease, account, due_in=seconds, postponed=True, state=error.state)
            case Asks():
                with transaction.atomic():
                    job.lease.pipeline.on_asking(job.row, error.question)
                    leases.ask(job.lease, question=error.question, state=error.state, fields=error.fields)
            case PermanentFailure():
                fail(job, error.code, error.detail, error)
            case _:
                _try_again_later(job, error)
    except LeaseLost as lost:
        _refuse(job, lost)


def fail(job: Job, code: str, detail: dict[str, Any], error: Exception) -> None:
    """End the row as failed, in one transaction with what the pipeline writes about it. Raises LeaseLost."""
    log.info("attempt.failed", code=code)
    account = Account(
        Outcome.FAILED,
        code=code,
        detail=detail,
        traceback=_traceback(error),
        fingerprint=fingerprint(job, code, error),
    )
    with transaction.atomic():
        ending = job.lease.pipeline.on_failure(job.row, code, detail)
        fields = {"failure_code": code, "failure_detail": detail, **ending.fields}
        if ending.question:
            leases.ask(
                job.lease, question=ending.question, state=ending.state, fields=fields, account=account
            )
        else:
            leases.finish(job.lease, state=ending.state, fields=fields, account=account)
            job.lease.pipeline.after_failure(job.row)


def fingerprint(job: Job, code: str, error: Exception) -> str:
    """The same for failures of one cause: pipeline, step, code and, if unforeseen, where it was raised."""
    places = traceback.extract_tb(error.__traceback__)[-3:] if code == UNFORESEEN else []
    where = "|".join(f"{frame.filename.rsplit('/', 2)[-1]}:{frame.name}" for frame in places)
    text = (
        f"{job.lease.pipeline.name}|{job.lease.step}|{code}|{type(error).__name__ if where else ''}|{where}"
    )
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _try_again_later(job: Job, error: Exception) -> None:
    code = error.code if isinstance(error, TemporaryFailure) else UNFORESEEN
    detail = error.detail if isinstance(error, TemporaryFailure) else {"error": type(error).__name__}
    pipeline = job.lease.pipeline
    age = _age(job)
    if age > pipeline.limits.gives_up_after:
        fail(job, code, {**detail, "gave_up_after_hours": round(age.total_seconds() / 3600, 1)}, error)
        return
    log.warning("attempt.temporary_failure", code=code, raised=_traceback(error))
    account = Account(
        Outcome.TEMPORARY_FAILURE, code=code, detail=detail, traceback=_traceback(error),
        fingerprint=fingerprint(job, code, error),
    )  # fmt: skip
    tries = max(0, job.row.starts - job.row.postponed - 1)
    leases.release(job.lease, account, due_in=pipeline.backoff(tries))


def _age(job: Job) -> dt.timedelta:
    """Since the row was accepted, or first taken after the last answer of a person, who may take days; by the
    database's clock and the seconds of this attempt."""
    since_claim = dt.timedelta(seconds=time.monotonic() - job.began)
    waited: dt.timedelta = job.row.started_at - (_taken_after_an_answer(job) or job.row.accepted_at)
    return waited + since_claim


def _taken_after_an_answer(job: Job) -> dt.datetime | None:
    attempts = Attempt.objects.filter(pipeline=job.lease.pipeline.name, subject=job.row.pk)
    asked = attempts.filter(outcome=Outcome.ASKED).order_by("-number").first()
    first = asked and attempts.filter(number__gt=asked.number).order_by("number").first()
    return first.started_at if first else None


def _refuse(job: Job, lost: LeaseLost) -> None:
    if not lost.tried:
        log.warning("attempt.stopped_by_itself", reason=lost.reason)
    elif leases.has_answered(job.lease):
        log.info("attempt.answer_had_arrived", tried=lost.tried)
    else:
        log.warning("attempt.late_write_refused", tried=lost.tried)
        leases.record_refused(job.lease, tried=lost.tried)


def _close_broken_connection() -> None:
    """A connection that died under the step is opened anew for the answer."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def _traceback(error: Exception) -> str:
    """Bounded; the message is left out, since a database error may quote a cell."""
    lines = "".join(traceback.format_tb(error.__traceback__))
    return f"{lines[-8000:]}{type(error).__name__}"
