"""The pipeline of bulk actions: row by row in slices, each row's outcome stored with its effect.

A slice ends by itself and the action goes to the back of the queue, so that it never crowds out uploads.
"""

import datetime as dt
from collections import Counter
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, transaction

from work import bulk, cancelling, crash
from work.bulk import BulkKind
from work.failures import LeaseLost, PermanentFailure, Postponed, StateChanged, WorkFailure
from work.jobs import Job
from work.models import BulkAction, BulkOutcome, BulkState
from work.models.bulk import BULK_TERMINAL
from work.pipelines import Ending, Limits, Pipeline, Step

log = structlog.get_logger(__name__)

SLICE_ROWS = 200
PAUSE = dt.timedelta(seconds=2)  # with the slice: at most 100 rows a second
CHANGED, NOT_ELIGIBLE, FAILED = "changed", "not_eligible", "failed"


def act_on_rows(job: Job, context: None) -> None:
    """Act on the next slice of rows; finish when none is left. Runs again from where it stopped."""
    action: BulkAction = job.row
    kind = bulk.get(action.action)
    if kind is None:
        raise PermanentFailure("bulk_action_unknown", action=action.action)
    if action.requested_by is None or not action.requested_by.is_active:
        raise PermanentFailure("requester_gone")
    counts = Counter(action.counts)
    slice_ = list(bulk.remaining(action, kind)[: SLICE_ROWS + 1])
    for row in slice_[:SLICE_ROWS]:
        job.progress(counts.total(), total=action.previewed.get("matching"), unit="rows")
        counts = _act_on_one(job, action, kind, row, counts)
    if len(slice_) > SLICE_ROWS:
        raise Postponed("rate_limited", PAUSE)
    with transaction.atomic():
        bulk.tell("bulk.finished", action, counts=dict(counts), previewed=action.previewed)
        job.finish(state=BulkState.FINISHED)


def cancel(*, action: BulkAction, by: Any, why: str) -> None:
    """Stop an action: the outcomes so far stand. Raises StateChanged when it has ended."""
    cancelling.cancel(
        pipeline=PIPELINE,
        row=action,
        state=BulkState.CANCELLED,
        allowed=(BulkState.ACCEPTED, BulkState.RUNNING),
        by=by,
        why=why,
        what="bulk.cancelled",
        label=str(action),
    )


def _act_on_one(job: Job, action: BulkAction, kind: BulkKind, row: Any, counts: Counter[str]) -> Counter[str]:
    """The effect and its outcome are one transaction, or the row is tried again by the next worker."""
    try:
        with transaction.atomic():
            kind.act(row, action.requested_by, action.reason)
            return _store(job, action, kind, row, CHANGED, "", counts)
    except StateChanged as error:
        outcome, found = NOT_ELIGIBLE, bulk.found_now(kind, row, error)
    except (LeaseLost, OperationalError, InterfaceError):
        raise
    except Exception as error:  # one row that cannot be acted on stops no other
        log.exception("bulk.row_failed", action=action.action, row=str(row.pk))
        outcome, found = FAILED, error.code if isinstance(error, WorkFailure) else type(error).__name__
    with transaction.atomic():
        return _store(job, action, kind, row, outcome, found, counts)


def _store(
    job: Job,
    action: BulkAction,
    kind: BulkKind,
    row: Any,
    outcome: str,
    found: str,
    counts: Counter[str],
) -> Counter[str]:
    """The fence stands last: a worker that lost its lease stores neither the outcome nor the effect."""
    counts = counts + Counter({outcome: 1})
    BulkOutcome.objects.create(
        bulk=action, subject=row.pk, label=kind.label(row)[:200], outcome=outcome, found=found[:60]
    )
    crash.point("bulk.row")
    held = BulkAction.objects.filter(pk=action.pk, lease_token=job.token)
    if not held.update(counts=dict(counts)):
        raise LeaseLost("taken", tried=f"act on a row as {outcome}")
    return counts


def _failed(row: BulkAction, code: str, detail: dict[str, Any]) -> Ending:
    bulk.tell("bulk.failed", row, code=code)
    return Ending(BulkState.FAILED)


PIPELINE = Pipeline(
    name="bulk",
    title="Bulk actions",
    model=BulkAction,
    steps=(Step("act_on_rows", act_on_rows, silent_for=120, at_most=1800),),
    initial=BulkState.ACCEPTED,
    running=BulkState.RUNNING,
    terminal=BULK_TERMINAL,
    on_failure=_failed,
    limits=Limits(running=1),
)
