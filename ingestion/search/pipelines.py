"""The pipelines of the search index, and what runs by the clock."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from ingestion.models import Dataset, IndexUpdate, Reindex
from ingestion.search import rebuilding, reindexes, updating
from ingestion.search.index import index
from ingestion.states import (
    INDEX_UPDATE_MOVES,
    INDEX_UPDATE_TERMINAL,
    REINDEX_MOVES,
    REINDEX_TERMINAL,
    IndexUpdateState,
    ReindexState,
)
from work.consumers import Consumer
from work.jobs import Job
from work.models import Event
from work.periodic import PeriodicJob
from work.pipelines import Ending, Pipeline, Step
from work.retention import Kept

# An index over a million records is made in one statement, which reports nothing until it is done; and who
# writes to that index meanwhile waits for it.
SILENT_WHILE_MAKING_AN_INDEX = 1800.0
A_DAY_OF_REBUILDING = 24 * 3600.0


def _update_failed(run: IndexUpdate, code: str, detail: dict[str, Any]) -> Ending:
    """What waits still waits; the sweep makes another run after a while."""
    return Ending(IndexUpdateState.FAILED)


UPDATES = Pipeline(
    name="index_update",
    title="Updates of the search index",
    model=IndexUpdate,
    steps=(
        Step(
            "apply_changes", updating.apply_changes, silent_for=SILENT_WHILE_MAKING_AN_INDEX,
            at_most=A_DAY_OF_REBUILDING,
        ),
    ),
    initial=IndexUpdateState.WAITING,
    running=IndexUpdateState.APPLYING,
    terminal=INDEX_UPDATE_TERMINAL,
    on_failure=_update_failed,
    moves=INDEX_UPDATE_MOVES,
)  # fmt: skip
REINDEXES = Pipeline(
    name="reindex",
    title="Rebuilds of the search index",
    model=Reindex,
    steps=(
        Step(
            "rebuild", rebuilding.rebuild, silent_for=SILENT_WHILE_MAKING_AN_INDEX,
            at_most=A_DAY_OF_REBUILDING,
        ),
    ),
    initial=ReindexState.REQUESTED,
    running=ReindexState.REBUILDING,
    terminal=REINDEX_TERMINAL,
    on_failure=reindexes.failed,
    moves=REINDEX_MOVES,
)  # fmt: skip


def on_events(events: Sequence[Event]) -> None:
    """The notes say what is to be indexed; the events only say that somebody should look now."""
    for event in events:
        dataset = _dataset_of(event)
        if event.type == "schema.changed" and dataset is not None:
            reindexes.follow_schema(dataset)
    updating.want_all()


def _dataset_of(event: Event) -> Dataset | None:
    if event.subject_kind != "dataset":
        return None
    return Dataset.objects.select_related("organisation").filter(pk=event.subject_id).first()


INDEXING = Consumer(
    "indexing",
    on_events,
    types=(
        "upload.processed", "upload.partial", "record.*", "records.*", "dataset.*", "schema.changed",
        "snapshot.*",
    ),
    batch=50,
)  # fmt: skip


def sweep(job: Job) -> str:
    """What no event told of is found here, a period late."""
    begun = updating.want_all()
    orphans = rebuilding.abandon_orphans()
    removed = index().remove_old()
    done = [
        (begun, "runs begun"),
        (orphans, "rebuilds abandoned"),
        (removed, "old indexes removed"),
    ]
    return ", ".join(f"{number} {what}" for number, what in done if number) or "nothing waits"


SWEEP = PeriodicJob(
    name="search_sweep",
    title="Index what waits, remove old indexes",
    function=sweep,
    every=dt.timedelta(seconds=settings.SWEEP_SECONDS),
)
OLD_UPDATES = Kept(
    "updates of the search index",
    dt.timedelta(days=7),
    "one per upload; the index is what they made",
    lambda since: IndexUpdate.objects.filter(finished_at__lt=since),
)
