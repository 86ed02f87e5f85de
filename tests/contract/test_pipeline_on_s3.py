"""The product on S3: accepted, processed, reported, downloaded; and with the store away at each of these."""

import io
import urllib.request

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client

from accounts.principals import Principal
from ingestion import reports, uploads
from ingestion.models import Report, Upload
from ingestion.pipeline import PIPELINE
from ingestion.report_pipeline import REPORTS
from tests.contract.s3_server import refuses
from tests.factories import DatasetFactory, MembershipFactory
from work import failure_texts, invariants, leases, runner, storage
from work.models import Attempt, Event, IdempotencyKey, Outcome

pytestmark = pytest.mark.django_db(transaction=True)

FILE = b"id,amount\na,1\nb,many\n"
METHODS = ("GET", "HEAD", "PUT", "POST")


@pytest.fixture(autouse=True)
def bucket(settings, way, s3):
    settings.S3_BUCKET, settings.S3_ENDPOINT_URL, settings.S3_REGION = "waybill", way.address, "us-east-1"
    storage.files.cache_clear()
    yield
    storage.files().client.close()
    storage.files.cache_clear()


@pytest.fixture
def away(way):
    """The store refuses everything until the test says that it is back."""
    way.faults += [(method, refuses(400, "RequestTimeout"), 1000) for method in METHODS]
    return way


@pytest.fixture
def manager():
    return MembershipFactory(organisation__slug="north", role="manager").user


@pytest.fixture
def dataset(manager):
    return DatasetFactory(organisation=manager.organisations.get(), slug="stations")


@pytest.fixture
def browser(manager):
    client = Client(raise_request_exception=False)
    client.force_login(manager)
    return client


@pytest.fixture
def accept(dataset, manager):
    def accept(content=FILE):
        accepted = uploads.accept(
            dataset=dataset, stream=io.BytesIO(content), filename="stations.csv", by=Principal(manager)
        )
        return accepted.upload

    return accept


def work(pipeline):
    lease = leases.claim_next(pipeline)
    runner.run(lease)
    return lease


def test_file_is_processed_and_its_report_comes_from_the_bucket(accept, browser):
    upload = accept()
    work(PIPELINE)
    report = reports.request(upload=Upload.objects.get(pk=upload.pk), kind="csv", by=upload.uploaded_by)
    work(REPORTS)

    upload.refresh_from_db()
    assert (upload.state, upload.valid, upload.refused) == ("partial", 1, 1)
    assert list(storage.files().keys("north/")) == sorted(
        [upload.storage_key, Report.objects.get(pk=report.pk).storage_key]
    )
    for address, content in (
        (f"/uploads/{upload.pk}/original/", FILE),
        (f"/uploads/{upload.pk}/reports/csv/", b"3"),
    ):
        answer = browser.get(address)
        assert answer.status_code == 302
        with urllib.request.urlopen(answer["Location"]) as file:  # noqa: S310 (our own server)
            assert content in file.read()
            assert file.headers["Content-Disposition"].startswith("attachment; ")
    assert invariants.run(deep=True).broken == []


@pytest.mark.parametrize("address", ["/api/v1/uploads", "/uploads/new/"])
def test_store_away_at_accept_leaves_nothing_half_accepted(browser, dataset, away, address):
    file = SimpleUploadedFile("stations.csv", FILE)
    form = {"dataset": "stations" if "api" in address else dataset.pk, "file": file, "nonce": dataset.pk}

    answer = browser.post(address, form, headers={"Idempotency-Key": "k"})

    assert answer.status_code == 503
    if "api" in address:
        assert (answer.json()["code"], answer["Retry-After"]) == ("storage_unavailable", "60")
    assert not Upload.objects.exists()
    assert not IdempotencyKey.objects.exists()
    assert not Event.objects.filter(type__startswith="upload").exists()
    away.faults.clear()
    assert list(storage.files().keys("")) == []


def test_store_away_at_processing_is_tried_again_later(accept, away):
    away.faults.clear()
    upload = accept()
    away.faults += [("GET", refuses(503, "SlowDown"), 3)]

    work(PIPELINE)

    attempt = Attempt.objects.get(subject=upload.pk)
    assert (attempt.outcome, attempt.code) == (Outcome.TEMPORARY_FAILURE, "storage_unavailable")
    assert attempt.detail == {"reason": "busy", "said": "SlowDown"}
    assert "asks for fewer requests" in failure_texts.describe(attempt.code, attempt.detail)[0]
    upload.refresh_from_db()
    assert (upload.state, upload.finished_at) == ("accepted", None)
    assert upload.due_at > Upload.objects.values_list(Now(), flat=True)[0]

    Upload.objects.update(due_at=Now())
    work(PIPELINE)

    upload.refresh_from_db()
    assert (upload.state, upload.valid) == ("partial", 1)


def test_store_away_while_a_report_is_kept(accept, way):
    upload = accept()
    work(PIPELINE)
    report = reports.request(upload=Upload.objects.get(pk=upload.pk), kind="csv", by=upload.uploaded_by)
    way.faults.append(("PUT", refuses(403, "AccessDenied"), 1))

    work(REPORTS)
    assert Attempt.objects.get(subject=report.pk).detail["reason"] == "access_denied"
    Report.objects.update(due_at=Now())
    work(REPORTS)

    assert Report.objects.get(pk=report.pk).state == "built"


def test_store_away_at_download_is_said(accept, browser, away):
    away.faults.clear()
    upload = accept()
    away.faults += [("HEAD", refuses(400, ""), 99)]

    page = browser.get(f"/uploads/{upload.pk}/original/")
    told = browser.get(f"/api/v1/uploads/{upload.pk}/original")

    assert (page.status_code, page["Retry-After"]) == (503, "60")
    assert "The storage of files does not answer at the moment" in page.content.decode()
    assert (told.status_code, told.json()["code"]) == (503, "storage_unavailable")


def test_readiness_and_the_check_before_a_start_say_what_is_wrong_with_the_bucket(settings, client, caplog):
    assert client.get("/readyz").json()["parts"]["storage"] == "ok"
    settings.S3_BUCKET = "elsewhere"
    storage.files().client.close()
    storage.files.cache_clear()

    assert client.get("/readyz").json()["parts"]["storage"] == "unavailable"
    assert "The storage has no such bucket." in caplog.text
