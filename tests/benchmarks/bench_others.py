"""Beside what others would write: openpyxl, the same checks and bulk_create; and frictionless, which only
validates. Over the same workbook, each once, since they take their time.
"""

import datetime as dt
import itertools
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import frictionless
import openpyxl
from django.conf import settings
from django.utils import timezone

from ingestion.checking.checker import Checker
from ingestion.models import Dataset, Record, Upload
from ingestion.reading.cells import DATE, DATETIME, MARK, WireCell, text
from ingestion.states import UploadState
from tests.benchmarks.cluster import running_cluster
from tests.benchmarks.lines import Line
from tests.benchmarks.make_workbook import ROWS, SCHEMA, make_workbook
from tests.benchmarks.sending import dataset, seconds, stored, verdict

ROUNDS = 3
BATCH = 1_000
FASTER_THAN_ORM = 4.0
FASTER_THAN_FRICTIONLESS = 3.0


def run() -> list[Line]:
    workbook = make_workbook(settings.VAR_DIR / "benchmarks")
    with running_cluster():
        slug = f"others-{uuid.uuid4().hex[:8]}"
        ours = sorted(
            seconds(stored(verdict(workbook, dataset(f"{slug}-{number}")), ROWS)) for number in range(ROUNDS)
        )[ROUNDS // 2]
    return [
        line("openpyxl + the same checks + bulk_create", by_orm(workbook), ours, FASTER_THAN_ORM),
        line("frictionless, validating only", by_frictionless(workbook), ours, FASTER_THAN_FRICTIONLESS),
    ]


def line(what: str, theirs: float, ours: float, wanted: float) -> Line:
    return Line(
        what=f"300,000 x 12 xlsx, accepted to verdict, beside {what}",
        measured=f"{theirs / ours:.1f} times faster, {ours:.1f} s",
        baseline=f"{what}: {theirs:.1f} s",
        bar=f"at least {wanted:.0f} times faster",
        holds=theirs / ours >= wanted,
    )


def by_orm(workbook: Path) -> float:
    target = dataset(f"orm-{uuid.uuid4().hex[:8]}")
    upload = Upload.objects.create(
        organisation=target.organisation, dataset=target, sequence=1, precedence=1, filename="x", size=1,
        kind="xlsx", sha256="0" * 64, storage_key="none", uploaded_by_label="benchmark", due_at=None,
        state=UploadState.CANCELLED, finished_at=timezone.now(),
    )  # fmt: skip
    begun = time.monotonic()
    records = checked_records(workbook, target, upload)
    while batch := list(itertools.islice(records, BATCH)):
        Record.objects.bulk_create(
            batch, update_conflicts=True, unique_fields=["dataset", "key"],
            update_fields=["data", "digest", "upload"],
        )  # fmt: skip
    took = time.monotonic() - begun
    if Record.objects.filter(dataset=target).count() != ROWS:
        raise RuntimeError("not every row was stored")
    return took


def checked_records(workbook: Path, target: Dataset, upload: Upload) -> Iterator[Record]:
    book = openpyxl.load_workbook(workbook, read_only=True)
    rows = book.worksheets[0].iter_rows(values_only=True)
    checker = Checker(SCHEMA, locale="en")
    checker.match_header([wire(value) for value in next(rows)], row=1)
    numbered = enumerate(rows, start=2)
    while batch := list(itertools.islice(numbered, BATCH)):
        for row in checker.check_batch([[number, list(map(wire, cells))] for number, cells in batch]):
            if row.errors or row.key is None:
                raise RuntimeError(f"row {row.row} was refused: {row.errors}")
            yield Record(dataset=target, key=row.key, data=row.data, digest=row.digest, upload=upload)


def wire(value: Any) -> WireCell:
    """A value of openpyxl as the checks take it."""
    if isinstance(value, bool):
        return f"{MARK}b{int(value)}"
    if isinstance(value, dt.datetime):
        kind = DATETIME if value.time() != dt.time() else DATE
        return f"{MARK}d{value.isoformat() if kind == DATETIME else value.date().isoformat()}{MARK}{kind}"
    return text(value) if isinstance(value, str) else value


def by_frictionless(workbook: Path) -> float:
    begun = time.monotonic()
    schema = frictionless.Schema.from_descriptor(SCHEMA)
    resource = frictionless.Resource(
        path=workbook.name, basepath=str(workbook.parent), schema=schema, format="xlsx"
    )
    report = resource.validate()
    if report.stats["errors"] > ROWS:
        raise RuntimeError(str(report.flatten(["message"])[:3]))
    return time.monotonic() - begun
