"""The HTTP API of reading a file again, and of what two verdicts on it differ in."""

import uuid
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Header, Query, Router, Schema, Status
from pydantic import Field, StrictBool

from accounts.scoping import require
from ingestion import api_bodies as bodies
from ingestion import differences, queries, reprocessing
from ingestion.differences import Difference
from ingestion.models import RowError, Upload
from work.bodies import StrictSchema
from work.problems import Problem, responses

router = Router(tags=["uploads"])
RETRY_AFTER = "2"
LOCATION = {"Location": {"schema": {"type": "string"}}, "Retry-After": {"schema": {"type": "integer"}}}
ROWS_A_PAGE = 100
CURSOR = Annotated[str, Query("", max_length=200, description="`next_cursor` of the page before")]
AGAINST = Annotated[
    uuid.UUID | None, Query(None, description="Another reading of the same file; else the one it repeats")
]


class ReprocessRequest(StrictSchema):
    why: str = Field("", max_length=1000, pattern=bodies.PRINTABLE)
    dry_run: StrictBool = False


class Side(Schema):
    """One of the two verdicts. `run` is null when the file was not read to its end."""

    id: str
    status: str
    schema_version: int | None
    parser_version: str | None
    failure: str | None
    dry_run: bool
    run: str | None


class CountItem(Schema):
    name: str
    before: int
    after: int


class RuleItem(Schema):
    code: str
    column: str
    header: str
    message: str
    before: int
    after: int


class ValueItem(Schema):
    field: str
    before: Any
    after: Any


class ChangedRecordItem(Schema):
    key: str
    version: int
    values: list[ValueItem]


class RowItem(Schema):
    """A row as the verdict that refuses it tells it."""

    sheet: str
    row: int
    errors: list[dict[str, Any]]


class DifferencesBody(Schema):
    """`items` are rows of one kind, in the order of the sheet; `changed_records` the first of `updated`."""

    before: Side
    after: Side
    counts: list[CountItem]
    rules: list[RuleItem]
    newly_refused: int
    newly_accepted: int
    refused_otherwise: int
    assumptions_before: list[bodies.Assumption]
    assumptions_after: list[bodies.Assumption]
    changed_records: list[ChangedRecordItem]
    items: list[RowItem]
    next_cursor: str | None


@router.post(
    "/uploads/{uuid:upload_id}/reprocess",
    response={202: bodies.AcceptedUpload, **responses(409)},
    summary="Read the kept file again by today's schema and parser: 202, with the new upload",
    openapi_extra={"responses": {202: {"description": "Accepted", "headers": LOCATION}}},
)
def reprocess(
    request: HttpRequest,
    response: HttpResponse,
    upload_id: uuid.UUID,
    idempotency_key: Annotated[str, Header("", alias="Idempotency-Key", max_length=200, pattern="^[ -~]*$")],
    body: ReprocessRequest | None = None,
) -> Any:
    """`already_accepted` when the same key, or somebody a moment earlier, had it read again already."""
    upload, asked = _find(request, upload_id), body or ReprocessRequest(why="")
    require(request, "upload", upload.organisation)
    again = reprocessing.reprocess(
        upload=upload,
        by=request.principal,  # type: ignore[attr-defined]
        why=asked.why,
        dry_run=asked.dry_run,
        idempotency_key=idempotency_key,
    )
    response["Location"] = bodies.upload_url(again.upload.pk)
    response["Retry-After"] = RETRY_AFTER
    return Status(202, bodies.upload_item(again.upload) | {"already_accepted": again.already})


@router.get(
    "/uploads/{uuid:upload_id}/differences",
    response={200: DifferencesBody, **responses(409)},
    summary="What differs from another verdict on the same file",
)
def get_differences(
    request: HttpRequest,
    upload_id: uuid.UUID,
    against: AGAINST,
    cursor: CURSOR,
    rows: Annotated[Literal["newly_refused", "newly_accepted"], Query("newly_refused")],
) -> Any:
    upload = _find(request, upload_id)
    seen = queries.visible(request.principal)  # type: ignore[attr-defined]
    before, after = differences.comparable(upload, against, seen)
    one, other = (after, before) if rows == "newly_refused" else (before, after)
    page = differences.row_page(one, other, cursor=cursor, limit=ROWS_A_PAGE)
    items = [_row(row) for row in page.items]
    return _body(differences.between(before, after)) | {"items": items, "next_cursor": page.next_cursor}


def _body(found: Difference) -> dict[str, Any]:
    return {
        "before": _side(found.before),
        "after": _side(found.after),
        "counts": [{"name": each.name, "before": each.before, "after": each.after} for each in found.counts],
        "rules": [vars(rule) for rule in found.rules],
        "newly_refused": found.newly_refused,
        "newly_accepted": found.newly_accepted,
        "refused_otherwise": found.refused_otherwise,
        "assumptions_before": found.only_before,
        "assumptions_after": found.only_after,
        "changed_records": [
            {
                "key": each.key,
                "version": each.version,
                "values": [
                    {"field": value.name, "before": value.before, "after": value.after}
                    for value in each.values
                ],
            }
            for each in found.changed_records
        ],
    }


def _side(upload: Upload) -> dict[str, Any]:
    return {
        "id": str(upload.pk),
        "status": upload.state,
        "schema_version": upload.schema_version,
        "parser_version": upload.parser_version or None,
        "failure": upload.failure_code or None,
        "dry_run": upload.dry_run,
        "run": str(upload.run) if upload.run else None,
    }


def _row(row: RowError) -> dict[str, Any]:
    return {"sheet": row.sheet, "row": row.row, "errors": row.errors}


def _find(request: HttpRequest, upload_id: uuid.UUID) -> Upload:
    found = queries.visible(request.principal).filter(pk=upload_id).first()  # type: ignore[attr-defined]
    if found is None:
        raise Problem(404, "upload_not_found", "There is no such upload, or you may not see it.")
    return found
