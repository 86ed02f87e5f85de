"""Bringing what waits into the index: a leased run per dataset, woken by events and by a sweep."""

import datetime as dt
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from ingestion.models import Dataset, IndexChange, IndexUpdate, ParkedDocument
from ingestion.search import changes, documents
from ingestion.search.index import index
from ingestion.search.kill_points import INDEX_APPLIED, INDEX_BEFORE, INDEX_DROPPED, INDEX_FINISHED
from ingestion.search.protocol import Document, Outcome
from ingestion.search.values import sortable_fields
from ingestion.states import IndexUpdateState
from work import correlation, crash, doorbell
from work.jobs import Job

SETTLED_FROM = 500
"""Documents of one run from which on the index is settled after it."""

TRIED_AGAIN_AFTER = dt.timedelta(minutes=15)


def want(dataset: Dataset) -> bool:
    """A run for what waits, unless one is unfinished. Joins the caller's transaction. Safe to repeat."""
    try:
        with transaction.atomic():
            IndexUpdate.objects.create(
                organisation_id=dataset.organisation_id, dataset=dataset, correlation_id=correlation.current()
            )
    except IntegrityError:
        return False
    doorbell.ring()
    return True


def want_all() -> int:
    """For every dataset that has something waiting and no run that will see to it; how many were made."""
    unfinished = IndexUpdate.objects.filter(dataset=OuterRef("pk")).filter(
        Q(finished_at__isnull=True)
        | Q(state=IndexUpdateState.FAILED, finished_at__gt=Now() - TRIED_AGAIN_AFTER)
    )
    behind = Dataset.objects.filter(Exists(IndexChange.objects.filter(dataset=OuterRef("pk"))))
    return sum(want(dataset) for dataset in behind.exclude(Exists(unfinished)))


def apply_changes(job: Job, context: None) -> None:
    """Batch by batch until nothing waits. Runs again from its start: what was applied is dropped by then, or
    applied once more, which changes nothing."""
    run: IndexUpdate = job.row
    dataset = Dataset.objects.get(pk=run.dataset_id)
    index().open(dataset.pk, sortable_fields(dataset.schema_versions.latest("number").schema))
    counts: Counter[str] = Counter()
    crash.point(INDEX_BEFORE)
    while taken := changes.take(dataset.pk):
        job.progress(counts.total(), total=_total(dataset.pk, counts), unit="records")
        outcomes = _apply(dataset.pk, taken)
        counts.update(outcome.status for outcome in outcomes)
    if counts["applied"] >= SETTLED_FROM:
        index().settle(dataset.pk)
    with transaction.atomic():
        job.finish(
            state=IndexUpdateState.APPLIED,
            fields={name: counts[name] for name in ("applied", "older", "refused")},
        )
    crash.point(INDEX_FINISHED)
    if IndexChange.objects.filter(dataset=dataset).exists():
        want(dataset)  # noted between the last look and the end, when this run still stood in the way


def _apply(dataset: uuid.UUID, taken: changes.Taken) -> list[Outcome]:
    """The index first, the notes after: whatever dies between the two, nothing is forgotten."""
    found = documents.of(dataset, taken.records)
    outcomes = index().apply(dataset, found)
    crash.point(INDEX_APPLIED)
    with transaction.atomic():
        park(dataset, found, outcomes)
        changes.drop(taken)
    crash.point(INDEX_DROPPED)
    return outcomes


def apply_now(dataset: uuid.UUID, records: Sequence[int]) -> list[Outcome]:
    """Without a note, as the records stand now: for what the index should have long had."""
    outcomes: list[Outcome] = []
    for start in range(0, len(records), changes.BATCH):
        found = documents.of(dataset, records[start : start + changes.BATCH])
        said = index().apply(dataset, found)
        park(dataset, found, said)
        outcomes += said
    return outcomes


def park(dataset: uuid.UUID, found: Sequence[Document], outcomes: Sequence[Outcome]) -> None:
    """What was refused is kept for an operator; what is applied since is parked no more."""
    versions = {document.id: document.version for document in found}
    refused = [outcome for outcome in outcomes if outcome.status == "refused"]
    applied = [outcome.id for outcome in outcomes if outcome.status == "applied"]
    ParkedDocument.objects.filter(dataset=dataset, record__in=applied).delete()
    ParkedDocument.objects.bulk_create(
        [
            ParkedDocument(
                dataset_id=dataset, record=outcome.id, version=versions[outcome.id], reason=outcome.reason
            )
            for outcome in refused
        ],
        update_conflicts=True,
        unique_fields=["dataset", "record"],
        update_fields=["version", "reason"],
    )


def retry_parked(dataset: Dataset) -> int:
    """Look at parked records again: their notes are written anew; how many."""
    with transaction.atomic():
        ids = list(ParkedDocument.objects.filter(dataset=dataset).values_list("record", flat=True))
        changes.note(dataset.pk, ids)
        want(dataset)
    return len(ids)


def _total(dataset: uuid.UUID, counts: Counter[str]) -> Any:
    return counts.total() + changes.waiting(dataset).pending
