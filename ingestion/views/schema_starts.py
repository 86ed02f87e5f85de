"""Where drafts begin: from a sample file, from nothing, from the current version; and earlier versions."""

import json
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from ingestion import schema_differences, schema_drafts
from ingestion.draft_forms import SampleForm, StartForm
from ingestion.views.datasets import find, may_manage_any, new_page
from ingestion.views.sending import onward
from work.access import signed_in
from work.problems import Problem
from work.views.requests import Request


@require_POST
@signed_in
def sample(request: Request) -> HttpResponse:
    """A refusal stands at the file, in the reader's own words."""
    if not may_manage_any(request):
        raise PermissionDenied
    form = SampleForm(request.POST, request.FILES, principal=request.principal)
    if not form.is_valid():
        return new_page(request, sample=form, status=422)
    owner, file = form.cleaned_data["organisation"], form.cleaned_data["file"]
    try:
        made = schema_drafts.begin_from_sample(
            organisation=owner, file=file, filename=file.name, by=request.principal
        )
    except Problem as problem:
        form.add_error("file", f"{problem.message} {problem.remedy}".strip())
        return new_page(request, sample=form, status=problem.status if problem.status >= 500 else 422)
    return onward(request, reverse("schema_draft", args=[made.pk]))


@require_POST
@signed_in
def nothing(request: Request) -> HttpResponse:
    if not may_manage_any(request):
        raise PermissionDenied
    form = StartForm(request.POST, principal=request.principal)
    if not form.is_valid():
        return new_page(request, status=422)
    made = schema_drafts.begin_empty(organisation=form.cleaned_data["organisation"], by=request.principal)
    return redirect("schema_draft", draft_id=made.pk)


@require_POST
@signed_in
def current(request: Request, organisation: str, slug: str) -> HttpResponse:
    """The draft of this person for the dataset: the one there is, or one from the current version."""
    dataset = find(request, organisation, slug)
    if not request.principal.can("manage", dataset.organisation):
        raise PermissionDenied
    return redirect(
        "schema_draft", draft_id=schema_drafts.begin_for(dataset=dataset, by=request.principal).pk
    )


@require_safe
@signed_in
def version(request: Request, organisation: str, slug: str, number: int) -> HttpResponse:
    """One version, and how it differs from the one before or from `?against=`."""
    dataset = find(request, organisation, slug)
    versions = dataset.schema_versions.select_related("made_by")
    shown = get_object_or_404(versions, number=number)
    others = [each for each in versions.order_by("-number")[:100] if each.number != number]
    asked = request.GET.get("against", "")
    before = next((each for each in others if str(each.number) == asked), None)
    before = before or next((each for each in others if each.number < number), None)
    context: dict[str, Any] = {
        "dataset": dataset,
        "version": shown,
        "before": before,
        "others": others,
        "differences": schema_differences.between(before.schema, shown.schema) if before else [],
        "text": json.dumps(shown.schema, ensure_ascii=False, indent=2),
    }
    return TemplateResponse(request, "ingestion/schema_version.html", context)
