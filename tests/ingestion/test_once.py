"""Once, whatever happens: older and newer uploads in any order, two workers at once, kills at every point."""

import os
import subprocess
import sys
import threading
import uuid

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from ingestion import kill_points, reports
from ingestion.models import Record, RowError, Upload, UploadKeys
from ingestion.pipeline import PIPELINE
from ingestion.report_pipeline import REPORTS
from ingestion.states import ReportState, UploadState
from tests.factories import DatasetFactory
from tests.ingestion.conftest import work_on
from work import leases, recovery, runner
from work.models import Attempt, Event, RefusedWrite, Worker
from work.pipelines import PIPELINES

pytestmark = pytest.mark.django_db(transaction=True)


def run(*uploads):
    """Let workers take these uploads in this order, whatever the queue says."""
    for upload in uploads:
        Upload.objects.filter(pk=upload.pk).update(due_at="2020-01-01T00:00Z")
        work_on(upload)


@pytest.fixture
def workers(db):
    """So many that the cap, all workers but one, lets several uploads run at once."""
    for number in range(4):
        Worker.objects.create(id=uuid.uuid4(), cluster=PIPELINES, label=f"worker {number}")


def records(dataset):
    return {record.data["id"]: record.data["amount"] for record in Record.objects.filter(dataset=dataset)}


def test_older_upload_that_comes_last_overwrites_nothing(accept, dataset):
    first, second, third = (accept(f"id,amount\nk,{value}\n") for value in (1, 2, 1))
    run(first, third, second)

    second.refresh_from_db()
    assert records(dataset) == {"k": 1}
    assert (second.state, second.valid, second.superseded) == (UploadState.PROCESSED, 1, 1)
    third.refresh_from_db()
    assert third.unchanged == 1


def test_key_refused_in_a_newer_file_is_not_brought_back_by_an_older_one(accept, dataset):
    older, newer = accept("id,amount\na,1\nb,2\n"), accept("id,amount\na,wrong\nc,3\n")
    run(newer, older)

    older.refresh_from_db()
    assert (older.superseded, older.inserted) == (1, 1)
    assert records(dataset) == {"b": 2, "c": 3}


def test_failed_upload_supersedes_nothing(accept, dataset):
    older, newer = accept("id,amount\na,1\n"), accept("id,amount\na,wrong\n")
    run(newer, older)

    assert records(dataset) == {"a": 1}
    assert UploadKeys.objects.get().upload == older


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)])
def test_records_are_the_same_in_every_order(accept, dataset, order):
    files = ["a,1\nb,1\n", "b,2\nc,2\n", "c,3\nd,3\na,3\n", "d,4\ne,4\n"]
    sent = [accept(f"id,amount\n{rows}") for rows in files]
    run(*(sent[number] for number in order))

    assert records(dataset) == {"a": 3, "b": 2, "c": 3, "d": 4, "e": 4}


def test_uploads_merged_at_once_neither_deadlock_nor_lose_a_row(accept, dataset, workers):
    rows = [f"{key},{{n}}" for key in range(400)]
    sent = [
        accept("id,amount\n" + "\n".join(row.format(n=number) for row in rows[:: 1 if number % 2 else -1]))
        for number in range(4)
    ]
    leased = [leases.claim_next(PIPELINE) for _ in sent[:3]]
    assert all(leased)

    def work(lease):
        try:
            runner.run(lease)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[lease]) for lease in leased]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while (lease := leases.claim_next(PIPELINE)) is not None:
        runner.run(lease)

    assert set(records(dataset).values()) == {3}
    assert {upload.state for upload in Upload.objects.all()} == {UploadState.PROCESSED}


def test_same_attempt_taken_over_stores_once_and_the_late_one_is_refused(accept, dataset):
    upload = accept("id,amount\na,1\nb,many\n")
    late = leases.claim_next(PIPELINE)
    Upload.objects.update(locked_until="2020-01-01T00:00Z")
    recovery.recover(PIPELINE)
    work_on(upload)
    runner.run(late)

    upload.refresh_from_db()
    assert (upload.state, upload.starts) == (UploadState.PARTIAL, 2)
    assert records(dataset) == {"a": 1}
    assert RefusedWrite.objects.filter(subject=upload.pk).count() == 1
    assert RowError.objects.filter(upload=upload, run=upload.run).count() == 1
    assert Event.objects.filter(type="upload.partial").count() == 1


def test_upload_withdrawn_while_it_runs_stores_nothing(accept, dataset, by):
    from ingestion import uploads

    upload = accept("id,amount\na,1\n")
    lease = leases.claim_next(PIPELINE)
    uploads.withdraw(upload=upload, by=by)
    runner.run(lease)

    assert Upload.objects.get().state == UploadState.CANCELLED
    assert records(dataset) == {}
    assert not Event.objects.filter(type="upload.processed").exists()


