"""What is said of a file when it is sent: kept with the upload, and to be repeated by a repeated request."""

import io
import uuid

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from ingestion import attention, uploads
from ingestion.models import Upload
from ingestion.upload_options import UploadOptions
from tests.factories import DatasetFactory, UploadFactory
from work.models import Event
from work.problems import Problem

pytestmark = pytest.mark.django_db
FILE = b"Ident,Betrag\na,1\n"
READING = {"header_row": 1, "mapping": {"id": "Ident", "amount": "B"}}


@pytest.fixture
def accept_with(by, dataset):
    def accept_with(key="", into=dataset, **options):
        accepted = uploads.accept(
            dataset=into, stream=io.BytesIO(FILE), filename="stations.csv", by=by, idempotency_key=key,
            options=UploadOptions(**options),
        )  # fmt: skip
        return accepted.upload

    return accept_with


def test_options_are_kept_with_the_upload(accept_with, dataset):
    first = UploadFactory(dataset=dataset, sequence=90)

    upload = accept_with(reading=READING, on_doubt="fail", dry_run=True, mends=first.pk)

    assert (upload.reading, upload.on_doubt, upload.dry_run) == (READING, "fail", True)
    assert (upload.mends, upload.story) == (first, first)
    payload = Event.objects.get(type="upload.accepted").payload
    assert (payload["dry_run"], payload["mends"]) == (True, str(first.pk))


def test_mended_file_belongs_to_the_story_of_the_first(accept_with):
    first = accept_with()
    second = accept_with(mends=first.pk)
    third = accept_with(mends=second.pk)

    assert (third.mends, third.story) == (second, first)


def test_mended_upload_is_one_of_the_same_dataset(accept_with, kept_files):
    elsewhere = UploadFactory(dataset=DatasetFactory())

    for pk in (elsewhere.pk, uuid.uuid4()):
        with pytest.raises(Problem) as refused:
            accept_with(mends=pk)
        assert (refused.value.status, refused.value.code) == (422, "mends_unknown")
    assert not kept_files.exists()


def test_reading_that_does_not_fit_is_refused_before_the_file_is_kept(accept_with, kept_files):
    with pytest.raises(Problem) as refused:
        accept_with(reading={"mapping": {"nothing": "A"}})

    assert refused.value.extra["errors"][0]["code"] == "unknown_field"
    assert not kept_files.exists()
    assert not Upload.objects.exists()


@pytest.mark.parametrize(
    "other",
    [{"reading": {"sheet": "Data"}}, {"reading": READING}, {"on_doubt": "fail"}, {"dry_run": True}, {}],
)
def test_key_with_other_options_is_refused(accept_with, other):
    accept_with("k", reading={"header_row": 2})

    with pytest.raises(Problem) as refused:
        accept_with("k", **other)
    assert refused.value.code == "idempotency_key_reused"


def test_key_with_the_same_options_gives_the_first_upload(accept_with):
    backwards = {"mapping": {"amount": "B", "id": "Ident"}, "header_row": 1, "sheet": ""}

    assert accept_with("k", reading=READING) == accept_with("k", reading=backwards)


def test_repeated_request_is_not_refused_for_a_schema_of_today(accept_with, dataset):
    first = accept_with("k", reading=READING)
    dataset.schema_versions.create(number=2, schema={"fields": [{"name": "other"}]})

    assert accept_with("k", reading=READING) == first


def test_file_that_was_only_tried_was_not_sent_before(accept_with):
    tried = accept_with(dry_run=True)
    stored = accept_with()
    again = accept_with(dry_run=True)

    assert (tried.repeats, stored.repeats, again.repeats) == (None, None, stored)
    assert list(attention.sent_twice(None)) == []


def ended(upload):
    Upload.objects.filter(pk=upload.pk).update(
        state="processed", due_at=None, finished_at=Now(), run=upload.pk
    )
    return Upload.objects.select_related("dataset__organisation").get(pk=upload.pk)


def test_tried_file_is_stored_once_in_the_way_it_was_read(accept_with, by):
    tried = ended(accept_with(reading=READING, on_doubt="fail", dry_run=True))

    first, second = (uploads.store(tried=tried, by=by) for _ in range(2))

    stored = first.upload
    assert (second.upload, second.already_accepted) == (stored, True)
    assert stored.pk != tried.pk
    assert (stored.dry_run, stored.reading, stored.on_doubt) == (False, READING, "fail")
    assert (stored.storage_key, stored.sha256, stored.size) == (tried.storage_key, tried.sha256, tried.size)
    assert stored.sequence > tried.sequence


