"""The API as a program uses it: accepting, withdrawing, datasets. Nothing here needs a worker."""

import uuid

import pytest

from ingestion.models import Upload
from ingestion.pipeline import PIPELINE
from tests.ingestion.conftest import FILE
from work import leases
from work.models import Decision, IdempotencyKey

pytestmark = pytest.mark.django_db

SCHEMA = {"fields": [{"name": "code", "type": "string"}], "primaryKey": "code"}


def test_upload_is_accepted_and_not_done(send, stations):
    answer = send()

    body = answer.json()
    assert answer.status_code == 202
    assert answer["Location"] == body["status_url"] == f"/api/v1/uploads/{body['id']}"
    assert int(answer["Retry-After"]) > 0
    assert (body["status"], body["already_accepted"], body["dataset"]) == ("accepted", False, "stations")
    assert body["finished_at"] is None
    assert body["size"] == len(FILE)


def test_repeated_key_gives_the_first_upload(send):
    first, second = send(key="k1"), send(key="k1")

    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["id"] == second.json()["id"]
    assert second.json()["already_accepted"] is True
    assert Upload.objects.count() == 1


@pytest.mark.parametrize("change", [{"content": b"id,amount\nz,9\n"}, {"name": "other.csv"}])
def test_same_key_with_something_else_is_refused(send, change):
    send(key="k1")

    answer = send(key="k1", **change)

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert IdempotencyKey.objects.count() == 1


def test_same_bytes_under_another_key_are_linked(send):
    first, second = send(key="k1").json(), send(key="k2").json()

    assert second["repeats"] == first["id"]
    assert second["already_accepted"] is False


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 100, 415, "format_image"),
        (b"%PDF-1.7\n", 415, "format_pdf"),
        (b"", 422, "empty_file"),
    ],
)
def test_file_of_another_kind_is_refused_by_its_bytes(send, content, status, code):
    answer = send(content, name="stations.xlsx")

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"
    assert Upload.objects.count() == 0


def test_file_past_the_limit_is_413(send, settings, kept_files):
    settings.MAX_UPLOAD_BYTES = 1000

    answer = send(b"id,amount\n" + b"a,1\n" * 1000)

    assert (answer.status_code, answer.json()["code"]) == (413, "file_too_large")
    assert not kept_files.exists()


def test_unknown_dataset_is_404(api, send):
    answer = send(dataset="nothing")

    assert (answer.status_code, answer.json()["code"]) == (404, "dataset_not_found")


def test_withdrawn_upload_is_cancelled_once(api, send):
    upload = send().json()["id"]

    first = api(
        "post", f"/uploads/{upload}/cancellation", data={"why": "wrong file"}, content_type="application/json"
    )
    second = api("post", f"/uploads/{upload}/cancellation", content_type="application/json")

    assert (first.status_code, first.json()["status"]) == (200, "cancelled")
    assert (second.status_code, second.json()["code"]) == (409, "already_finished")
    assert Decision.objects.get(what="upload.cancelled").why == "wrong file"
    assert leases.claim_next(PIPELINE) is None


def test_dataset_is_made_and_its_schema_changed(api):
    made = api(
        "post",
        "/datasets",
        data={"slug": "zones", "title": "Zones", "schema": SCHEMA},
        content_type="application/json",
    )
    read = api("get", "/datasets/zones/schema")
    changed = {"fields": [*SCHEMA["fields"], {"name": "title"}], "primaryKey": "code"}

    put = api(
        "put",
        "/datasets/zones/schema",
        data=changed,
        content_type="application/json",
        headers={"If-Match": read["ETag"]},
    )

    assert (made.status_code, made["Location"]) == (201, "/api/v1/datasets/zones?organisation=north")
    assert made.json()["schema"] == SCHEMA
    assert (put.status_code, put["ETag"], put.json()["version"], put.json()["schema"]) == (
        200,
        '"2"',
        2,
        changed,
    )
    assert [item["slug"] for item in api("get", "/datasets").json()["items"]] == ["zones"]


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 428, "if_match_required"),
        ({"If-Match": '"7"'}, 412, "schema_changed_meanwhile"),
        ({"If-Match": "*x"}, 412, "schema_changed_meanwhile"),
    ],
)
def test_schema_is_changed_only_from_the_version_that_was_read(api, stations, headers, status, code):
    answer = api(
        "put", "/datasets/stations/schema", data=SCHEMA, content_type="application/json", headers=headers
    )

    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    "schema",
    [
        {"fields": []},
        {"fields": [{"name": "a", "type": "colour"}]},
        {"fields": [{"name": "a", "title": "\x00"}]},
    ],
)
def test_schema_that_is_not_valid_says_where(api, schema):
    answer = api(
        "post",
        "/datasets",
        data={"slug": "zones", "title": "Z", "schema": schema},
        content_type="application/json",
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "schema_not_valid")
    assert answer.json()["errors"]


def test_taken_slug_is_409(api, stations):
    answer = api(
        "post",
        "/datasets",
        data={"slug": "stations", "title": "Z", "schema": SCHEMA},
        content_type="application/json",
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "slug_taken")


@pytest.mark.parametrize(
    "path",
    [
        "/uploads/{id}", "/uploads/{id}/errors", "/uploads/{id}/original", "/uploads/{id}/report.csv",
        "/datasets/{slug}", "/datasets/{slug}/schema", "/datasets/{slug}/records",
    ],
)  # fmt: skip
def test_things_of_another_tenant_are_not_there(api, path, accept, dataset):
    upload = accept(FILE)

    assert api("get", path.format(id=upload.pk, slug=dataset.slug)).status_code == 404
    assert api("get", path.format(id=uuid.uuid4(), slug="nothing")).status_code == 404
    assert api("get", "/uploads").json()["items"] == []


def test_cancelling_for_another_tenant_is_404(api, accept):
    address = f"/uploads/{accept(FILE).pk}/cancellation"

    assert api("post", address, content_type="application/json").status_code == 404


def test_original_that_is_gone_is_told_as_a_problem(api, send, kept_files):
    upload = Upload.objects.get(pk=send().json()["id"])
    (kept_files / upload.storage_key).unlink()

    answer = api("get", f"/uploads/{upload.pk}/original")

    assert (answer.status_code, answer.json()["code"]) == (404, "file_missing")
