"""Sending a spreadsheet by the form. It is accepted, not processed: the page that follows says how it goes
on.
"""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingestion import dataset_pages, uploads
from ingestion.forms import UploadForm
from ingestion.models import Dataset, Upload
from work.access import signed_in
from work.identifiers import uuid7
from work.problems import Problem
from work.views.requests import Request, page

REUSED = "This form was sent before with another file, and that one was accepted. Send again to add this one."


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new(request: Request) -> HttpResponse:
    """A refusal keeps the form and stands at its field. For htmx: what the chosen dataset expects."""
    if request.method != "POST":
        chosen = _asked_for(request)
        form = UploadForm(principal=request.principal, initial={"dataset": chosen, "mends": _mended(request)})
        return _page(request, form, chosen)
    form = UploadForm(request.POST, request.FILES, principal=request.principal)
    if not form.is_valid():
        return _page(request, form, form.cleaned_data.get("dataset"), status=422)
    dataset, file = form.cleaned_data["dataset"], form.cleaned_data["file"]
    if not request.principal.can("upload", dataset.organisation):
        raise PermissionDenied
    try:
        accepted = uploads.accept(
            dataset=dataset,
            stream=file,
            size=file.size,
            filename=file.name,
            by=request.principal,
            idempotency_key=str(form.cleaned_data["nonce"]),
            options=form.options(),
        )
    except Problem as problem:
        _refuse(form, problem)
        return _page(request, form, dataset, status=problem.status if problem.status >= 500 else 422)
    messages.success(request, _sentence(accepted))
    return onward(request, reverse("upload", args=[accepted.upload.pk]))


def onward(request: Request, url: str) -> HttpResponse:
    """The script that sends the file would follow a redirect itself, and what is said there would be lost."""
    if "X-Transfer" in request.headers:
        return HttpResponse(status=202, headers={"Location": url})
    return redirect(url)


def _refuse(form: UploadForm, problem: Problem) -> None:
    """A form that came back from the browser's history holds a nonce that is spent: it gets another."""
    if problem.code == "reading_not_valid":
        form.refuse_reading(problem)
        return
    if problem.code != "idempotency_key_reused":
        form.add_error("file", f"{problem.message} {problem.remedy}".strip())
        return
    form.add_error("file", REUSED)
    form.data = {**form.data.dict(), "nonce": str(uuid7())}  # type: ignore[attr-defined]


def _sentence(accepted: uploads.Accepted) -> str:
    name = accepted.upload.filename
    if accepted.already_accepted:
        return f"{name} had been accepted already; this is that upload. It was not accepted twice."
    if accepted.upload.dry_run:
        return (
            f"{name} is accepted, to be tried. Nothing of it will be stored; this page says how it goes on."
        )
    return f"{name} is accepted and kept. A worker reads it next; this page says how it goes on."


def _asked_for(request: Request) -> Dataset | None:
    """By id, as the form's field names it, or by slug, as links of other pages do."""
    given, owner = request.GET.get("dataset", ""), request.GET.get("organisation", "")
    found = request.principal.sees(dataset_pages.every())
    try:
        return found.filter(pk=uuid.UUID(given)).first()
    except ValueError:
        found = found.filter(slug=given)
    return (found.filter(organisation__slug=owner) if owner else found).first()


def _mended(request: Request) -> Upload | None:
    """The upload whose refused rows the file is to bring, as its page says in the address."""
    try:
        wanted = uuid.UUID(request.GET.get("mends", ""))
    except ValueError:
        return None
    return request.principal.sees(Upload.objects.all()).filter(pk=wanted).first()


def _page(request: Request, form: UploadForm, chosen: Dataset | None, status: int = 200) -> HttpResponse:
    """Also the columns that each dataset expects, so that people need not look them up."""
    offered: list[Dataset] = list(form.fields["dataset"].queryset[:50])  # type: ignore[attr-defined]
    context: dict[str, Any] = {
        "form": form,
        "mended": _mended(request),
        "limit": settings.MAX_UPLOAD_BYTES,
        "offered": offered,
        "chosen": dataset_pages.with_columns([chosen])[0] if chosen else None,
        "others": dataset_pages.with_columns([each for each in offered if each != chosen]),
    }
    return page(request, "ingestion/upload_new.html", context, part="expected", status=status)
