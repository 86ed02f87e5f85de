"""Spreadsheets from accepted to their verdict, by a real cluster, each beside its floor of the same run.

The floor of a workbook is calamine, of a CSV file the csv module: read, COPY of the same prepared rows, the
same merge.
"""

import statistics
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from ingestion.models import Dataset
from tests.benchmarks.cluster import MIB, Memory, running_cluster, watched
from tests.benchmarks.lines import Line
from tests.benchmarks.make_workbook import ROWS, SCHEMA, make_csv, make_workbook
from tests.benchmarks.sending import (
    calamine_rows,
    csv_rows,
    dataset,
    floor,
    prepared_lines,
    seconds,
    stored,
    verdict,
)  # fmt: skip

ROUNDS = 3
WANTED_RATIO = 2.0
WANTED_ALL_WRONG = 3.0
WANTED_MIB = 450
WANTED_MIB_FULL_SHEET = 550
FULL_SHEET_ROWS = 1_048_575  # and the header
# The same cells as in the clean file, and every one of them wrong.
ALL_WRONG = {
    "fields": [
        {"name": "record_id", "type": "string", "constraints": {"pattern": "X[0-9]{8}"}},
        {"name": "parent_id", "type": "string", "constraints": {"pattern": "X[0-9]{8}"}},
        {"name": "quantity", "type": "integer", "constraints": {"minimum": 1_000_000}},
        {"name": "price", "type": "number", "constraints": {"minimum": 1_000_000}},
        {"name": "ratio", "type": "number", "constraints": {"minimum": 2}},
        {"name": "opened", "type": "date", "constraints": {"maximum": "2000-01-01"}},
        {"name": "changed_at", "type": "datetime", "constraints": {"maximum": "2000-01-01T00:00:00"}},
        {"name": "active", "type": "integer"},
        {"name": "email", "type": "integer"},
        {"name": "name", "type": "date"},
        {"name": "status", "type": "string", "constraints": {"enum": ["none of them"]}},
        {"name": "note", "type": "string", "constraints": {"maxLength": 1}},
    ],
}
RECORDS_AS_THEY_LIE = """
SELECT count(*), md5(string_agg(ctid::text || xmin::text, ',' ORDER BY id)) FROM ingestion_record
WHERE dataset_id = %s
"""


def run() -> list[Line]:
    folder = settings.VAR_DIR / "benchmarks"
    workbook, text = make_workbook(folder), make_csv(folder)
    with running_cluster() as cluster, watched(cluster) as memory:
        idle = memory.now()
        xlsx, clean, peak = beside_floor("xlsx", workbook, calamine_rows, memory)
        delimited, _, _ = beside_floor("CSV", text, csv_rows, memory)
        return [
            xlsx,
            delimited,
            memory_line("300,000 rows", peak, idle, WANTED_MIB),
            unchanged(workbook),
            all_wrong(workbook, clean),
            full_sheet(folder, memory, idle),
        ]


def beside_floor(
    kind: str, file: Path, read: Callable[[Path], int], memory: Memory
) -> tuple[Line, float, float]:
    """The line, the median seconds, and the highest memory on the way."""
    prepared = prepared_lines(file)
    floors, times = [], []
    memory.peak = peak = 0.0
    for _ in range(ROUNDS):
        floors.append(floor(file, prepared, read))
        memory.peak = 0.0
        times.append(seconds(stored(verdict(file, dataset(f"rows-{uuid.uuid4().hex[:8]}")), ROWS)))
        peak = max(peak, memory.peak)
    ratios = [ours / bare for ours, bare in zip(times, floors, strict=True)]
    ratio, taken = statistics.median(ratios), statistics.median(times)
    reader = {"xlsx": "calamine", "CSV": "csv module"}[kind]
    made = Line(
        what=f"300,000 x 12 {kind}, accepted to verdict",
        measured=f"{ratio:.2f} x ({min(ratios):.2f} to {max(ratios):.2f}), {taken:.1f} s",
        baseline=f"{reader} + COPY + merge: {statistics.median(floors):.1f} s",
        bar=f"at most {WANTED_RATIO} x",
        holds=ratio <= WANTED_RATIO,
    )
    return made, taken, peak


def memory_line(what: str, peak: float, idle: float, wanted: int) -> Line:
    return Line(
        what=f"peak PSS of qcluster and reader child, {what}",
        measured=f"{peak / MIB:.0f} MiB",
        baseline=f"idle cluster: {idle / MIB:.0f} MiB",
        bar=f"at most {wanted} MiB",
        holds=peak <= wanted * MIB,
    )


def unchanged(workbook: Path) -> Line:
    """The same file again: not one row of the records may be written."""
    target = dataset(f"unchanged-{uuid.uuid4().hex[:8]}")
    first = stored(verdict(workbook, target), ROWS)
    before = as_they_lie(target)
    again = verdict(workbook, target)
    written = (again.unchanged, as_they_lie(target)) != (ROWS, before)
    return Line(
        what="the same file again",
        measured=f"{'records were written' if written else 'no record written'}, {seconds(again):.1f} s",
        baseline=f"the first time: {seconds(first):.1f} s",
        bar="writes no record row",
        holds=not written,
    )


def as_they_lie(target: Dataset) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(RECORDS_AS_THEY_LIE, [target.pk])
        return cursor.fetchone()


def all_wrong(workbook: Path, clean: float) -> Line:
    upload = verdict(workbook, dataset(f"wrong-{uuid.uuid4().hex[:8]}", ALL_WRONG))
    if upload.error_count != ROWS * len(SCHEMA["fields"]):
        raise RuntimeError(f"{upload.error_count} errors in {upload.refused} rows: {upload.failure_code}")
    ratio = seconds(upload) / clean
    return Line(
        what="all cells wrong (3.6 million errors)",
        measured=f"{ratio:.2f} x, {seconds(upload):.1f} s",
        baseline=f"the clean file: {clean:.1f} s",
        bar=f"at most {WANTED_ALL_WRONG} x",
        holds=ratio <= WANTED_ALL_WRONG,
    )


def full_sheet(folder: Path, memory: Memory, idle: float) -> Line:
    """As many rows as a sheet can hold."""
    workbook = make_workbook(folder, rows=FULL_SHEET_ROWS)
    memory.peak = 0.0
    stored(verdict(workbook, dataset(f"full-{uuid.uuid4().hex[:8]}")), FULL_SHEET_ROWS)
    return memory_line("1,048,576 rows", memory.peak, idle, WANTED_MIB_FULL_SHEET)
