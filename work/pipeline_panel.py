"""What operators see of each pipeline: its queue, its cap, who paused it, and how its attempts ended."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count
from django.utils import timezone

from work import health, pipelines
from work.metrics_queries import DEPTH, rows_of
from work.models import Attempt, PipelinePause, RefusedWrite
from work.pipelines import ALL_BUT_ONE, Pipeline

WINDOW = dt.timedelta(hours=24)
MOVING_SHOWN = 20


@dataclass(frozen=True)
class PipelineRow:
    """`outcomes` and `refused` are of the last 24 hours."""

    pipeline: Pipeline
    waiting: int
    due: int
    running: int
    asking: int
    oldest_seconds: float
    cap: int | None
    pause: PipelinePause | None
    outcomes: Mapping[str, int] = field(default_factory=dict)
    refused: int = 0

    @property
    def is_at_the_cap(self) -> bool:
        return self.cap is not None and self.running >= self.cap and self.due > 0

    @property
    def tried_again(self) -> int:
        return self.outcomes.get("temporary_failure", 0)

    @property
    def failed(self) -> int:
        return self.outcomes.get("failed", 0)

    @property
    def gave_no_answer(self) -> int:
        return self.outcomes.get("died", 0) + self.outcomes.get("hung", 0)


def read() -> list[PipelineRow]:
    outcomes, refused, paused, caps = _outcomes(), _refused(), _paused(), _workers()
    return [_row(each, outcomes, refused, paused, caps) for each in pipelines.every()]


def read_one(pipeline: Pipeline) -> PipelineRow:
    return _row(pipeline, _outcomes(), _refused(), _paused(), _workers())


def moving(pipeline: Pipeline) -> list[Any]:
    """What runs now, then what has waited longest."""
    running = list(pipeline.rows.running().order_by("started_at")[:MOVING_SHOWN])
    waiting = pipeline.rows.waiting().order_by("due_at", "pk")[: MOVING_SHOWN - len(running)]
    return [*running, *waiting]


def _row(
    pipeline: Pipeline,
    outcomes: Mapping[str, Mapping[str, int]],
    refused: Mapping[str, int],
    paused: Mapping[str, PipelinePause],
    workers: Mapping[str, int],
) -> PipelineRow:
    waiting, due, running, asking, oldest = rows_of(DEPTH.format(table=pipeline.table))[0]
    return PipelineRow(
        pipeline=pipeline,
        waiting=waiting,
        due=due,
        running=running,
        asking=asking,
        oldest_seconds=float(oldest),
        cap=_cap(pipeline, workers),
        pause=paused.get(pipeline.name),
        outcomes=outcomes.get(pipeline.name, {}),
        refused=refused.get(pipeline.name, 0),
    )


def _cap(pipeline: Pipeline, workers: Mapping[str, int]) -> int | None:
    if pipeline.limits.running == ALL_BUT_ONE:
        return max(1, workers[pipeline.cluster] - 1)
    return pipeline.limits.running


def _outcomes() -> dict[str, dict[str, int]]:
    ended = Attempt.objects.filter(ended_at__gt=timezone.now() - WINDOW).order_by()
    found: dict[str, dict[str, int]] = {}
    for pipeline, outcome, number in ended.values_list("pipeline", "outcome").annotate(number=Count("pk")):
        found.setdefault(pipeline, {})[outcome or ""] = number
    return found


def _refused() -> dict[str, int]:
    recent = RefusedWrite.objects.filter(refused_at__gt=timezone.now() - WINDOW).order_by()
    return dict(recent.values_list("pipeline").annotate(number=Count("pk")))


def _paused() -> dict[str, PipelinePause]:
    return {held.pipeline: held for held in PipelinePause.objects.all()}


def _workers() -> dict[str, int]:
    return {cluster: health.alive_workers(cluster).count() for cluster in health.CLUSTERS}
