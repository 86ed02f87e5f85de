"""Sending a spreadsheet by the form. It is accepted, not processed: the page that follows says how it goes
on.
"""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from ingestion import dataset_pages, uploads
from ingestion.forms import UploadForm
from work.access import signed_in
from work.problems import Problem
from work.views.requests import Request


@require_http_methods(["GET", "POST"])
@signed_in
def new(request: Request) -> HttpResponse:
    """A refusal keeps the form and stands at its field."""
    if request.method == "GET":
        return _page(request, UploadForm(principal=request.principal, initial=_initial(request)))
    form = UploadForm(request.POST, request.FILES, principal=request.principal)
    if not form.is_valid():
        return _page(request, form, status=422)
    dataset = form.cleaned_data["dataset"]
    if not request.principal.can("upload", dataset.organisation):
        raise PermissionDenied
    file = form.cleaned_data["file"]
    try:
        accepted = uploads.accept(
            dataset=dataset,
            stream=file,
            size=file.size,
            filename=file.name,
            by=request.principal,
            idempotency_key=str(form.cleaned_data["nonce"]),
        )
    except Problem as problem:
        form.add_error("file", f"{problem.message} {problem.remedy}".strip())
        return _page(request, form, status=problem.status if problem.status >= 500 else 422)
    messages.success(request, _sentence(accepted))
    return redirect("upload", upload_id=accepted.upload.pk)


def _sentence(accepted: uploads.Accepted) -> str:
    name = accepted.upload.filename
    if accepted.already_accepted:
        return f"{name} had been accepted already; this is that upload. It was not accepted twice."
    return f"{name} is accepted and kept. A worker reads it next; this page says how it goes on."


def _initial(request: Request) -> dict[str, Any]:
    slug, owner = request.GET.get("dataset", ""), request.GET.get("organisation", "")
    found = request.principal.sees(dataset_pages.every()).filter(slug=slug)
    chosen = found.filter(organisation__slug=owner).first() if owner else found.first()
    return {"dataset": chosen} if chosen else {}


def _page(request: Request, form: UploadForm, status: int = 200) -> TemplateResponse:
    """Also the columns that each dataset expects, so that people need not look them up."""
    datasets = list(form.fields["dataset"].queryset[:50])  # type: ignore[attr-defined]
    context = {
        "form": form,
        "limit": settings.MAX_UPLOAD_BYTES,
        "expected": dataset_pages.with_columns(datasets),
    }
    return TemplateResponse(request, "ingestion/upload_new.html", context, status=status)
