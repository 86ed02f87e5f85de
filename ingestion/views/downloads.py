"""Files of an upload: the original as it was sent, and reports built on first demand."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from ingestion import queries, reports, stories
from ingestion.content_types import CONTENT_TYPES
from ingestion.models import Report, Upload
from ingestion.states import ReportState
from work import downloads
from work.access import signed_in
from work.problems import Problem
from work.storage import FileMissing
from work.views.requests import Request

NOT_THERE = "This report is not there yet. Ask for it here; a worker builds it in a moment."
WORDS = {
    "mend": "Rows to mend",
    "xlsx": "Annotated workbook",
    "whole": "Whole sheet, annotated",
    "csv": "CSV",
    "json": "JSON",
}
MEANINGS = {
    "mend": "Only the rows that are open. Sent again, they join their file.",
    "xlsx": "The refused rows, each fault marked and explained.",
    "whole": "Every row as it stood, each fault marked in its place.",
    "csv": "One line per error, for any program.",
    "json": "One item per error, as it is kept.",
}


@require_safe
@signed_in
def original(request: Request, upload_id: uuid.UUID) -> HttpResponseBase:
    upload = _find(request, upload_id)
    try:
        return downloads.serve(
            request,
            key=upload.storage_key,
            filename=upload.filename,
            content_type="application/octet-stream",
            sha256=upload.sha256,
        )
    except FileMissing as error:
        raise Http404 from error


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def report(request: Request, upload_id: uuid.UUID, kind: str) -> HttpResponseBase:
    """POST asks for it; GET gives the file once it is built. For htmx both answer with the button's place."""
    upload = _find(request, upload_id)
    if kind not in Report.Kind.values:
        raise Http404
    found = queries.live_reports(upload).get(kind)
    if request.method == "POST":
        return _ask(request, upload, kind)
    if request.htmx:
        return _place(request, upload, kind, found)
    if kind == Report.Kind.MEND and _is_all_mended(upload):
        messages.warning(request, " ".join(reports.NOTHING_LEFT))
        return redirect("upload", upload_id=upload.pk)
    if found is None or found.state != ReportState.BUILT:
        messages.warning(request, NOT_THERE)
        return redirect("upload", upload_id=upload.pk)
    try:
        return downloads.serve(
            request,
            key=found.storage_key,
            filename=reports.filename(upload, kind),
            content_type=CONTENT_TYPES[kind],
            sha256=found.sha256,
        )
    except FileMissing as error:
        raise Http404 from error


def _ask(request: Request, upload: Upload, kind: str) -> HttpResponse:
    """Accepted, not built: 202 for the part that then reads itself, the page again without script."""
    found, refused = None, ""
    try:
        found = reports.request(upload=upload, kind=kind, by=request.principal)
    except Problem as problem:
        refused = f"{problem.message} {problem.remedy}".strip()
    if request.htmx:
        return _place(request, upload, kind, found, refused, status=422 if refused else 202)
    if refused:
        messages.warning(request, refused)
    else:
        messages.success(
            request, "The report is asked for. A worker builds it; it is offered here when it is there."
        )
    return redirect("upload", upload_id=upload.pk)


def reports_of(upload: Upload) -> list[tuple[str, str, str, Report | None]]:
    """(kind, word, what it is, report or None) for each download there is."""
    live = queries.live_reports(upload)
    mendable = stories.may_be_mended(upload) and stories.open_rows(upload).exists()
    return [
        (kind, word, MEANINGS[kind], live.get(kind))
        for kind, word in WORDS.items()
        if mendable or kind != Report.Kind.MEND
    ]


def _is_all_mended(upload: Upload) -> bool:
    """A workbook that was being built meanwhile may be there, and holds nothing that is open."""
    return stories.may_be_mended(upload) and not stories.open_rows(upload).exists()


def _place(
    request: Request, upload: Upload, kind: str, found: Report | None, refused: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "upload": upload, "kind": kind, "word": WORDS[kind], "meaning": MEANINGS[kind], "report": found,
        "refused": refused,
    }  # fmt: skip
    return TemplateResponse(request, "ingestion/_report.html", context, status=status)


def _find(request: Request, upload_id: uuid.UUID) -> Upload:
    found: Upload = get_object_or_404(queries.visible(request.principal), pk=upload_id)
    return found
