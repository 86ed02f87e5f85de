"""Holding a pipeline back: while paused it claims nothing, and goes on accepting."""

from typing import Any

from django.db import transaction

from work import decisions, doorbell
from work.failures import StateChanged
from work.models import PipelinePause
from work.pipelines import Pipeline


def pause(*, pipeline: Pipeline, by: Any, why: str) -> PipelinePause:
    """Claims stop at once; running rows finish. Raises StateChanged when it is paused already."""
    with transaction.atomic():
        held, made = PipelinePause.objects.get_or_create(
            pipeline=pipeline.name,
            defaults={"paused_by": decisions.person(by), "paused_by_label": str(by), "reason": why},
        )
        if not made:
            raise StateChanged("paused")
        _record("pipeline.paused", pipeline, by, why)
    return held


def resume(*, pipeline: Pipeline, by: Any, why: str) -> None:
    """Raises StateChanged when it is not paused."""
    with transaction.atomic():
        deleted, _ = PipelinePause.objects.filter(pipeline=pipeline.name).delete()
        if not deleted:
            raise StateChanged("running")
        _record("pipeline.resumed", pipeline, by, why)
        doorbell.ring(pipeline.cluster)


def _record(what: str, pipeline: Pipeline, by: Any, why: str) -> None:
    waiting = pipeline.rows.waiting().count()
    decisions.record(
        what,
        by=by,
        kind="pipeline",
        subject=pipeline.name,
        label=pipeline.title,
        why=why,
        shown={"waiting": waiting},
    )
