"""Does the index hold what the records hold? Looked at by `verify`, and by a nightly run that mends it."""

import datetime as dt
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction
from django.db.models.functions import Now

from ingestion import staging
from ingestion.models import Dataset, IndexComparison, ParkedDocument, Record
from ingestion.search import changes, documents, reindexes, updating
from ingestion.search.index import index
from ingestion.search.protocol import Digest, GenerationGone, term_sql
from ingestion.search.values import sortable_fields
from work.invariants import Breach, Invariant
from work.jobs import Job
from work.periodic import PeriodicJob

PAGE = 5_000
QUICK_RECORDS = 50_000
"""Of so many records in all a quick run of the invariants compares; a deep or nightly one compares all."""

DIGEST = f"""
SELECT count(*), coalesce(sum({term_sql(id="id", version=documents.VERSION_SQL)}), 0)::numeric
FROM ingestion_record WHERE dataset_id = %s AND retired_at IS NULL AND NOT (id = ANY(%s::bigint[]))
"""  # noqa: S608 (put together from constants)


@dataclass
class Differences:
    """Ids of records that the index lacks, holds in another version, or holds though there is none in use."""

    missing: list[int] = field(default_factory=list)
    stale: list[int] = field(default_factory=list)
    extra: list[int] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.missing) + len(self.stale) + len(self.extra)


def is_equal(dataset: uuid.UUID) -> bool:
    """What waits, and what the index refused, is left out on both sides."""
    left_out = _left_out(dataset)
    return record_digest(dataset, left_out) == index().digest(dataset, leaving_out=left_out)


def record_digest(dataset: uuid.UUID, leaving_out: set[int]) -> Digest:
    count, total = staging.rows(DIGEST, [dataset, list(leaving_out)])[0]
    return Digest(count, int(total))


def differences(dataset: uuid.UUID) -> Differences:
    """By walking both lists in the order of ids."""
    found, left_out = Differences(), _left_out(dataset)
    indexed = _indexed(dataset)
    id, version = next(indexed, (None, 0))
    for record, wanted in _records(dataset):
        while id is not None and id < record:
            found.extra.append(id)
            id, version = next(indexed, (None, 0))
        if id != record:
            found.missing.append(record)
            continue
        if version != wanted:
            found.stale.append(record)
        id, version = next(indexed, (None, 0))
    while id is not None:
        found.extra.append(id)
        id, version = next(indexed, (None, 0))
    for name in ("missing", "stale", "extra"):
        setattr(found, name, [each for each in getattr(found, name) if each not in left_out])
    return found


def compare_all(job: Job) -> str:
    """Every dataset; what differs is written anew, or rebuilt where that cannot help."""
    compared = differing = records = 0
    datasets = Dataset.objects.select_related("organisation").order_by("pk")
    for dataset in datasets.iterator():
        found = _compare(dataset)
        compared += 1
        differing += bool(found.count)
        records += found.count
        job.progress(compared, unit="datasets")
    index().remove_old()
    said = f"{compared} datasets compared"
    return (
        f"{said}, {records} records differed in {differing}; noted anew"
        if differing
        else f"{said}, all equal"
    )


def _compare(dataset: Dataset) -> Differences:
    """In a snapshot of its own, so that what changes meanwhile counts on both sides or on none."""
    with _snapshot():
        equal = is_equal(dataset.pk)
        found = Differences() if equal else differences(dataset.pk)
    IndexComparison.objects.update_or_create(
        dataset=dataset,
        defaults={
            "compared_at": Now(),
            "missing": len(found.missing),
            "stale": len(found.stale),
            "extra": len(found.extra),
        },
    )
    if found.count:
        _mend(dataset, found)
    return found


def _mend(dataset: Dataset, found: Differences) -> None:
    """Written anew as the records stand. What the index takes for older than what it holds cannot be mended
    by a write, so then it is rebuilt."""
    index().open(dataset.pk, sortable_fields(dataset.schema_versions.latest("number").schema))
    outcomes = updating.apply_now(dataset.pk, sorted({*found.missing, *found.stale, *found.extra}))
    if any(outcome.status == "older" for outcome in outcomes):
        reindexes.request(
            organisation=dataset.organisation, dataset=dataset, by="nightly comparison",
            cause=reindexes.Cause.REPAIR,
        )  # fmt: skip


def check(deep: bool) -> list[Breach]:
    """A dataset whose index is swapped at this very moment is compared by the next run."""
    breaches: list[Breach] = []
    room = QUICK_RECORDS
    for dataset in Dataset.objects.order_by("-created_at"):
        if not deep:
            room -= Record.objects.filter(dataset=dataset)[: room + 1].count()
            if room < 0:
                break
        try:
            with transaction.atomic():
                equal = is_equal(dataset.pk)
        except GenerationGone:
            continue
        if not equal:
            breaches.append(Breach(str(dataset.pk), _sentence(dataset)))
    return breaches


def _sentence(dataset: Dataset) -> str:
    found = differences(dataset.pk)
    return (
        f"The search index of {dataset.title} differs from its records: {len(found.missing)} missing, "
        f"{len(found.stale)} in another version, {len(found.extra)} too many."
    )


def _left_out(dataset: uuid.UUID) -> set[int]:
    parked = ParkedDocument.objects.filter(dataset=dataset).values_list("record", flat=True)
    return changes.records_waiting(dataset) | set(parked)


def _records(dataset: uuid.UUID) -> Iterator[tuple[int, int]]:
    rows = Record.objects.filter(dataset=dataset, retired_at__isnull=True).order_by("pk")
    for id, number in rows.values_list("pk", "version").iterator(chunk_size=PAGE):
        yield id, documents.version(number, is_retired=False)


def _indexed(dataset: uuid.UUID) -> Iterator[tuple[Any, int]]:
    after = 0
    while page := index().versions(dataset, after=after, limit=PAGE):
        yield from page
        after = page[-1][0]


@contextmanager
def _snapshot() -> Iterator[None]:
    """A transaction in which every statement sees the same moment; inside of another one, that one."""
    joined = connection.in_atomic_block
    with transaction.atomic():
        if not joined:
            staging.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


INVARIANT = Invariant("search_index", "The search index holds what the records hold", check)
NIGHTLY = PeriodicJob(
    name="search_comparison",
    title="Compare the search index with the records",
    function=compare_all,
    cron="40 2 * * *",
    at_most=dt.timedelta(hours=2),
)
