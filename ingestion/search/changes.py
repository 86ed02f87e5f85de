"""Which records wait for the index. The notes are written by triggers on the records; see the migration."""

import datetime as dt
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Min, Sum

from ingestion import staging
from ingestion.models import IndexChange
from work.periodic import database_now

BATCH = 1_000
# A merge notes all its records in one row; whoever takes that first makes pieces of it.
SPLIT = """
WITH large AS (
  DELETE FROM ingestion_indexchange WHERE id = (
    SELECT id FROM ingestion_indexchange WHERE dataset_id = %(dataset)s AND number > %(batch)s
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING dataset_id, records, noted_at)
INSERT INTO ingestion_indexchange (dataset_id, records, number, noted_at)
SELECT dataset_id, array_agg(record ORDER BY record), count(*), noted_at FROM (
  SELECT dataset_id, noted_at, record, (place - 1) / %(batch)s AS piece
  FROM large CROSS JOIN LATERAL unnest(records) WITH ORDINALITY AS r (record, place)) pieces
GROUP BY dataset_id, noted_at, piece ORDER BY piece
"""
# Small notes are taken together, up to a batch.
TAKE = """
SELECT id, records FROM (
  SELECT id, records, sum(number) OVER (ORDER BY id) - number AS before FROM (
    SELECT id, records, number FROM ingestion_indexchange
    WHERE dataset_id = %(dataset)s AND number <= %(batch)s AND id > %(after)s ORDER BY id LIMIT %(batch)s
  ) waiting) counted
WHERE before < %(batch)s ORDER BY id
"""
NOTE = """
INSERT INTO ingestion_indexchange (dataset_id, records, number) VALUES (%(dataset)s, %(records)s, %(number)s)
"""


@dataclass(frozen=True)
class Waiting:
    """`indexed_at`: every change that was stored before it can be found."""

    pending: int
    indexed_at: dt.datetime


@dataclass(frozen=True)
class Taken:
    """`records` are distinct and sorted; `notes` are what is dropped once they are applied."""

    notes: list[int]
    records: list[int]


def waiting(dataset: uuid.UUID) -> Waiting:
    found = IndexChange.objects.filter(dataset=dataset).aggregate(n=Sum("number"), since=Min("noted_at"))
    return Waiting(found["n"] or 0, found["since"] or database_now())


def take(dataset: uuid.UUID) -> Taken | None:
    """A batch of what waits, oldest first; None when nothing does. Taken again until it is dropped."""
    while staging.run(SPLIT, {"dataset": dataset, "batch": BATCH}):
        pass
    found = staging.rows(TAKE, {"dataset": dataset, "batch": BATCH, "after": 0})
    if not found:
        return None
    return Taken([row[0] for row in found], sorted({record for row in found for record in row[1]}))


def drop(taken: Taken) -> None:
    IndexChange.objects.filter(pk__in=taken.notes).delete()


def note(dataset: uuid.UUID, records: Collection[int]) -> None:
    """Have these records looked at again."""
    if records:
        params: dict[str, Any] = {"dataset": dataset, "records": sorted(records), "number": len(records)}
        staging.run(NOTE, params)


def records_waiting(dataset: uuid.UUID) -> set[int]:
    noted = IndexChange.objects.filter(dataset=dataset).values_list("records", flat=True)
    return {record for records in noted.iterator() for record in records}