@pytest.mark.parametrize("dry_run", [True, False])
def test_only_a_tried_file_with_its_verdict_is_stored_now(accept_with, by, dry_run):
    upload = accept_with(dry_run=dry_run)
    upload = upload if dry_run else ended(upload)

    with pytest.raises(Problem) as refused:
        uploads.store(tried=upload, by=by)
    assert (refused.value.status, refused.value.code) == (409, "not_a_dry_run")


def test_limit_on_uploads_in_progress_counts_for_storing_too(accept_with, by, dataset):
    tried = ended(accept_with(dry_run=True))
    dataset.organisation.uploads_in_progress_limit = 0
    dataset.organisation.save()
    tried = Upload.objects.select_related("dataset__organisation").get(pk=tried.pk)

    with pytest.raises(Problem) as refused:
        uploads.store(tried=tried, by=by)
    assert refused.value.code == "too_many_in_progress"


def test_options_come_by_the_fields_of_the_form(send):
    answer = send(
        sheet="Data", header_row="3", header_rows="2", mapping='{"id": "Ident", "amount": null}',
        confirm=["which_header", "retire:7"], on_doubt="fail",
    )  # fmt: skip

    upload = Upload.objects.get()
    assert answer.status_code == 202
    assert upload.reading == {
        "sheet": "Data",
        "header_row": 3,
        "header_rows": 2,
        "mapping": {"id": "Ident", "amount": None},
        "confirm": ["which_header", "retire:7"],
    }
    assert (upload.on_doubt, upload.dry_run) == ("fail", False)
    assert answer.json()["reading"] == upload.reading


def test_confirmations_come_as_json_too(send):
    send(confirm='["which_header"]')

    assert Upload.objects.get().reading == {"confirm": ["which_header"]}


def test_trying_is_asked_by_the_address(api, stations):
    file = io.BytesIO(FILE)
    file.name = "stations.csv"

    answer = api("post", "/uploads?dry_run=true", data={"dataset": "stations", "file": file})

    assert (answer.status_code, answer.json()["dry_run"]) == (202, True)
    assert Upload.objects.get().dry_run


@pytest.mark.parametrize(
    ("fields", "code", "error"),
    [
        ({"mapping": "{"}, "reading_not_valid", "mapping_not_json"),
        ({"mapping": "[" * 60_000}, "reading_not_valid", "mapping_not_json"),
        ({"mapping": "[]"}, "reading_not_valid", "mapping_not_an_object"),
        ({"mapping": '{"id": "\\ud800"}'}, "reading_not_valid", "bad_character"),
        ({"mapping": '{"x\\u0000": "A"}'}, "reading_not_valid", "unknown_field"),
        ({"confirm": "[1"}, "reading_not_valid", "confirm_not_json"),
        ({"confirm": "yes"}, "reading_not_valid", "unknown_confirmation"),
        ({"header_row": "0"}, "request_not_valid", None),
        ({"header_row": "first"}, "request_not_valid", None),
        ({"on_doubt": "guess"}, "request_not_valid", None),
        ({"mends": "x"}, "request_not_valid", None),
        ({"mends": str(uuid.uuid4())}, "mends_unknown", None),
    ],
)
def test_option_that_does_not_fit_is_a_problem_that_names_it(send, fields, code, error):
    answer = send(**fields)

    body = answer.json()
    assert (answer.status_code, body["code"]) == (422, code)
    if error:
        assert [each["code"] for each in body["errors"]] == [error]
    assert not Upload.objects.exists()


def test_shell_takes_the_same_options(stations, tmp_path):
    path = tmp_path / "stations.csv"
    path.write_bytes(FILE)
    options = ["--sheet", "Data", "--header-row", "3", "--on-doubt", "fail", "--dry-run"]

    call_command(
        "ingest", str(path), *options, "--map", "id=Ident", "--map", "amount=", organisation="north",
        dataset="stations", stdout=io.StringIO(), skip_checks=True,
    )  # fmt: skip

    upload = Upload.objects.get()
    assert upload.reading == {"sheet": "Data", "header_row": 3, "mapping": {"id": "Ident", "amount": None}}
    assert (upload.on_doubt, upload.dry_run) == ("fail", True)


@pytest.mark.parametrize("wrong", ["id", "=A", "nothing=A"])
def test_shell_says_which_option_does_not_fit(stations, tmp_path, wrong):
    path = tmp_path / "stations.csv"
    path.write_bytes(FILE)

    with pytest.raises(CommandError, match=wrong.strip("=A") or "FIELD=HEADING"):
        call_command(
            "ingest", str(path), "--map", wrong, organisation="north", dataset="stations", skip_checks=True
        )
