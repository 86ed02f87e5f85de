"""What the API's document says of itself, and whether programs can rely on it."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from config.api_codes import CODES
from config.api_problems import SENTENCES
from ingestion.models import Record, RowError
from tests.factories import DatasetFactory, UploadFactory

FIXED = {
    "GET /me", "POST /uploads", "GET /uploads", "GET /uploads/{upload_id}",
    "POST /uploads/{upload_id}/answer",
    "POST /uploads/{upload_id}/cancellation", "GET /uploads/{upload_id}/errors",
    "POST /uploads/{upload_id}/reprocess", "GET /uploads/{upload_id}/differences",
    "GET /uploads/{upload_id}/report.xlsx", "GET /uploads/{upload_id}/report.csv",
    "GET /uploads/{upload_id}/report.mend.xlsx", "GET /uploads/{upload_id}/report.whole.xlsx",
    "GET /uploads/{upload_id}/report.json", "GET /uploads/{upload_id}/original", "GET /datasets",
    "POST /datasets", "GET /datasets/{slug}", "GET /datasets/{slug}/schema", "PUT /datasets/{slug}/schema",
    "POST /datasets/{slug}/reindex", "POST /organisations/{slug}/reindex", "GET /reindexes/{reindex_id}",
    "PATCH /datasets/{slug}", "POST /datasets/{slug}/schema/preview", "GET /datasets/{slug}/records",
    "GET /datasets/{slug}/records/{record}", "GET /datasets/{slug}/records/{record}/history",
    "POST /datasets/infer", "GET /datasets/{slug}/template.xlsx",
}  # fmt: skip
COMMON = {"id", "status", "step", "progress", "attempts", "failure", "why_waiting", "correlation_id",
          "accepted_at", "started_at", "finished_at", "status_url"}  # fmt: skip
OWN = {"dataset", "filename", "sha256", "size", "counts", "parser_version", "schema_version", "assumptions",
       "links"}  # fmt: skip
ERROR = {"sheet", "row", "column", "header", "cell", "value", "code", "message", "remedy"}
ANY_MAY_ANSWER = {"400", "401", "403", "404", "422", "429"}
RAISED = re.compile(r'Problem\(\s*(\d{3}),\s*"(\w+)"')
BEFORE_ANY_OPERATION = {405, 500}
# Not written beside their status.
CHOSEN_WHEN_RAISED = {(415, code) for code in CODES[415]} | {(400, "organisation_missing")}


@pytest.fixture
def document(client, db):
    return client.get("/api/v1/openapi.json").json()


@pytest.fixture
def dataset(organisation):
    return DatasetFactory(organisation=organisation)


def operations(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path.removeprefix('/api/v1')}", operation


def test_document_is_valid(document):
    assert document["openapi"].startswith("3.1")
    assert [str(error) for error in OPENAPI_31_VALIDATOR.iter_errors(document)] == []


def test_document_names_the_operations_that_are_fixed(document):
    assert {name for name, _ in operations(document)} == FIXED


def test_names_of_operations_are_unique_and_told(document):
    told = [operation["operationId"] for _, operation in operations(document)]

    assert len(set(told)) == len(told)
    assert all(operation["summary"] for _, operation in operations(document))


@pytest.mark.parametrize(
    ("schema", "names"),
    [("UploadDetail", COMMON | OWN), ("AcceptedUpload", COMMON | OWN), ("ErrorItem", ERROR)],
)
def test_bodies_have_the_names_that_are_fixed(document, schema, names):
    assert names <= set(document["components"]["schemas"][schema]["properties"])


def test_every_operation_declares_the_problems_that_any_may_answer(document):
    for name, operation in operations(document):
        assert set(operation["responses"]) >= ANY_MAY_ANSWER, name


def test_every_status_that_the_code_raises_is_declared(document):
    declared = {int(status) for _, operation in operations(document) for status in operation["responses"]}

    assert {status for status, _ in raised()} - BEFORE_ANY_OPERATION <= declared


def test_every_code_that_the_code_raises_is_told(document):
    listed = {(status, code) for status, codes in CODES.items() for code in codes}

    assert raised() - listed == set()
    assert listed - raised() == CHOSEN_WHEN_RAISED
    assert all(f"`{code}`" in document["info"]["description"] for _, code in listed)


def test_accepting_says_where_to_follow(document):
    accepted = dict(operations(document))["POST /uploads"]["responses"]["202"]

    assert set(accepted["headers"]) == {"Location", "Retry-After"}


@pytest.mark.parametrize("rows", [1, 51, 120])
def test_uploads_page_to_their_end(client, bearer, dataset, rows):
    made = {str(UploadFactory(dataset=dataset).pk) for _ in range(rows)}

    assert sorted(item["id"] for item in paged(client, bearer, "/uploads")) == sorted(made)


def test_datasets_page_to_their_end(client, bearer, organisation):
    made = sorted(DatasetFactory(organisation=organisation).slug for _ in range(53))

    assert sorted(item["slug"] for item in paged(client, bearer, "/datasets")) == made


def test_records_page_to_their_end(client, bearer, dataset):
    upload = UploadFactory(dataset=dataset)
    Record.objects.bulk_create(
        Record(dataset=dataset, key=str(key), data={"id": str(key)}, digest=b"x", upload=upload)
        for key in range(401)
    )

    found = [item["key"] for item in paged(client, bearer, f"/datasets/{dataset.slug}/records")]

    assert found == sorted(str(key) for key in range(401))


def test_errors_page_to_their_end(client, bearer, dataset):
    upload = UploadFactory(dataset=dataset, run="0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1")
    error = dict.fromkeys(ERROR - {"sheet", "row"}, "x") | {"column": "A", "code": "required"}
    RowError.objects.bulk_create(
        RowError(upload=upload, run=upload.run, sheet="a", row=row, faults=[error, error])
        for row in range(2, 403)
    )

    found = [item["row"] for item in paged(client, bearer, f"/uploads/{upload.pk}/errors")]

    assert found == [row for row in range(2, 403) for _ in range(2)]


def raised():
    """Status and code of each problem that is written in the code."""
    texts = [
        file.read_text()
        for app in ("accounts", "ingestion", "work", "config")
        for file in Path(settings.BASE_DIR, app).rglob("*.py")
    ]
    written = {(int(status), code) for text in texts for status, code in RAISED.findall(text)}
    return written | {(status, code) for status, (code, _) in SENTENCES.items()}


def paged(client, bearer, address):
    """Every item, and a list that does not end fails."""
    cursor, pages = "", 0
    while cursor is not None:
        answer = client.get(f"/api/v1{address}", {"cursor": cursor}, headers=bearer)
        assert answer.status_code == 200, answer.content
        yield from answer.json()["items"]
        cursor, pages = answer.json()["next_cursor"], pages + 1
        assert pages < 10
