"""The HTTP API of uploads: accept, follow, withdraw, read what was refused, download."""

import uuid
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from ninja import File, Form, Header, Query, Router, Status
from ninja.files import UploadedFile

from accounts.scoping import organisation_of, require
from ingestion import (
    answers,
    api_dataset_changes,
    api_datasets,
    api_history,
    api_inferring,
    api_options,
    api_reprocessing,
    api_search,
    error_pages,
    queries,
    reports,
    uploads,
)
from ingestion import api_bodies as bodies
from ingestion.api_questions import AnswerRequest
from ingestion.content_types import CONTENT_TYPES, ENDINGS
from ingestion.models import Report, Upload
from ingestion.states import ReportState
from work import downloads, paging
from work.failures import StateChanged
from work.problems import Problem, responses
from work.storage import FileMissing

router = Router(tags=["uploads"])
router.add_router("", api_inferring.router)  # first: its addresses look like slugs of datasets
router.add_router("", api_dataset_changes.router)
router.add_router("", api_reprocessing.router)
router.add_router("", api_history.router)
router.add_router("", api_search.router)

RETRY_AFTER = "2"
LOCATION = {"Location": {"schema": {"type": "string"}}, "Retry-After": {"schema": {"type": "integer"}}}
SLUG = "^[-a-zA-Z0-9_]+$"


def _file(*kinds: str) -> dict[str, Any]:
    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
    partial = {"description": "The range that was asked for", "content": content}
    return {
        "responses": {
            200: {"description": "The file, as an attachment", "content": content},
            206: partial,
            302: {"description": "At the address in Location, for a few minutes"},
            304: {"description": "Unchanged: the ETag is the one that was sent"},
            416: {"description": "Nothing of the file lies in the range"},
        }
    }


@router.post(
    "/uploads",
    response={202: bodies.AcceptedUpload, **responses(409, 413, 415)},
    summary="Accept a file: 202, before any of it is read",
    openapi_extra={"responses": {202: {"description": "Accepted", "headers": LOCATION}}},
)
def accept(
    request: HttpRequest,
    response: HttpResponse,
    dataset: Annotated[str, Form(..., max_length=80, pattern=SLUG, description="Slug of the dataset")],
    file: Annotated[UploadedFile, File(...)],
    organisation: api_datasets.ORGANISATION,
    idempotency_key: Annotated[str, Header("", alias="Idempotency-Key", max_length=200, pattern="^[ -~]*$")],
    reading: api_options.FIELDS,
    dry_run: api_options.DRY_RUN,
) -> Any:
    """The same key with the same content and options gives the first upload again, with `already_accepted`.

    A program never hangs: an upload that only a person can decide about is in `needs_answer`, says in
    `question` what is asked and where to answer, and waits for no worker; with `on_doubt=fail` it fails
    instead, by the code of the question.
    """
    owner = organisation_of(request, organisation)
    require(request, "upload", owner)
    accepted = uploads.accept(
        dataset=api_datasets.find(owner, dataset),
        stream=file,
        size=file.size,
        filename=file.name or "",
        by=request.principal,  # type: ignore[attr-defined]
        idempotency_key=idempotency_key,
        options=api_options.options(reading, dry_run=dry_run),
    )
    response["Location"] = bodies.upload_url(accepted.upload.pk)
    response["Retry-After"] = RETRY_AFTER
    detail = bodies.upload_item(accepted.upload)
    return Status(202, detail | {"already_accepted": accepted.already_accepted})


@router.get("/uploads", response={200: bodies.UploadList, **responses()}, summary="Uploads, the newest first")
def list_uploads(
    request: HttpRequest,
    dataset: Annotated[str, Query("", max_length=80, pattern=api_datasets.SLUG_OR_NONE)],
    status: Annotated[bodies.Status, Query("")],
    organisation: api_datasets.ORGANISATION,
    cursor: api_datasets.CURSOR,
) -> Any:
    visible = queries.visible(request.principal)  # type: ignore[attr-defined]
    found = queries.filtered(visible, dataset=dataset, status=status, organisation=organisation)
    page = paging.keyset(found, cursor=cursor)
    return {"items": [bodies.upload_item(upload) for upload in page.items], "next_cursor": page.next_cursor}


@router.get(
    "/uploads/{uuid:upload_id}",
    response={200: bodies.UploadDetail, **responses()},
    summary="Where an upload stands, or its verdict",
)
def get_upload(request: HttpRequest, upload_id: uuid.UUID) -> Any:
    return bodies.upload_detail(_find(request, upload_id))


@router.post(
    "/uploads/{uuid:upload_id}/cancellation",
    response={200: bodies.UploadDetail, **responses(409)},
    summary="Withdraw an upload that has no verdict yet",
)
def cancel(
    request: HttpRequest, upload_id: uuid.UUID, reason: bodies.CancellationRequest | None = None
) -> Any:
    upload = _find(request, upload_id)
    require(request, "withdraw", upload.organisation)
    try:
        uploads.withdraw(upload=upload, by=request.principal, why=reason.why if reason else "")  # type: ignore[attr-defined]
    except StateChanged as error:
        raise Problem(
            409,
            "already_finished",
            f"The upload is {error.found} and can no longer be withdrawn.",
            "Upload a corrected file: it replaces what this one stored.",
        ) from error
    return bodies.upload_detail(_find(request, upload_id))


