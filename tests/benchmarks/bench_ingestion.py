"""A workbook of 300,000 x 12 from accepted to its verdict, by a real cluster, beside the floor: calamine
reads it,
COPY brings the same prepared rows into the same staging table, and the same merge stores them.

Memory is the summed proportional set size (PSS) of the cluster and its reader child, looked at 20 times a
second.
"""

import contextlib
import os
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil
import python_calamine
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Organisation, User
from accounts.principals import Principal
from ingestion import merging, staging, uploads
from ingestion.checking.checker import Checker
from ingestion.checking.keys import key_hash
from ingestion.models import Dataset, SchemaVersion, Upload
from ingestion.reading.reader import ReadOptions, open_reader
from ingestion.states import UploadState
from tests.benchmarks.lines import Line
from tests.benchmarks.make_workbook import ROWS, SCHEMA, make_workbook
from work.models import Worker

ROUNDS = 3
WANTED_RATIO = 2.5
WANTED_MIB = 450
MIB = 1 << 20
ROOT = Path(__file__).resolve().parents[2]


def run() -> list[Line]:
    workbook = make_workbook(settings.VAR_DIR / "benchmarks")
    prepared = prepared_lines(workbook)
    floors, times, peaks, idle = [], [], [], 0.0
    with running_cluster() as cluster, watched(cluster) as memory:
        idle = memory.now()
        for number in range(ROUNDS):
            floors.append(floor(workbook, prepared))
            memory.peak = 0.0
            times.append(accepted_to_verdict(workbook, f"rows-{number}"))
            peaks.append(memory.peak)
    ratios = [ours / bare for ours, bare in zip(times, floors, strict=True)]
    ratio = statistics.median(ratios)
    peak = max(peaks) / MIB
    between = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return [
        Line(
            what="300,000 x 12 xlsx, accepted to verdict",
            measured=f"{ratio:.2f} x ({between}), {statistics.median(times):.1f} s",
            baseline=f"calamine + COPY + merge: {statistics.median(floors):.1f} s",
            bar=f"at most {WANTED_RATIO} x",
            holds=ratio <= WANTED_RATIO,
        ),
        Line(
            what="peak PSS of qcluster and reader child",
            measured=f"{peak:.0f} MiB",
            baseline=f"idle cluster: {idle / MIB:.0f} MiB",
            bar=f"at most {WANTED_MIB} MiB",
            holds=peak <= WANTED_MIB,
        ),
    ]


def dataset(slug: str) -> Dataset:
    owner, _ = Organisation.objects.get_or_create(slug="benchmarks", defaults={"title": "Benchmarks"})
    made = Dataset.objects.create(organisation=owner, slug=slug, title=slug)
    SchemaVersion.objects.create(dataset=made, number=1, schema=SCHEMA)
    return made


def prepared_lines(workbook: Path) -> list[str]:
    """The rows as the pipeline stages them, made beforehand: the floor pays nothing for checking."""
    checker, lines = Checker(SCHEMA, locale="en"), []
    with workbook.open("rb") as file, open_reader(file, options=ReadOptions()) as reader:
        checker.match_header(reader.header.cells, row=reader.header.row)
        for frame in reader:
            lines += [
                f"{row.row}\t{row.key}\t{key_hash(row.key or '')}\t{row.json}\t\\x{row.digest.hex()}\t\t\tf"
                for row in checker.check_batch(frame.rows)
            ]
    if len(lines) != ROWS:
        raise RuntimeError(f"the workbook gave {len(lines)} rows")
    return lines


def floor(workbook: Path, prepared: list[str]) -> float:
    target = dataset(f"floor-{uuid.uuid4().hex[:8]}")
    upload = Upload.objects.create(
        organisation=target.organisation, dataset=target, sequence=1, precedence=1,
        filename=workbook.name, size=1, kind="xlsx",
        sha256="0" * 64, storage_key="none", uploaded_by_label="benchmark", due_at=None,
        state=UploadState.CANCELLED, finished_at=timezone.now(),
    )  # fmt: skip
    begun = time.monotonic()
    rows = python_calamine.CalamineWorkbook.from_path(str(workbook)).get_sheet_by_index(0).to_python()
    read = len(rows) - 1
    staging.begin()
    for start in range(0, len(prepared), staging.COPY_ROWS):
        staging.add(prepared[start : start + staging.COPY_ROWS])
    staging.analyse()
    with transaction.atomic():
        merged = merging.merge(dataset_id=target.pk, upload_id=upload.pk)
    took = time.monotonic() - begun
    del rows
    staging.empty()
    if (read, merged.inserted) != (ROWS, ROWS):
        raise RuntimeError(f"the floor read {read} and stored {merged}")
    return took


def accepted_to_verdict(workbook: Path, slug: str) -> float:
    """By the database's clock, from the row's acceptance to its end."""
    user, _ = User.objects.get_or_create(username="benchmark", defaults={"is_operator": True})
    with workbook.open("rb") as stream:
        accepted = uploads.accept(
            dataset=dataset(slug), stream=stream, filename=workbook.name, by=Principal(user),
            idempotency_key=uuid.uuid4().hex,
        )  # fmt: skip
    deadline = time.monotonic() + 300
    upload = accepted.upload
    while upload.finished_at is None:
        if time.monotonic() > deadline:
            raise RuntimeError(f"no verdict after 300 s: {upload.state}")
        time.sleep(0.05)
        upload.refresh_from_db()
    if (upload.state, upload.inserted) != (UploadState.PROCESSED, ROWS):
        raise RuntimeError(f"{upload.state}: {upload.inserted} stored, {upload.failure_code}")
    return (upload.finished_at - upload.accepted_at).total_seconds()


@contextlib.contextmanager
def running_cluster() -> Iterator[psutil.Process]:
    """`manage.py qcluster` for the pipelines, as production runs it."""
    connection.close()
    environment = {**os.environ, "Q_CLUSTER_NAME": "pipelines", "LOG_LEVEL": "WARNING"}
    log = (settings.VAR_DIR / "benchmarks" / "cluster.log").open("ab")
    command = [sys.executable, "manage.py", "qcluster"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while Worker.objects.filter(cluster="pipelines", stopped_at=None).count() < settings.PIPELINE_WORKERS:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the cluster did not start: see {log.name}")
            time.sleep(0.1)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)
        log.close()


class Memory:
    def __init__(self, parent: psutil.Process) -> None:
        self.parent, self.peak = parent, 0.0
        self.stopped = threading.Event()

    def now(self) -> float:
        total = 0.0
        for process in [self.parent, *self.parent.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                total += process.memory_full_info().pss
        return total

    def watch(self) -> None:
        while not self.stopped.wait(0.05):
            self.peak = max(self.peak, self.now())


@contextlib.contextmanager
def watched(parent: psutil.Process) -> Iterator[Memory]:
    memory = Memory(parent)
    thread = threading.Thread(target=memory.watch, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        memory.stopped.set()
        thread.join()
