"""Records as documents of the index, read as they stand now."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from ingestion.models import Record
from ingestion.search.protocol import LAST_VERSION, Document

COLUMNS = ("id", "version", "retired_at", "data")
# The same in SQL, of a record that is in use.
VERSION_SQL = "version * 2"


def of(dataset: uuid.UUID, ids: Sequence[int]) -> list[Document]:
    """One for each id: a tombstone for a record that is retired, one for good for a record that is gone."""
    found = {row[0]: row for row in _rows(Record.objects.filter(dataset=dataset, pk__in=ids))}
    return [_document(found[id]) if id in found else Document(id, LAST_VERSION, None) for id in ids]


def after(dataset: uuid.UUID, key: str | None, *, limit: int) -> tuple[list[Document], str | None]:
    """The next records in the order of their keys, retired ones too, and the last of these keys."""
    records = Record.objects.filter(dataset=dataset)
    if key is not None:
        records = records.filter(key__gt=key)
    rows = list(records.order_by("key").values_list("key", *COLUMNS)[:limit])
    return [_document(row[1:]) for row in rows], rows[-1][0] if rows else None


def version(number: int, *, is_retired: bool) -> int:
    """A retired record keeps its number: its tombstone must count as newer than the values it had."""
    return number * 2 + is_retired


def _rows(records: QuerySet[Record]) -> Iterable[Any]:
    return records.values_list(*COLUMNS)


def _document(row: Sequence[Any]) -> Document:
    id, number, retired_at, data = row
    is_retired = retired_at is not None
    return Document(id, version(number, is_retired=is_retired), None if is_retired else data)
