"""Uploads: the list, one upload from accepted to its verdict, and withdrawing it."""

import uuid
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from ingestion import (
    error_pages,
    list_filters,
    mending_file,
    page_queries,
    queries,
    reprocessing,
    sentences,
    stories,
    uploads,
)
from ingestion.error_pages import ErrorPage
from ingestion.forms import RowFilter, UploadFilter
from ingestion.models import ErrorCount, Upload
from ingestion.states import UploadState
from ingestion.views import reprocessing as reprocessing_views
from ingestion.views.downloads import reports_of
from work import paging, pipelines, polling, waiting
from work.access import signed_in
from work.counting import Counted, bounded
from work.problems import Problem
from work.views.requests import Question, Request, page, reading, with_reason, word
from work.views.stories import attempts_of

ROWS_A_PAGE = 25
TO_MEND = (UploadState.PARTIAL, UploadState.FAILED)
# Filters of which no index gives the uploads in the order of the list.
WITHOUT_ORDER = ("status", "text", "sender")
BEFORE_ALL = uuid.UUID(int=0)


@require_safe
@signed_in
def listing(request: Request) -> HttpResponse:
    """The table holds boxes to tick, so it is not read again by itself; the states of its rows are."""
    if request.htmx and "first" in request.GET:
        return _live_list(request)
    uploads_seen = _filtered(request)
    matching = bounded(uploads_seen)
    are_few = not matching.is_more and any(request.GET.get(name) for name in WITHOUT_ORDER)
    listed = paging.of_request(request, uploads_seen, are_few=are_few)
    again = reprocessing.latest_of(upload.pk for upload in listed.items)
    for upload in listed.items:
        upload.read_again = again.get(upload.pk)  # type: ignore[attr-defined]  # for the template
    reasons = waiting.of_list(pipelines.get("upload"), listed.items)
    context = {
        "form": UploadFilter(request.GET, principal=request.principal),
        "rows": [(upload, reasons.get(upload.pk)) for upload in listed.items],
        "list": listed,
        "matching": matching,
        "several": request.principal.organisations().count() > 1,
        "may_upload": _may_upload(request),
        **_live_line(request, listed.items, newer=Counted(0)),
    }
    return page(request, "ingestion/uploads.html", context, part="uploads-table")


def _live_list(request: Request) -> HttpResponse:
    """Counts, and the states of the rows on a page; what the person ticks there stays untouched."""
    first, asked = _uuid(request.GET["first"]), request.GET.get("states", "").split(",")[:50]
    query = request.GET.copy()
    for name in ("first", "states"):
        query.pop(name, None)
    request.GET = query  # type: ignore[assignment]  # the address of the page, for the links in the part
    shown = list(
        queries.visible(request.principal).filter(pk__in=[pk for text in asked if (pk := _uuid(text))])
    )
    reasons = waiting.of_list(pipelines.get("upload"), shown)
    newer = page_queries.newer_than(_filtered(request), first) if first else Counted(0)
    context = {
        "rows": [(upload, reasons.get(upload.pk)) for upload in shown],
        "is_oob": True,
        **_live_line(request, shown, newer=newer, first=first),
    }
    return page(request, "ingestion/uploads.html", context, part="uploads-live")


def _filtered(request: Request, **how: bool) -> QuerySet[Upload]:
    return list_filters.apply(queries.visible(request.principal), request.GET, **how)


def _live_line(
    request: Request, shown: list[Upload], *, newer: Counted, first: uuid.UUID | None = None
) -> dict[str, Any]:
    """What the live part of the list says, and the address it reads itself again from."""
    if first is None and "cursor" not in request.GET:
        first = shown[0].pk if shown else BEFORE_ALL
    unfinished = [str(upload.pk) for upload in shown if upload.finished_at is None]
    query = request.GET.copy()
    list_url = f"{request.path}?{query.urlencode()}"
    query["first"], query["states"] = str(first or ""), ",".join(unfinished)
    live = reading(request)
    return {
        "pills": page_queries.state_pills(_filtered(request, status=False, among_few=True)),
        "newer": newer,
        "list_url": list_url,
        "live": replace(live, url=f"{request.path}?{query.urlencode()}"),
    }


