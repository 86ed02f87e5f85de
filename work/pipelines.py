"""Pipelines: which table, which steps, which limits. They register here in their `apps.ready()`; `work`
knows none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings

from work.failures import ForbiddenMove
from work.models import Leased, LeasedQuerySet

if TYPE_CHECKING:
    from work.jobs import Job

GROUND = "ground"
PIPELINES = "pipelines"
ALL_BUT_ONE = -1
Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One named part of a pipeline, runnable again from its start.

    `silent_for` and `at_most` are seconds: without a progress report for the one, or running for longer
    than the
    other, the step is given up as hung.
    """

    name: str
    run: "Callable[[Job, Any], None]"
    silent_for: float = 300.0
    at_most: float = 3600.0


@dataclass(frozen=True)
class Limits:
    """`running` caps the rows under a lease at once: ALL_BUT_ONE of the cluster's workers (at least 1), a
    number,
    or None for no cap. `gives_up_after` is the age at which temporary failures become final.
    """

    running: int | None = ALL_BUT_ONE
    gives_up_after: timedelta = timedelta(hours=24)


@dataclass(frozen=True)
class Ending:
    """How recovery or the runner ends or returns a row: the next state, and the columns that go with it.

    A terminal state finishes the row; with a `question` the row asks a person; otherwise it is due in
    `due_in` seconds.
    """

    state: str
    fields: Fields = field(default_factory=dict)
    question: str = ""
    due_in: float = 0.0


@dataclass(frozen=True)
class Pipeline:
    """`initial` is where rows wait, `running` what a claim makes of it; any other state is kept by both
    moves.

    - `begin(row)` makes the context that is handed from step to step (typed by the pipeline).
    - `on_failure(row, code, detail)` runs in the transaction that ends the row: it may write events, and
      returns the failed state with its columns.
    - `on_expiry(row, died)` does the same for a row whose worker died and that is tried again (`died` is
      `{worker, step, outcome}`); the default requeues. A pipeline that must not be run again returns
      another Ending.
    - `on_asking(row, question)` runs in the transaction in which a step asks a person: it may write events.
    - `after_failure(row)` runs last in the transaction that ended the row as failed: a pipeline that keeps
      its failures elsewhere removes the row there.
    - `also_running` are further states in which a worker is at work: from them too a row goes back to
      `initial` when the worker gives it up, or dies.
    - `moves` names for every state the states that may follow it; each move that leases, recovery and
      cancelling make is looked up there. A state may always follow itself while the row is unfinished.
    """

    name: str
    title: str
    model: type[Leased]
    steps: Sequence[Step]
    initial: str
    running: str
    terminal: Sequence[str]
    on_failure: Callable[[Any, str, dict[str, Any]], Ending]
    begin: Callable[[Any], Any] = lambda row: None
    on_expiry: Callable[[Any, dict[str, Any]], Ending] | None = None
    on_asking: Callable[[Any, str], None] = lambda row, question: None
    after_failure: Callable[[Any], None] = lambda row: None
    also_running: Sequence[str] = ()
    cluster: str = PIPELINES
    limits: Limits = field(default_factory=Limits)
    moves: Mapping[Any, Sequence[str]] | None = None
    backoff: Callable[[int], float] = lambda tries: min(900.0, 5.0 * 2 ** min(tries, 12))

    def __post_init__(self) -> None:
        if self.moves is None:
            return
        if self.running not in self.moves[self.initial]:
            raise ValueError(f"pipeline {self.name} could not be claimed: no move from {self.initial}")
        if any(self.moves[state] for state in self.terminal):
            raise ValueError(f"pipeline {self.name} has moves out of a terminal state")

    def check_move(self, old: str, new: str) -> None:
        """Raises ForbiddenMove unless the machine has that arrow."""
        if old != new and self.moves is not None and new not in self.moves[old]:
            raise ForbiddenMove(self.name, old, new)

    def waiting_state(self, state: str) -> str:
        """Where a row waits that a worker gave up, or died with, in this state."""
        return self.initial if state in (self.running, *self.also_running) else state

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def rows(self) -> LeasedQuerySet:
        return cast(LeasedQuerySet, self.model._default_manager.all())


_registered: dict[str, Pipeline] = {}


def register(pipeline: Pipeline) -> Pipeline:
    """Make a pipeline known. Touches no database; registering the same name twice is an error in the code."""
    if pipeline.name in _registered:
        raise ValueError(f"pipeline {pipeline.name} is registered already")
    _registered[pipeline.name] = pipeline
    return pipeline


def get(name: str) -> Pipeline:
    return _registered[name]


def every() -> list[Pipeline]:
    return list(_registered.values())


def of_cluster(cluster: str) -> list[Pipeline]:
    return [pipeline for pipeline in _registered.values() if pipeline.cluster == cluster]


def lease_seconds() -> float:
    return float(settings.LEASE_SECONDS)


def alive_seconds() -> float:
    """A worker says every third of a lease that it lives; silent for a whole one it counts no more."""
    return lease_seconds()
