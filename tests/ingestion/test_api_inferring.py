"""A schema from a sample file, by the API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from ingestion import samples
from ingestion.models import Dataset, Upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def infer(api):
    def infer(content, **more):
        return api("post", "/datasets/infer", data={"file": SimpleUploadedFile("s.csv", content), **more})

    return infer


def test_schema_comes_with_its_evidence_and_nothing_is_stored(infer):
    answer = infer(b"id;amount\na;1,5\nb;2\n", locale="de")

    body = answer.json()
    assert answer.status_code == 200
    assert [field["type"] for field in body["schema"]["fields"]] == ["string", "number"]
    assert (body["locale"], body["rows"], body["is_whole"], body["header_row"]) == ("de", 2, True, 1)
    assert body["evidence"][1]["examples"] == ["1,5", "2"]
    assert body["candidate_keys"][0] == ["id"]
    assert not Dataset.objects.exists()
    assert not Upload.objects.exists()


def test_german_sample_without_a_locale_is_read_as_german(infer):
    body = infer(b"Kennung;Datum;Betrag\na;31.12.2025;1,5\nb;01.02.2025;7,5\n").json()

    amount = body["schema"]["fields"][2]
    assert (body["locale"], body["assumptions"][0]["code"]) == ("de", "locale_found")
    assert (amount["type"], amount["decimalChar"]) == ("number", ",")


@pytest.mark.django_db(transaction=True)
def test_inferred_schema_makes_a_dataset_that_takes_the_sample(infer, api, process):
    content = b"id;amount\na;1,5\nb;2\n"
    found = infer(content).json()
    made = {"slug": "made", "title": "Made", "schema": found["schema"], "locale": found["locale"]}
    assert api("post", "/datasets", data=json.dumps(made), content_type="application/json").status_code == 201

    upload = process(content, into=Dataset.objects.get(slug="made"))

    assert (upload.state, upload.valid) == ("processed", 2)


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "empty_file"), (b"%PDF-1.7 x", "format_pdf"), (b"a,A\n1,2\n", "no_usable_columns")],
)
def test_unreadable_sample_is_refused_by_its_own_sentence(infer, content, code):
    answer = infer(content)

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert answer.json()["detail"]
    assert answer.json()["remedy"]


def test_inferring_has_a_limit_of_its_own(infer):
    """A minute may end meanwhile, and the count begins anew; not twice."""
    statuses = [infer(b"id\n1\n").status_code]
    while 429 not in statuses and len(statuses) <= 2 * samples.PER_MINUTE:
        statuses.append(infer(b"id\n1\n").status_code)

    assert statuses[:-1] == [200] * (len(statuses) - 1)
    assert statuses[-1] == 429
    assert len(statuses) > samples.PER_MINUTE


def test_file_over_the_limit_is_refused(infer, settings):
    settings.MAX_UPLOAD_BYTES = 10

    assert infer(b"id,amount\na,1\nb,2\n").status_code == 413


def test_row_of_the_header_can_be_said(infer):
    body = infer(b"Stations of the north;\nid;amount\na;1\nb;2\n", header_row="2").json()

    assert [field["name"] for field in body["schema"]["fields"]] == ["id", "amount"]
    assert body["header_row"] == 2