@router.post(
    "/uploads/{uuid:upload_id}/answer",
    response={200: bodies.UploadDetail, **responses(409)},
    summary="Answer what an upload asks: it is due again at once",
)
def answer(request: HttpRequest, upload_id: uuid.UUID, given: AnswerRequest) -> Any:
    """Only while the upload is in `needs_answer`: `question` says what is asked. To name the code of the
    question in `confirm` agrees to what it suggests. Each fault of an answer is named in `errors`. Headings
    that a mapping names are remembered for the next files of the dataset.
    """
    upload = _find(request, upload_id)
    require(request, "answer", upload.organisation)
    try:
        answered = answers.answer(
            upload=upload,
            reading=given.reading(),
            by=request.principal,  # type: ignore[attr-defined]
            why=given.why,
        )
    except StateChanged as error:
        raise Problem(
            409,
            "not_asking",
            f"The upload is {error.found} and asks nothing that this answers.",
            "Read the upload again: it says where it stands, and what it asks now if it asks.",
            upload_status=error.found,
        ) from error
    return bodies.upload_detail(answered)


@router.get(
    "/uploads/{uuid:upload_id}/errors",
    response={200: bodies.ErrorList, **responses()},
    summary="What was wrong with the refused rows, in the order of the sheet",
)
def list_errors(
    request: HttpRequest,
    upload_id: uuid.UUID,
    code: Annotated[str, Query("", max_length=60, pattern="^[a-z0-9_]*$")],
    column: Annotated[str, Query("", max_length=10, pattern="^[A-Z]*$")],
    cursor: api_datasets.CURSOR,
) -> Any:
    page = error_pages.error_page(
        _find(request, upload_id), cursor=cursor, code=code, column=column, limit=200
    )
    items = queries.flat_errors(page.items, code=code, column=column)
    return {"items": items, "next_cursor": page.next_cursor}


@router.get(
    "/uploads/{uuid:upload_id}/original",
    response={200: None, **responses()},
    summary="The file as it was sent",
    openapi_extra=_file("application/octet-stream"),
)
def get_original(request: HttpRequest, upload_id: uuid.UUID) -> HttpResponseBase:
    upload = _find(request, upload_id)
    return _serve(
        request,
        key=upload.storage_key,
        filename=upload.filename,
        content_type="application/octet-stream",
        sha256=upload.sha256,
    )


REPORT_SUMMARIES = {
    "xlsx": "The refused rows as an annotated workbook",
    "mend": "The refused rows that are still open, as a workbook to mend and send again",
    "whole": "The whole sheet as an annotated workbook",
    "csv": "The refused rows as CSV",
    "json": "The refused rows as JSON",
}


def _report(kind: str) -> Any:
    """An operation per kind: each has an address and a media type of its own."""

    def get_report(request: HttpRequest, response: HttpResponse, upload_id: uuid.UUID) -> Any:
        """202 while a worker builds it; then the file."""
        upload = _find(request, upload_id)
        report = reports.request(upload=upload, kind=kind, by=request.principal)  # type: ignore[attr-defined]
        if report.state == ReportState.BUILT:
            return _serve(
                request,
                key=report.storage_key,
                filename=reports.filename(upload, kind),
                content_type=CONTENT_TYPES[kind],
                sha256=report.sha256,
            )
        body = bodies.report_body(report)
        response["Location"] = body["status_url"]
        response["Retry-After"] = RETRY_AFTER
        return Status(202, body)

    get_report.__name__ = f"get_report_{kind}"
    media_type = CONTENT_TYPES[kind].split(";")[0]
    return router.get(
        f"/uploads/{{uuid:upload_id}}/report.{ENDINGS[kind]}",
        response={200: None, 202: bodies.ReportBody, **responses(409)},
        summary=REPORT_SUMMARIES[kind],
        openapi_extra=_file(media_type),
    )(get_report)


get_report_xlsx, get_report_mend, get_report_whole, get_report_csv, get_report_json = map(
    _report, Report.Kind.values
)


def _serve(request: HttpRequest, **file: str) -> HttpResponseBase:
    try:
        return downloads.serve(request, **file)
    except FileMissing as error:
        raise Problem(
            404, "file_missing", "The file is not in storage, where it must be.", "Tell an operator."
        ) from error


def _find(request: HttpRequest, upload_id: uuid.UUID) -> Upload:
    found = queries.visible(request.principal).filter(pk=upload_id).first()  # type: ignore[attr-defined]
    if found is None:
        raise Problem(404, "upload_not_found", "There is no such upload, or you may not see it.")
    return found
