"""Reading a kept file again, by button; and two verdicts on it side by side."""

import uuid
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from ingestion import differences, queries, reprocessing
from ingestion.differences import Difference
from ingestion.models import Upload
from ingestion.reprocessing import WITH_A_VERDICT, Since
from work import identifiers, paging
from work.access import signed_in
from work.models import Decision
from work.problems import Problem
from work.views.requests import ReasonForm, Request, page

READINGS_SHOWN = 10
ROWS_A_PAGE = 25
REFUSED, ACCEPTED = "newly_refused", "newly_accepted"


class ReprocessForm(ReasonForm):
    """The nonce makes a second press the same reading; the button says whether it is a trial."""

    nonce = forms.UUIDField(widget=forms.HiddenInput)


@dataclass(frozen=True)
class Again:
    """What the page of an upload says of reading its file again. `since` is None while it has no verdict."""

    readings: list[Upload]
    asked: Decision | None
    since: Since | None
    may: bool
    compares_with: uuid.UUID | None


def of_upload(request: Request, upload: Upload) -> Again:
    has_verdict = upload.state in WITH_A_VERDICT
    readings = list(reprocessing.readings_of(upload)[:READINGS_SHOWN]) if upload.finished_at else []
    others = [each for each in readings if each.state in WITH_A_VERDICT]
    first = next((each.pk for each in others if each.pk == upload.reprocesses_id), None)
    return Again(
        readings=readings,
        asked=reprocessing.asked_by(upload),
        since=reprocessing.since_verdict(upload) if has_verdict else None,
        may=has_verdict and request.principal.can("upload", upload.organisation),
        compares_with=first if has_verdict else None,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def reprocess(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    upload: Upload = get_object_or_404(queries.visible(request.principal), pk=upload_id)
    if not request.principal.can("upload", upload.organisation):
        raise PermissionDenied
    if request.method != "POST":
        return _question(request, upload, ReprocessForm(initial={"nonce": identifiers.uuid7()}))
    form = ReprocessForm(request.POST)
    if not form.is_valid():
        return _question(request, upload, form, status=422)
    try:
        again = reprocessing.reprocess(
            upload=upload,
            by=request.principal,
            why=form.cleaned_data["why"],
            dry_run=request.POST.get("act") == "try",
            idempotency_key=str(form.cleaned_data["nonce"]),
        )
    except Problem as problem:
        messages.warning(request, f"{problem.message} {problem.remedy}".strip())
        return redirect("upload", upload_id=upload.pk)
    messages.success(request, _sentence(again.upload, already=again.already))
    return redirect("upload", upload_id=again.upload.pk)


@require_safe
@signed_in
def differing(request: Request, upload_id: uuid.UUID) -> HttpResponse:
    """Two verdicts; the rows of one kind at a time, since there may be any number of either."""
    seen = queries.visible(request.principal)
    upload: Upload = get_object_or_404(seen, pk=upload_id)
    try:
        before, after = differences.comparable(upload, _uuid(request.GET.get("against", "")), seen)
    except Problem as problem:
        messages.warning(request, f"{problem.message} {problem.remedy}".strip())
        return redirect("upload", upload_id=upload.pk)
    found = differences.between(before, after)
    kind = _kind(request.GET.get("rows", ""), found)
    shows_accepted = kind == ACCEPTED
    one, other = (before, after) if shows_accepted else (after, before)
    rows = differences.rows_refused_only_by(one, other)
    context = {
        "found": found,
        "upload": after,
        "other": before,
        "pills": [
            (REFUSED, "Newly refused", found.newly_refused),
            (ACCEPTED, "Newly accepted", found.newly_accepted),
        ],
        "kind": kind,
        "shows_accepted": shows_accepted,
        "list": paging.of_request(request, rows, limit=ROWS_A_PAGE, newest_first=False, by="row"),
    }
    return page(request, "ingestion/differences.html", context, part="rows")


def _kind(asked: str, found: Difference) -> str:
    """The kind of rows that is shown: as the address says, else the first that has any."""
    if asked in (REFUSED, ACCEPTED):
        return asked
    return ACCEPTED if found.newly_accepted and not found.newly_refused else REFUSED


def _question(request: Request, upload: Upload, form: ReprocessForm, status: int = 200) -> HttpResponse:
    if upload.state not in WITH_A_VERDICT:
        messages.warning(request, "It has no verdict, so there is nothing to give again.")
        return redirect("upload", upload_id=upload.pk)
    context: dict[str, Any] = {"upload": upload, "form": form, "since": reprocessing.since_verdict(upload)}
    return TemplateResponse(request, "ingestion/reprocess.html", context, status=status)


def _sentence(upload: Upload, *, already: bool) -> str:
    if already:
        return f"{upload.filename} is being read again already. Here it is."
    if upload.dry_run:
        return f"{upload.filename} is read again on trial: it gets a verdict, and nothing of it is stored."
    return f"{upload.filename} is accepted to be read again. What it changes is said here, with its verdict."


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