@require_safe
@signed_in
def detail(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """One address for the page, its live part while it has no verdict, and the table of refused rows."""
    upload = _find(request, upload_id)
    if request.htmx and request.htmx.target == "upload-live":
        return _live(request, upload)
    if "row" in request.GET:
        return _to_row(upload, request.GET["row"])
    groups = list(queries.error_groups(upload))
    context = {"upload": upload, "groups": groups, **_rows(request, upload, groups)}
    if not request.htmx:
        context |= {
            **_story(request, upload),
            "attempts": attempts_of("upload", upload.pk),
            "reports": reports_of(upload),
            "may_withdraw": request.principal.can("withdraw", upload.organisation),
            "may_answer": bool(upload.asking) and request.principal.can("answer", upload.organisation),
            "may_store": _may_store(request, upload),
            "repeated": upload.repeats if upload.repeats_id else None,
            "again": reprocessing_views.of_upload(request, upload),
            **_progress(upload),
        }
    return page(request, "ingestion/upload.html", context, part="rows")


def _story(request: Request, upload: Upload) -> dict[str, Any]:
    """A chain of files that mend one another is told as one, on the page of each."""
    story = stories.of(upload)
    is_told = story.is_chain and upload.finished_at is not None
    may_send = request.principal.can("upload", upload.organisation)
    mendable = story.goes_on_with if story.is_chain else upload if stories.may_be_mended(upload) else None
    return {
        "story": story if story.is_chain else None,
        "said": sentences.of_story(story) if is_told else sentences.of(upload),
        "may_mend": upload.state in TO_MEND and may_send,
        "mendable": mendable if may_send else None,
        "in_grid": mendable is not None and mending_file.fits_the_grid(mendable),
    }


def _live(request: Request, upload: Upload) -> HttpResponse:
    """With the verdict, or a question, the whole page changes, its title too: it is loaded anew."""
    if upload.finished_at is not None or upload.asked_at is not None:
        answer = HttpResponse(status=204)
        answer["HX-Refresh"] = "true"
        return answer
    context = {"upload": upload, "attempts": attempts_of("upload", upload.pk), **_progress(upload)}
    return page(request, "ingestion/upload.html", context, part="upload-live")


def _to_row(upload: Upload, given: str) -> HttpResponse:
    """`?row=118` leads to the page of refused rows that begins with it: an address to send to others."""
    here = reverse("upload", args=[upload.pk])
    if not (given.isascii() and given.isdigit() and 0 < int(given[:10]) < 2**31):
        return redirect(f"{here}#rows")
    return redirect(f"{here}?cursor={paging.after(int(given[:10]) - 1)}#row-{int(given[:10])}")


@require_http_methods(["GET", "POST"])
@signed_in
def cancellation(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    upload = _find(request, upload_id)
    if not request.principal.can("withdraw", upload.organisation):
        raise PermissionDenied
    if upload.finished_at is not None:
        messages.warning(request, f"Nothing was changed: {upload.filename} is {word(upload.state)} already.")
        return redirect("upload", upload_id=upload.pk)
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
        "step_title": page_queries.step_title(upload),
        "why_waiting": waiting.why(pipelines.get("upload"), upload),
        "rate": page_queries.rate(upload),
        "seconds": None if upload.asked_at else polling.seconds_since(upload.accepted_at),
    }


def _rows(request: Request, upload: Upload, groups: list[ErrorCount]) -> dict[str, Any]:
    """The refused rows under the filters of the address."""
    asked = {name: request.GET.get(name, "")[:100] for name in ("code", "column", "text")}
    listed = _error_page(upload, request.GET.get("cursor"), asked)
    heads, lines = page_queries.lines(upload, listed.items)
    return {
        "row_form": RowFilter(request.GET, groups=groups),
        "heads": heads,
        "lines": lines,
        "row_list": listed,
    }


def _may_store(request: Request, upload: Upload) -> bool:
    """A file that was only tried, and would store something."""
    is_worth_it = upload.dry_run and upload.state in (UploadState.PROCESSED, UploadState.PARTIAL)
    return is_worth_it and request.principal.can("upload", upload.organisation)


def _error_page(upload: Upload, cursor: str | None, asked: dict[str, str]) -> ErrorPage:
    """A malformed cursor gives the first page."""
    try:
        return error_pages.error_page(upload, cursor=cursor, limit=ROWS_A_PAGE, **asked)
    except Problem:
        return error_pages.error_page(upload, cursor=None, limit=ROWS_A_PAGE, **asked)


def _may_upload(request: Request) -> bool:
    principal = request.principal
    return principal.is_operator or bool(principal.roles)


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
