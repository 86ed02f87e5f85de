"""Deals with rows whose lease ran out, in the way their pipeline names. Takes no lock that outlives a
session.
"""

import uuid
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from work import correlation, crash, doorbell, outbox
from work.models import Attempt, Outcome
from work.models.leased import MAX_UNANSWERED
from work.pipelines import Ending, Pipeline

log = structlog.get_logger(__name__)

PAGE = 200
DIED_REPEATEDLY = "worker_died_repeatedly"
PARKED = "recovery_failed"


@dataclass
class Recovered:
    """How many rows went back to waiting, ended for good, were parked because recovering them raised, or are
    left to the next run because the database was busy."""

    returned: int = 0
    ended: int = 0
    parked: int = 0
    left: int = 0

    def __bool__(self) -> bool:
        return bool(self.returned or self.ended or self.parked or self.left)

    def __str__(self) -> str:
        return f"{self.returned} returned, {self.ended} ended, {self.parked} parked, {self.left} left"


class _Moved(Exception):
    """The row was renewed or finished while it was looked at: nothing to recover."""


def recover(pipeline: Pipeline) -> Recovered:
    """Recover every expired row of a pipeline, page by page. Safe to run twice at once: the fence decides."""
    counts, last = Recovered(), uuid.UUID(int=0)
    while page := list(pipeline.rows.expired().filter(pk__gt=last).order_by("pk")[:PAGE]):
        last = page[-1].pk
        for row in page:
            with correlation.bound(row.correlation_id, work_id=str(row.pk)):
                _recover(pipeline, row, counts)
    if counts.returned:
        doorbell.ring(pipeline.cluster)
    return counts


def _recover(pipeline: Pipeline, row: Any, counts: Recovered) -> None:
    try:
        with transaction.atomic():
            ends = _recover_one(pipeline, row)
            crash.point("recovery.before")
        crash.point("recovery.after")
    except _Moved:
        return
    except (OperationalError, InterfaceError) as busy:
        log.warning("recovery.left", pipeline=pipeline.name, reason=type(busy).__name__)
        counts.left += 1  # a deadlock or a time-out says nothing about the row
        return
    except Exception:
        log.exception("recovery.parked", pipeline=pipeline.name)
        counts.parked += _park(pipeline, row)
        return
    if ends:
        counts.ended += 1
    else:
        counts.returned += 1


def _recover_one(pipeline: Pipeline, row: Any) -> bool:
    attempt = Attempt.objects.filter(token=row.lease_token).first()
    died = describe(attempt, row)
    if row.unanswered >= MAX_UNANSWERED:
        ending = pipeline.on_failure(row, DIED_REPEATEDLY, died)
        fields: dict[str, Any] = {"failure_code": DIED_REPEATEDLY, "failure_detail": died, **ending.fields}
    else:
        ending = _on_expiry(pipeline, row, died)
        fields = dict(ending.fields)
    outbox.record(
        "work.attempt_lost",
        subject=row,
        kind=pipeline.name,
        payload={**died, "state": ending.state, "starts": row.starts},
        organisation=getattr(row, "organisation_id", None),
    )
    _move(pipeline, row, ending, fields)
    _close(attempt, died)
    if row.unanswered >= MAX_UNANSWERED:
        pipeline.after_failure(row)
    return ending.state in pipeline.terminal


def describe(attempt: Attempt | None, row: Any) -> dict[str, Any]:
    """Which worker gave no answer, at which step, and whether it was given up as hung."""
    hung = attempt.hung_at_step if attempt else ""
    return {
        "worker": attempt.worker_label if attempt else str(row.locked_by),
        "step": hung or row.step,
        "outcome": (Outcome.HUNG if hung else Outcome.DIED).value,
    }


def _on_expiry(pipeline: Pipeline, row: Any, died: dict[str, Any]) -> Ending:
    if pipeline.on_expiry is not None:
        return pipeline.on_expiry(row, died)
    return Ending(pipeline.waiting_state(row.state))


def _close(attempt: Attempt | None, died: dict[str, Any]) -> None:
    if attempt is not None:
        Attempt.objects.filter(pk=attempt.pk, ended_at__isnull=True).update(
            ended_at=Now(), outcome=died["outcome"], step=died["step"], code="no_answer"
        )


def _move(pipeline: Pipeline, row: Any, ending: Ending, fields: dict[str, Any]) -> None:
    """The fence: only the expired lease that was looked at is taken away. The row comes before its attempt,
    in the order of a finish, or the two would deadlock."""
    pipeline.check_move(row.state, ending.state)
    when = outbox.seconds_from_now(ending.due_in)
    if ending.state in pipeline.terminal:
        fields |= {"finished_at": Now()}
    elif ending.question:
        fields |= {"asked_at": Now(), "question": ending.question}
    else:
        fields |= {"due_at": when}
    moved = (
        pipeline.rows.expired()
        .filter(pk=row.pk, lease_token=row.lease_token, state=row.state)
        .update(lease_token=None, locked_until=None, locked_by=None, state=ending.state, **fields)
    )
    if not moved:
        raise _Moved


def _park(pipeline: Pipeline, row: Any) -> int:
    """The row asks an operator instead of stopping recovery for all others."""
    try:
        with transaction.atomic():
            attempt = Attempt.objects.filter(token=row.lease_token).first()
            outbox.record(
                "work.parked",
                subject=row,
                kind=pipeline.name,
                label=str(row),
                organisation=getattr(row, "organisation_id", None),
                payload={"state": row.state, "starts": row.starts},
            )
            _move(pipeline, row, Ending(row.state, question=PARKED), {})
            _close(attempt, describe(attempt, row))
    except (_Moved, DatabaseError):
        log.exception("recovery.could_not_park", pipeline=pipeline.name)
        return 0
    return 1