def test_schema_changed_while_it_runs_is_checked_again(accept, dataset, by, monkeypatch):
    from ingestion import datasets
    from ingestion.steps import store_records

    upload = accept("id,amount\na,1\nb,-2\n")
    changed = []

    def change_first(name):
        if name == kill_points.STORE_BEFORE and not changed:
            schema = dataset.schema_versions.get().schema
            schema["fields"][1]["constraints"] = {"minimum": 0}
            changed.append(datasets.change_schema(dataset=dataset, schema=schema, if_match=1, by=by))

    monkeypatch.setattr(store_records.crash, "point", change_first)
    work_on(upload)
    verdict = work_on(upload)

    assert (verdict.state, verdict.schema_version, verdict.postponed) == (UploadState.PARTIAL, 2, 1)
    assert records(dataset) == {"a": 1}


UNIQUE = {
    "fields": [{"name": "id"}, {"name": "amount", "type": "integer", "constraints": {"unique": True}}],
    "primaryKey": "id",
}


def test_value_taken_while_it_runs_is_found_before_it_is_stored(accept, workers, monkeypatch):
    from ingestion.steps import store_records

    dataset = DatasetFactory(schema=UNIQUE)
    mine, theirs = accept("id,amount\na,1\nb,2\n", into=dataset), accept("id,amount\nz,1\n", into=dataset)
    came = []

    def let_the_other_in(name):
        if name == kill_points.STORE_BEFORE and not came:
            came.append(name)
            other = threading.Thread(target=run_other)
            other.start()
            other.join()

    def run_other():
        try:
            runner.run(leases.claim_next(PIPELINE))
        finally:
            connection.close()

    monkeypatch.setattr(store_records.crash, "point", let_the_other_in)
    lease = leases.claim_next(PIPELINE)
    runner.run(lease)

    mine.refresh_from_db()
    theirs.refresh_from_db()
    assert (theirs.state, mine.state, mine.refused) == (UploadState.PROCESSED, UploadState.PARTIAL, 1)
    assert records(dataset) == {"z": 1, "b": 2}


WORKER = """
import django
django.setup()
from ingestion.{module} import {pipeline} as pipeline
from work import leases, runner
runner.run(leases.claim_next(pipeline))
"""


def killed_at(point, settings, tmp_path, *, module="pipeline", pipeline="PIPELINE"):
    """One worker process that dies by SIGKILL at the point; what its lease leaves is then recovered."""
    database = connection.settings_dict
    address = make_conninfo(
        dbname=database["NAME"], user=database["USER"], password=database["PASSWORD"], host=database["HOST"],
        port=database["PORT"],
    )  # fmt: skip
    (tmp_path / "kills").mkdir(exist_ok=True)
    environment = {
        **os.environ, "DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "tests.settings",
        "WAYBILL_KILL": point, "WAYBILL_KILL_DIR": str(tmp_path / "kills"),
        "VAR_DIR": str(settings.FILES_DIR.parent),
    }  # fmt: skip
    command = [sys.executable, "-c", WORKER.format(module=module, pipeline=pipeline)]
    died = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, check=False)
    assert died.returncode == -9, f"{point} was never passed"


@pytest.mark.slow
@pytest.mark.parametrize("point", kill_points.UPLOAD_POINTS)
def test_worker_killed_at_each_point_changes_nothing_of_the_outcome(
    accept, dataset, settings, tmp_path, point
):
    upload = accept("id,amount\na,1\nb,many\nc,3\na,1\nd,4\nd,5\n")

    killed_at(point, settings, tmp_path)
    Upload.objects.unfinished().update(locked_until="2020-01-01T00:00Z")
    recovery.recover(PIPELINE)
    if Upload.objects.unfinished().exists():
        work_on(upload)

    upload.refresh_from_db()
    assert upload.state == UploadState.PARTIAL
    assert (upload.rows_read, upload.valid, upload.refused, upload.inserted, upload.unchanged) == (
        6,
        3,
        3,
        2,
        1,
    )
    assert records(dataset) == {"a": 1, "c": 3}
    assert RowError.objects.filter(upload=upload, run=upload.run).count() == 3
    assert Event.objects.filter(type="upload.partial").count() == 1
    assert not Attempt.objects.filter(ended_at=None).exists()


@pytest.mark.slow
@pytest.mark.parametrize("point", kill_points.REPORT_POINTS)
def test_report_worker_killed_anywhere_leaves_one_report(process, by, settings, tmp_path, point):
    upload = process("id,amount\na,1\nb,many\n")
    report = reports.request(upload=upload, kind="xlsx", by=by)

    killed_at(point, settings, tmp_path, module="report_pipeline", pipeline="REPORTS")
    type(report).objects.unfinished().update(locked_until="2020-01-01T00:00Z")
    recovery.recover(REPORTS)
    if (lease := leases.claim_next(REPORTS)) is not None:
        runner.run(lease)

    report.refresh_from_db()
    assert report.state == ReportState.BUILT
    assert Event.objects.filter(type="report.built").count() == 1
