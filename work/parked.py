"""Rows that recovery could not recover: they ask an operator, who tries again or ends them."""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from work import decisions, doorbell, pipelines
from work.failures import StateChanged
from work.pipelines import Fields, Pipeline
from work.recovery import PARKED

GIVEN_UP = "given_up_by_operator"


def rows(pipeline: Pipeline) -> QuerySet[Any]:
    """What is parked in one pipeline."""
    return pipeline.rows.filter(asked_at__isnull=False, question=PARKED)


def retry(*, pipeline: Pipeline, row: Any, by: Any, why: str) -> None:
    """Make the row due again, its deaths forgotten. Raises StateChanged when it is not parked any more."""
    state = pipeline.initial if row.state == pipeline.running else row.state
    with transaction.atomic():
        _move(pipeline, row, {"state": state, "due_at": Now(), "unanswered": 0})
        _decide("work.retried", pipeline, row, by, why)
        doorbell.ring(pipeline.cluster)


def fail(*, pipeline: Pipeline, row: Any, by: Any, why: str) -> None:
    """End the row as its pipeline ends failures. Raises StateChanged when it is not parked any more.

    The pipeline's own part runs again and may be what raised in recovery: then its error comes through here.
    """
    with transaction.atomic():
        ending = pipeline.on_failure(row, GIVEN_UP, {"why": why})
        if ending.question:  # dead letters end by being discarded
            columns: dict[str, Any] = {"asked_at": Now(), "question": ending.question}
        else:
            columns = {"finished_at": Now()}
        failure = {"failure_code": GIVEN_UP, "failure_detail": {"why": why}}
        _move(pipeline, row, {"state": ending.state, **failure, **columns, **ending.fields})
        _decide("work.given_up", pipeline, row, by, why)


def find(pipeline_name: str, pk: Any) -> tuple[Pipeline, Any]:
    """The pipeline and its parked row. Raises KeyError or the model's DoesNotExist."""
    pipeline = pipelines.get(pipeline_name)
    return pipeline, rows(pipeline).get(pk=pk)


def _move(pipeline: Pipeline, row: Any, columns: Fields) -> None:
    pipeline.check_move(row.state, columns["state"])
    fields = {"asked_at": None, "question": None, **columns}
    still = Q(pk=row.pk, asked_at__isnull=False, question=PARKED, state=row.state)
    if not pipeline.rows.filter(still).update(**fields):
        raise StateChanged(pipeline.rows.filter(pk=row.pk).values_list("state", flat=True).first())


def _decide(what: str, pipeline: Pipeline, row: Any, by: Any, why: str) -> None:
    decisions.record(
        what,
        by=by,
        kind=pipeline.name,
        subject=row,
        label=str(row),
        organisation=getattr(row, "organisation_id", None),
        why=why,
        shown={
            "state": row.state,
            "step": row.step,
            "starts": row.starts,
            "asked_at": row.asked_at.isoformat(),
        },
    )
