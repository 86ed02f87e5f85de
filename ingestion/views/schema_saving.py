"""From a draft to a dataset or to its next version: what the change does is shown before it is made."""

import json
import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingestion import datasets, schema_differences, schema_drafts, schema_impact, uploads
from ingestion.checking.schemas import validate_schema
from ingestion.draft_forms import DatasetSavingForm, DraftJsonForm
from ingestion.models import Dataset, SchemaDraft
from ingestion.schema_impact import Impact
from ingestion.views.schema_editor import MOVED, draft_of
from work import downloads
from work.access import signed_in
from work.failures import StateChanged
from work.problems import Problem
from work.storage import files
from work.views.requests import Request

# Records that a page looks at before it answers: some seconds' worth.
LOOKED_AT = 20_000


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def saving(request: Request, draft_id: uuid.UUID) -> HttpResponse:
    found = draft_of(request, draft_id)
    if found.dataset is None:
        return _first(request, found)
    return _next(request, found, found.dataset)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def as_json(request: Request, draft_id: uuid.UUID) -> HttpResponse:
    """The draft as JSON, to read, to take along (`?download=1`) and to paste over."""
    found = draft_of(request, draft_id)
    text = json.dumps(found.schema, ensure_ascii=False, indent=2)
    if request.GET.get("download"):
        answer = HttpResponse(text + "\n", content_type="application/json")
        answer["Content-Disposition"] = downloads.disposition(f"{found} schema.json")
        return answer
    if request.method != "POST":
        return _json_page(request, found, DraftJsonForm(initial={"schema": text, "revision": found.revision}))
    form = DraftJsonForm(request.POST)
    if not form.is_valid():
        return _json_page(request, found, form, status=422)
    if form.cleaned_data["revision"] != found.revision:
        form.add_error(None, MOVED)
        form.data = {**form.data.dict(), "revision": str(found.revision)}  # type: ignore[attr-defined]
        return _json_page(request, found, form, status=422)
    for problem in validate_schema(form.cleaned_data["schema"]):
        form.add_error("schema", f"{problem.path}: {problem.message}" if problem.path else problem.message)
    if form.errors:
        return _json_page(request, found, form, status=422)
    try:
        schema_drafts.change(draft=found, schema=form.cleaned_data["schema"])
    except StateChanged:
        form.add_error(None, MOVED)
        return _json_page(request, found, form, status=422)
    messages.success(request, "The draft says what the JSON says.")
    return redirect("schema_draft", draft_id=found.pk)


def _first(request: Request, found: SchemaDraft) -> HttpResponse:
    form = DatasetSavingForm(request.POST if request.method == "POST" else None, draft=found)
    if not form.is_valid():
        return _page(request, found, form=form, status=422 if form.is_bound else 200)
    try:
        made = datasets.create(
            organisation=found.organisation,
            slug=form.cleaned_data["slug"],
            title=form.cleaned_data["title"],
            locale=form.cleaned_data["locale"],
            schema=found.schema,
            by=request.principal,
        )
    except Problem as problem:
        _refuse(form, problem)
        return _page(request, found, form=form, status=422)
    messages.success(request, f"{made.title} is made. It takes spreadsheets from now on.")
    onward = reverse("dataset", args=[found.organisation.slug, made.slug])
    if form.cleaned_data.get("send_sample"):
        onward = _send_sample(request, found, made) or onward
    schema_drafts.throw_away(draft=found)
    return redirect(onward)


def _send_sample(request: Request, found: SchemaDraft, made: Dataset) -> str | None:
    """Where the upload of the sample is; None, with a sentence, when it was not accepted."""
    try:
        with files().open(found.sample_key) as stream:
            accepted = uploads.accept(
                dataset=made,
                stream=stream,
                filename=found.sample_name,
                by=request.principal,
                idempotency_key=str(found.pk),
            )
    except (Problem, OSError) as error:
        reason = (
            f"{error.message} {error.remedy}" if isinstance(error, Problem) else "Storage did not give it."
        )
        messages.warning(request, f"The sample was not sent: {reason}")
        return None
    return reverse("upload", args=[accepted.upload.pk])


def _next(request: Request, found: SchemaDraft, dataset: Dataset) -> HttpResponse:
    if request.method != "POST":
        return _page(request, found)
    current = dataset.schema_versions.latest("number")
    if request.POST.get("act") == "rebase":
        schema_drafts.change(draft=found, base_version=current.number)
        return redirect("schema_draft_saving", draft_id=found.pk)
    try:
        changed = datasets.change_schema(
            dataset=dataset, schema=found.schema, if_match=found.base_version, by=request.principal
        )
    except Problem as problem:
        return _page(request, found, problem=problem, status=422)
    schema_drafts.throw_away(draft=found)
    if changed.number == found.base_version:
        messages.info(request, f"Nothing was changed: version {changed.number} says the same.")
    else:
        messages.success(
            request, f"The schema is at version {changed.number}. Uploads are checked by it from now on."
        )
    return redirect("dataset", organisation=dataset.organisation.slug, slug=dataset.slug)


def _page(
    request: Request, found: SchemaDraft, *, form: DatasetSavingForm | None = None,
    problem: Problem | None = None, status: int = 200,
) -> HttpResponse:  # fmt: skip
    """For an existing dataset also what changes, and whether somebody was faster."""
    context: dict[str, Any] = {"draft": found, "form": form, "problem": problem}
    context["problems"] = [
        {"at": each.path, "message": each.message} for each in validate_schema(found.schema)
    ]
    if found.dataset is not None:
        versions = found.dataset.schema_versions.select_related("made_by")
        current, base = versions.latest("number"), versions.get(number=found.base_version)
        context |= {
            "dataset": found.dataset,
            "current": current,
            "has_moved": current.number != base.number,
            "meanwhile": schema_differences.between(base.schema, current.schema),
            "differences": schema_differences.between(current.schema, found.schema),
            "impact": _impact(found, found.dataset),
        }
    return TemplateResponse(request, "ingestion/draft_saving.html", context, status=status)


def _impact(found: SchemaDraft, dataset: Dataset) -> Impact | None:
    """None for a schema that could not be saved: what is wrong with it is said instead."""
    try:
        datasets.refuse_invalid(found.schema, dataset.organisation, dataset.slug)
    except Problem:
        return None
    return schema_impact.preview(dataset=dataset, schema=found.schema, limit=LOOKED_AT)


def _json_page(request: Request, found: SchemaDraft, form: DraftJsonForm, status: int = 200) -> HttpResponse:
    return TemplateResponse(
        request, "ingestion/draft_json.html", {"draft": found, "form": form}, status=status
    )


def _refuse(form: DatasetSavingForm, problem: Problem) -> None:
    field = "slug" if problem.code.startswith("slug_") else None
    listed = problem.extra.get("errors", [])
    for error in listed:
        form.add_error(None, f"{error['at']}: {error['message']}" if error["at"] else error["message"])
    if not listed:
        form.add_error(field, f"{problem.message} {problem.remedy}".strip())
