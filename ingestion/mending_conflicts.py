"""Which of the rows that are about to be sent a newer upload has written meanwhile, with both values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ingestion import mending, mending_columns
from ingestion.checking.checker import CheckedRow, Checker
from ingestion.mending_file import origin_of
from ingestion.models import Record, RowError, Upload
from ingestion.reading.cells import text

BATCH = 1_000


@dataclass(frozen=True)
class Conflict:
    """`fields` are (name, theirs, mine) where the two differ."""

    row: int
    key: str
    record: Record
    fields: list[tuple[str, str, str]]


def find(upload: Upload, rows: Mapping[RowError, list[str]]) -> list[Conflict]:
    """Rows whose record was changed by an upload that came after this one. A row that says the same as the
    record is no conflict, and one whose key cannot be read has no record yet."""
    checker = Checker(upload.dataset.schema_versions.latest("number").schema, locale=upload.dataset.locale)
    cells = [text(heading) for heading in upload.headers]
    mapping, _ = mending_columns.inherited(upload, cells)
    header = checker.match_header(cells, mapping=mapping, confirmed=True)
    if header.failure is not None:
        return []
    checked = _checked(checker, rows)
    keys = {_key(upload, checker, row, checked.get(row.row)): row for row in rows}
    keys.pop(None, None)
    found = []
    for record in _newer(upload, [key for key in keys if key]):
        row = keys[record.key]
        fields = _differing(checker, record, checked.get(row.row), rows[row])
        if fields:
            found.append(Conflict(row.row, record.key, record, fields))
    return sorted(found, key=lambda conflict: conflict.row)


def _checked(checker: Checker, rows: Mapping[RowError, list[str]]) -> dict[int, CheckedRow]:
    wire = [[row.row, [text(cell) for cell in cells]] for row, cells in rows.items()]
    batches = (checker.check_batch(wire[at : at + BATCH]) for at in range(0, len(wire), BATCH))
    return {row.row: row for batch in batches for row in batch}


def _key(upload: Upload, checker: Checker, row: RowError, checked: CheckedRow | None) -> str | None:
    if checker.primary_key:
        return checked.key if checked else None
    origin = origin_of(upload, row)
    return None if origin is None else mending.row_key(upload.story or upload, origin)


def _newer(upload: Upload, keys: list[str]) -> list[Record]:
    found: list[Record] = []
    for at in range(0, len(keys), BATCH):
        records = Record.objects.filter(dataset=upload.dataset_id, key__in=keys[at : at + BATCH])
        found += records.filter(upload__precedence__gt=upload.precedence).select_related("upload")
    return found


def _differing(
    checker: Checker, record: Record, checked: CheckedRow | None, cells: list[str]
) -> list[tuple[str, str, str]]:
    """Of a row that is still refused: its texts."""
    mine: dict[str, Any] = (checked.data if checked else None) or {
        column.name: cells[place] for place, column in checker.placed if 0 <= place < len(cells)
    }
    names = [column.name for column in checker.columns]
    return [
        (name, _shown(record.data.get(name)), _shown(mine.get(name)))
        for name in names
        if record.data.get(name) != mine.get(name)
    ]


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
