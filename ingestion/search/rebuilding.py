"""The one step of a rebuild: fill a new index from the records, swap it in, dataset by dataset.

The old one is searched until the swap, and changes go to both; so nothing that is written meanwhile is lost.
"""

from collections import Counter
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from ingestion.models import Dataset, Record, Reindex
from ingestion.search import documents, updating
from ingestion.search.index import index
from ingestion.search.kill_points import REBUILD_BEGUN, REBUILD_FILLED, REBUILD_FINISHED, REBUILD_NOTED
from ingestion.search.protocol import GenerationGone
from ingestion.search.values import sortable_fields
from ingestion.states import ReindexState
from work import crash, outbox
from work.failures import LeaseLost
from work.jobs import Job

BATCH = 1_000


def rebuild(job: Job, context: None) -> None:
    """Goes on where the attempt before it got to."""
    reindex: Reindex = job.row
    datasets = list(_datasets(reindex).order_by("pk"))
    total = Record.objects.filter(dataset__in=[dataset.pk for dataset in datasets]).count()
    job.progress(reindex.records_done, total=total, unit="records")
    for dataset in datasets:
        if reindex.at_dataset is None or dataset.pk >= reindex.at_dataset:
            _rebuild_dataset(job, reindex, dataset)
    with transaction.atomic():
        outbox.record(
            "search.rebuilt", subject=reindex, kind="reindex", label=label(reindex),
            organisation=reindex.organisation_id,
            payload={"datasets": reindex.datasets_done, "records": reindex.records_done},
        )  # fmt: skip
        job.finish(state=ReindexState.REBUILT)
    crash.point(REBUILD_FINISHED)
    index().remove_old()


def label(reindex: Reindex) -> str:
    return str(reindex.dataset or reindex.organisation)


def _datasets(reindex: Reindex) -> QuerySet[Dataset]:
    if reindex.dataset_id:
        return Dataset.objects.filter(pk=reindex.dataset_id)
    return Dataset.objects.filter(organisation=reindex.organisation_id)


def _rebuild_dataset(job: Job, reindex: Reindex, dataset: Dataset) -> None:
    fields = sortable_fields(dataset.schema_versions.latest("number").schema)
    if reindex.at_dataset != dataset.pk or not reindex.generation:
        with transaction.atomic():
            began = index().begin_rebuild(dataset.pk, fields)
            crash.point(REBUILD_BEGUN)
            _note(job, reindex, at_dataset=dataset.pk, generation=began.key, after_key=None)
    try:
        _fill(job, reindex, dataset)
        index().swap(reindex.generation)
    except GenerationGone:  # by a hand from outside: begin this dataset anew
        _note(job, reindex, generation="", after_key=None)
        _rebuild_dataset(job, reindex, dataset)
        return
    # Other than the one that is done, so that the next attempt does not rebuild it once more.
    _note(job, reindex, at_dataset=_next(dataset), generation="", datasets_done=reindex.datasets_done + 1)


def _fill(job: Job, reindex: Reindex, dataset: Dataset) -> None:
    while True:
        found, last = documents.after(dataset.pk, reindex.after_key, limit=BATCH)
        if last is None:
            return
        outcomes = index().fill(reindex.generation, found)
        crash.point(REBUILD_FILLED)
        with transaction.atomic():
            updating.park(dataset.pk, found, outcomes)
            counts = Counter(outcome.status for outcome in outcomes)
            _note(
                job, reindex, after_key=last, records_done=reindex.records_done + len(found),
                refused=reindex.refused + counts["refused"],
            )  # fmt: skip
        crash.point(REBUILD_NOTED)
        job.progress(reindex.records_done)


def _note(job: Job, reindex: Reindex, **columns: Any) -> None:
    """How far it is, under the fence: a worker that lost its lease moves nothing back."""
    if not Reindex.objects.filter(pk=reindex.pk, lease_token=job.token).update(**columns):
        raise LeaseLost("taken", tried="note how far the rebuild is")
    for name, value in columns.items():
        setattr(reindex, name, value)


def _next(dataset: Dataset) -> Any:
    return type(dataset.pk)(int=dataset.pk.int + 1)


def abandon_orphans() -> int:
    """Rebuilds that no job knows: begun in an index outside of this database by a worker that died.

    The jobs are looked at last: one that begins its rebuild meanwhile must not lose it.
    """
    begun = [generation.key for generation in index().rebuilds()]
    known = set(Reindex.objects.unfinished().values_list("generation", flat=True))
    orphans = [key for key in begun if key not in known]
    for key in orphans:
        index().abandon(key)
    return len(orphans)
