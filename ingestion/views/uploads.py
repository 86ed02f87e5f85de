"""Uploads: the list, one upload from accepted to its verdict, and withdrawing it."""

import uuid
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from ingestion import list_filters, page_queries, queries, sentences, uploads
from ingestion.forms import RowFilter, UploadFilter
from ingestion.models import Upload
from ingestion.views.downloads import reports_of
from work import paging, pipelines, waiting
from work.access import signed_in
from work.views.requests import Question, Request, page, with_reason
from work.views.stories import attempts_of

ROWS_A_PAGE = 25


@require_safe
@signed_in
def listing(request: Request) -> HttpResponse:
    """The table holds boxes to tick, so it is not read again by itself; the states of its rows are."""
    if request.htmx and "states" in request.GET:
        return _states(request)
    visible = queries.visible(request.principal)
    listed = paging.of_request(request, list_filters.apply(visible, request.GET))
    reasons = waiting.of_list(pipelines.get("upload"), listed.items)
    context = {
        "form": UploadFilter(request.GET, principal=request.principal),
        "pills": page_queries.state_pills(list_filters.apply(visible, request.GET, status=False)),
        "rows": [(upload, reasons.get(upload.pk)) for upload in listed.items],
        "list": listed,
        "states_url": _states_url([upload for upload in listed.items if upload.finished_at is None]),
        "may_upload": _may_upload(request),
    }
    return page(request, "ingestion/uploads.html", context, part="uploads-table")


def _states(request: Request) -> HttpResponse:
    """The states of the unfinished rows on a page; what the person ticks there stays untouched."""
    asked = [found for text in request.GET["states"].split(",")[:50] if (found := _uuid(text))]
    rows = list(queries.visible(request.principal).filter(pk__in=asked))
    reasons = waiting.of_list(pipelines.get("upload"), rows)
    context = {
        "rows": [(upload, reasons.get(upload.pk)) for upload in rows],
        "states_url": _states_url([upload for upload in rows if upload.finished_at is None]),
        "is_oob": True,
    }
    return page(request, "ingestion/uploads.html", context, part="uploads-states")


@require_safe
@signed_in
def detail(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """One address for the page, its live part while it has no verdict, and the table of refused rows."""
    upload = _find(request, upload_id)
    if request.htmx and request.htmx.target == "upload-live":
        return _live(request, upload)
    context = {
        "upload": upload,
        "said": sentences.of(upload),
        "attempts": attempts_of("upload", upload.pk),
        "groups": list(queries.error_groups(upload)),
        "reports": reports_of(upload),
        "may_withdraw": request.principal.can("withdraw", upload.organisation),
        "repeated": upload.repeats if upload.repeats_id else None,
        **_progress(upload),
        **_rows(request, upload),
    }
    return page(request, "ingestion/upload.html", context, part="rows")


def _live(request: Request, upload: Upload) -> HttpResponse:
    """With the verdict the whole page changes, its title too: it is loaded anew."""
    if upload.finished_at is not None or upload.asked_at is not None:
        answer = HttpResponse(status=204)
        answer["HX-Refresh"] = "true"
        return answer
    context = {"upload": upload, "attempts": attempts_of("upload", upload.pk), **_progress(upload)}
    return page(request, "ingestion/upload.html", context, part="upload-live")


@require_http_methods(["GET", "POST"])
@signed_in
def cancellation(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    upload = _find(request, upload_id)
    if not request.principal.can("withdraw", upload.organisation):
        raise PermissionDenied
    question = Question(
        title=f"Withdraw {upload.filename}?",
        sentence="Nothing of it will be stored. The file itself is kept, and so is the story of this upload.",
        act="Withdraw",
        back_url=reverse("upload", args=[upload.pk]),
        kind="grave",
    )

    def act(why: str) -> str:
        uploads.withdraw(upload=upload, by=request.principal, why=why)
        return f"{upload.filename} is withdrawn. Nothing of it is stored."

    return with_reason(request, question, act)


def _find(request: Request, upload_id: uuid.UUID) -> Upload:
    found: Upload = get_object_or_404(queries.visible(request.principal), pk=upload_id)
    return found


def _progress(upload: Upload) -> dict[str, Any]:
    return {
        "steps": page_queries.steps(upload),
        "why_waiting": waiting.why(pipelines.get("upload"), upload),
        "rate": page_queries.rate(upload),
    }


def _rows(request: Request, upload: Upload) -> dict[str, Any]:
    """The refused rows under the filters of the address."""
    form = RowFilter(request.GET)
    asked = {name: request.GET.get(name, "")[:100] for name in ("code", "column", "text")}
    found = queries.error_rows(upload, **asked)
    listed = paging.of_request(request, found, limit=ROWS_A_PAGE, newest_first=False, by="row")
    letters, lines = page_queries.lines(listed.items)
    headers = {group.column: group.header for group in queries.error_groups(upload)}
    return {
        "row_form": form,
        "heads": [(letter, headers.get(letter, "")) for letter in letters],
        "lines": lines,
        "row_list": listed,
        "is_filtered": any(asked.values()),
        "asked": asked,
    }


def _states_url(unfinished: list[Upload]) -> str:
    if not unfinished:
        return ""
    return f"{reverse('uploads')}?states={','.join(str(upload.pk) for upload in unfinished)}"


def _may_upload(request: Request) -> bool:
    principal = request.principal
    return principal.is_operator or bool(principal.roles)


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
