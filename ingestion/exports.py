"""The records of a dataset as files, all of one snapshot: what other parts read of ingestion.

PostgreSQL writes the lines, by COPY, and they pass through in blocks: memory does not grow with the records.
Only the fields of the current schema are told; records that were stored under an earlier one have no more.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from psycopg import sql

from ingestion import exports_sql
from ingestion.copying import translated
from ingestion.models import Dataset, Record, SchemaVersion

SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
LINES_A_BLOCK = 1_000
Watch = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Exported:
    """`size` in bytes, `sha256` in lower-case hex; `records` as they were counted on the way."""

    format: str
    path: Path
    size: int
    sha256: str
    records: int


@dataclass(frozen=True)
class Export:
    """`version` is the dataset's, as it was in the snapshot."""

    files: Sequence[Exported]
    version: int


def export(dataset: uuid.UUID, *, folder: Path, watch: Watch) -> Export:
    """Write `records.csv`, `.jsonl`, `.json` and `.xml` into the folder. `watch(done, total, unit)` is told
    how many lines of all are written, and may raise to stop.

    The one transaction that lives as long as its work, since all files must show one snapshot. It is
    read-only, and no writer waits for it. Raises Dataset.DoesNotExist; TemporaryFailure
    `database_unavailable`.
    """
    with transaction.atomic(durable=True), translated():
        with connection.cursor() as cursor:
            cursor.execute(SNAPSHOT)
        found = Dataset.objects.get(pk=dataset)
        schemas = SchemaVersion.objects.filter(dataset=found).order_by("number")
        statements = exports_sql.statements(found.pk, [version.schema for version in schemas])
        told = _Told(watch, 3 * Record.objects.filter(dataset=found, retired_at=None).count())
        files = [
            *_written(statements.csv, [_File(folder, "csv")], told, header_lines=1),
            *_written(statements.json, [_File(folder, "jsonl"), _JsonArray(folder, "json")], told),
            *_written(statements.xml, [_Xml(folder, "xml")], told),
        ]
    return Export(files, found.version)


class _Told:
    """How many lines are written, over all files."""

    def __init__(self, watch: Watch, total: int) -> None:
        self.watch, self.total, self.done = watch, total, 0

    def more(self, lines: int) -> None:
        self.done += lines
        self.watch(min(self.done, self.total), self.total, "lines")


class _File:
    """A file that is hashed while it is written. `lines` end with a line end each."""

    head, foot = b"", b""

    def __init__(self, folder: Path, format_name: str) -> None:
        self.format = format_name
        self.path = folder / f"records.{format_name}"
        self.file = self.path.open("wb")
        self.digest, self.size = hashlib.sha256(), 0
        self.write(self.head)

    def lines(self, block: bytes) -> None:
        self.write(block)

    def write(self, block: bytes) -> None:
        self.digest.update(block)
        self.file.write(block)
        self.size += len(block)

    def end(self, records: int) -> Exported:
        self.write(self.foot)
        self.file.close()
        return Exported(self.format, self.path, self.size, self.digest.hexdigest(), records)


class _JsonArray(_File):
    """The lines of JSON, with commas between them: within a line there is no raw line end."""

    head, foot = b"[\n", b"\n]\n"
    is_first = True

    def lines(self, block: bytes) -> None:
        self.write((b"" if self.is_first else b",\n") + block[:-1].replace(b"\n", b",\n"))
        self.is_first = False


class _Xml(_File):
    head, foot = b'<?xml version="1.0" encoding="UTF-8"?>\n<records>\n', b"</records>\n"


def _written(
    statement: sql.Composed, files: Sequence[_File], told: _Told, *, header_lines: int = 0
) -> list[Exported]:
    records = -header_lines
    for number, block in _blocks(statement):
        for file in files:
            file.lines(block)
        records += number
        told.more(number)
    return [file.end(records) for file in files]


def _blocks(statement: sql.Composed) -> Iterator[tuple[int, bytes]]:
    """Lines in blocks, each with their number."""
    block: list[Any] = []
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for line in copy:
            block.append(bytes(line))
            if len(block) == LINES_A_BLOCK:
                yield len(block), b"".join(block)
                block = []
    if block:
        yield len(block), b"".join(block)
