"""The shell: `manage.py ingest`."""

import datetime as dt
import json
import threading
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.functions import Now

from ingestion.models import Upload
from ingestion.pipeline import PIPELINE
from tests.factories import DatasetFactory
from work import leases, runner


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "stations.csv"
    path.write_text("id,amount\na,1\nb,many\n")
    return path


@pytest.fixture
def stations(db):
    return DatasetFactory(organisation__slug="north", slug="stations")


def ingest(file, *more, organisation="north", dataset="stations"):
    out = StringIO()
    call_command(
        "ingest", str(file), *more, organisation=organisation, dataset=dataset, stdout=out, skip_checks=True
    )
    return out.getvalue()


def a_worker():
    """One turn of a worker, as soon as there is something to do."""

    def work():
        try:
            while (lease := leases.claim_next(PIPELINE)) is None:
                pass
            runner.run(lease)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.mark.django_db
def test_accepted_is_not_called_done(file, stations):
    said = ingest(file)

    upload = Upload.objects.get()
    assert said == f"stations.csv was accepted as {upload.pk}. It is not processed yet.\n"
    assert (upload.uploaded_by, upload.uploaded_by_label.endswith("in the shell")) == (None, True)
    assert upload.correlation_id


@pytest.mark.django_db(transaction=True)
def test_wait_ends_with_the_verdict_as_the_api_tells_it(file, stations):
    worker = a_worker()

    body = json.loads(ingest(file, "--wait", "--json"))

    worker.join()
    assert (body["status"], body["counts"]["valid"], body["counts"]["refused"]) == ("partial", 1, 1)


@pytest.mark.django_db(transaction=True)
def test_wait_exits_with_1_when_nothing_was_stored(file, stations):
    file.write_text("amount\n1\n")
    worker = a_worker()

    with pytest.raises(SystemExit) as left:
        ingest(file, "--wait")

    worker.join()
    assert left.value.code == 1


@pytest.mark.django_db(transaction=True)
def test_wait_ends_when_a_person_must_answer(file, stations):
    file.write_text("name,amount\nx,1\n")
    worker = a_worker()

    with pytest.raises(SystemExit) as left:
        ingest(file, "--wait")

    worker.join()
    assert left.value.code == 1
    assert Upload.objects.get().question == "which_columns"


@pytest.mark.django_db
def test_wait_gives_up_and_says_that_the_work_goes_on(file, stations):
    with pytest.raises(CommandError, match="goes on"):
        ingest(file, "--wait", "--timeout", "0")


@pytest.mark.django_db
def test_key_makes_a_repeated_call_harmless(file, stations):
    ingest(file, "--key", "nightly-1")
    ingest(file, "--key", "nightly-1")

    assert Upload.objects.count() == 1


@pytest.mark.django_db
def test_unknown_dataset_and_refused_file_are_said(file, stations):
    with pytest.raises(CommandError, match="no dataset nothing"):
        ingest(file, dataset="nothing")
    file.write_bytes(b"%PDF-1.7\n")
    with pytest.raises(CommandError, match="PDF document"):
        ingest(file)


@pytest.mark.django_db(transaction=True)
def test_wait_survives_a_database_that_ends_its_connections(file, stations):
    def cut_then_work(pid):
        while not Upload.objects.filter(accepted_at__lt=Now() - dt.timedelta(seconds=0.3)).exists():
            pass  # until its doorbell has rung too
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
        connection.close()
        a_worker().join()

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        cutting = threading.Thread(target=cut_then_work, args=cursor.fetchone())
    cutting.start()

    body = json.loads(ingest(file, "--wait", "--json"))

    cutting.join()
    assert body["status"] == "partial"
