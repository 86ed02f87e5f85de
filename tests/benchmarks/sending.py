"""Files sent to datasets of the benchmarks, and the floor beside which their way to a verdict is measured."""

import csv
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import python_calamine
from django.db import transaction
from django.utils import timezone

from accounts.models import Organisation, User
from accounts.principals import Principal
from ingestion import merging, staging, uploads
from ingestion.checking.checker import Checker
from ingestion.models import Dataset, SchemaVersion, Upload
from ingestion.reading.reader import ReadOptions, open_reader
from ingestion.states import UploadState
from ingestion.steps.read_rows import Batch
from tests.benchmarks.make_workbook import SCHEMA

LONGEST_SECONDS = 900


def dataset(slug: str, schema: dict[str, Any] = SCHEMA) -> Dataset:
    owner, _ = Organisation.objects.get_or_create(slug="benchmarks", defaults={"title": "Benchmarks"})
    made = Dataset.objects.create(organisation=owner, slug=slug, title=slug)
    SchemaVersion.objects.create(dataset=made, number=1, schema=schema)
    return made


def sender() -> Principal:
    user, _ = User.objects.get_or_create(username="benchmark", defaults={"is_operator": True})
    return Principal(user)


def verdict(file: Path, into: Dataset) -> Upload:
    """Accept a file and wait for what the cluster makes of it."""
    with file.open("rb") as stream:
        accepted = uploads.accept(
            dataset=into, stream=stream, filename=file.name, by=sender(), idempotency_key=uuid.uuid4().hex
        )
    upload, deadline = accepted.upload, time.monotonic() + LONGEST_SECONDS
    while upload.finished_at is None:
        if upload.asked_at is not None or time.monotonic() > deadline:
            raise RuntimeError(f"no verdict: {upload.state} {upload.question}")
        time.sleep(0.05)
        upload.refresh_from_db()
    return upload


def seconds(upload: Upload) -> float:
    """By the database's clock, from the row's acceptance to its end."""
    assert upload.finished_at is not None
    return (upload.finished_at - upload.accepted_at).total_seconds()


def stored(upload: Upload, rows: int) -> Upload:
    if (upload.state, upload.inserted) != (UploadState.PROCESSED, rows):
        raise RuntimeError(f"{upload.state}: {upload.inserted} stored, {upload.failure_code}")
    return upload


def prepared_lines(file: Path) -> list[str]:
    """The rows as the pipeline stages them, made beforehand: the floor pays nothing for checking."""
    checker = Checker(SCHEMA, locale="en")
    lines: list[str] = []
    with file.open("rb") as opened, open_reader(opened, options=ReadOptions()) as reader:
        checker.match_header(reader.header.cells, row=reader.header.row)
        for frame in reader:
            lines += Batch.keyed(checker.check_batch(frame.rows))
    return lines


def calamine_rows(workbook: Path) -> int:
    return (
        len(python_calamine.CalamineWorkbook.from_path(str(workbook)).get_sheet_by_index(0).to_python()) - 1
    )


def csv_rows(file: Path) -> int:
    with file.open(encoding="utf-8", newline="") as text:
        return len(list(csv.reader(text))) - 1


def floor(file: Path, prepared: list[str], read: Callable[[Path], int]) -> float:
    """Read by the library, COPY of the prepared rows, and the same merge; in seconds."""
    target = dataset(f"floor-{uuid.uuid4().hex[:8]}")
    upload = Upload.objects.create(
        organisation=target.organisation, dataset=target, sequence=1, precedence=1,
        filename=file.name, size=1, kind="xlsx",
        sha256="0" * 64, storage_key="none", uploaded_by_label="benchmark", due_at=None,
        state=UploadState.CANCELLED, finished_at=timezone.now(),
    )  # fmt: skip
    begun = time.monotonic()
    found = read(file)
    staging.begin()
    for start in range(0, len(prepared), staging.COPY_ROWS):
        staging.add(prepared[start : start + staging.COPY_ROWS])
    staging.analyse()
    with transaction.atomic():
        merged = merging.merge(dataset_id=target.pk, upload_id=upload.pk)
    took = time.monotonic() - begun
    staging.empty()
    if found != len(prepared) or merged.inserted != len(prepared):
        raise RuntimeError(f"the floor read {found} and stored {merged}")
    return took
