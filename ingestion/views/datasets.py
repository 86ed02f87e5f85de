"""Datasets: the list, one with its schema and versions, making one, changing its schema as JSON."""

import json
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_safe

from ingestion import dataset_pages, datasets, queries, remembered
from ingestion.draft_forms import SampleForm, StartForm
from ingestion.forms import DatasetForm, SchemaForm
from ingestion.models import Dataset, SchemaDraft, SchemaVersion
from work import paging
from work.access import signed_in
from work.problems import Problem
from work.views.requests import Request, page

LATEST = 10
EXAMPLE = {
    "fields": [
        {"name": "id", "title": "Id", "type": "string", "constraints": {"required": True}},
        {"name": "name", "title": "Name", "type": "string"},
        {"name": "opened", "title": "Opened", "type": "date"},
    ],
    "primaryKey": ["id"],
}


@require_safe
@signed_in
def listing(request: Request) -> HttpResponse:
    listed = paging.of_request(request, request.principal.sees(dataset_pages.every()), newest_first=False)
    context = {
        "rows": dataset_pages.with_numbers(listed.items),
        "list": listed,
        "may_make": may_manage_any(request),
        "several": request.principal.organisations().count() > 1,
    }
    return page(request, "ingestion/datasets.html", context, part="datasets-table")


@require_safe
@signed_in
def detail(request: Request, organisation: str, slug: str) -> HttpResponse:
    dataset = find(request, organisation, slug)
    versions = list(dataset.schema_versions.select_related("made_by").order_by("-number")[:20])
    uploads = queries.visible(request.principal).filter(dataset=dataset).order_by("-pk")[:LATEST]
    context = {
        "dataset": dataset,
        "columns": dataset_pages.columns(versions[0].schema),
        "key": dataset_pages.key_names(versions[0].schema),
        "versions": versions,
        "version_note": f"Table Schema, version {versions[0].number}",
        "uploads": uploads,
        "remembered": list(remembered.of_dataset(dataset.pk)[:200]),
        "records": dataset_pages.counted_records(dataset),
        "may_manage": request.principal.can("manage", dataset.organisation),
        "may_upload": request.principal.can("upload", dataset.organisation),
    }
    return TemplateResponse(request, "ingestion/dataset.html", context)


@require_http_methods(["GET", "POST"])
@signed_in
def new(request: Request) -> HttpResponse:
    if not may_manage_any(request):
        raise PermissionDenied
    if request.method == "GET":
        return new_page(request)
    form = DatasetForm(request.POST, principal=request.principal)
    if not form.is_valid():
        return new_page(request, form, status=422)
    try:
        made = datasets.create(by=request.principal, **form.cleaned_data)
    except Problem as problem:
        _refuse(form, problem)
        return new_page(request, form, status=422)
    messages.success(request, f"{made.title} is made. It takes spreadsheets from now on.")
    return redirect("dataset", organisation=made.organisation.slug, slug=made.slug)


@require_http_methods(["GET", "POST"])
@signed_in
def schema(request: Request, organisation: str, slug: str) -> HttpResponse:
    """What was typed is kept when it is refused, or when somebody made a version meanwhile."""
    dataset = find(request, organisation, slug)
    if not request.principal.can("manage", dataset.organisation):
        raise PermissionDenied
    current = dataset.schema_versions.select_related("made_by").latest("number")
    if request.method == "GET":
        form = SchemaForm(initial={"schema": _json(current.schema), "version": current.number})
        return _schema_page(request, dataset, current, form)
    form = SchemaForm(request.POST)
    if not form.is_valid():
        return _schema_page(request, dataset, current, form, status=422)
    try:
        changed = datasets.change_schema(
            dataset=dataset,
            schema=form.cleaned_data["schema"],
            if_match=form.cleaned_data["version"],
            by=request.principal,
        )
    except Problem as problem:
        _refuse(form, problem)
        current = dataset.schema_versions.select_related("made_by").latest("number")
        return _schema_page(request, dataset, current, form, status=422)
    if changed.number == form.cleaned_data["version"]:
        messages.info(request, f"Nothing was changed: version {changed.number} says the same.")
    else:
        messages.success(
            request, f"The schema is at version {changed.number}. Uploads are checked by it from now on."
        )
    return redirect("dataset", organisation=organisation, slug=slug)


def find(request: Request, organisation: str, slug: str) -> Dataset:
    seen = request.principal.sees(Dataset.objects.select_related("organisation"))
    found: Dataset = get_object_or_404(seen, organisation__slug=organisation, slug=slug)
    return found


def _refuse(form: DatasetForm | SchemaForm, problem: Problem) -> None:
    """Problems of the schema are listed one by one with their place in it."""
    listed: list[dict[str, str]] = problem.extra.get("errors", [])
    for error in listed:
        form.add_error("schema", f"{error['at']}: {error['message']}" if error["at"] else error["message"])
    if not listed and problem.code != "schema_changed_meanwhile":
        field = "slug" if problem.code == "slug_taken" else "schema"
        form.add_error(field, f"{problem.message} {problem.remedy}".strip())


def new_page(
    request: Request, form: DatasetForm | None = None, *, sample: SampleForm | None = None, status: int = 200
) -> TemplateResponse:
    """Three ways to begin, and the drafts that this person has begun already."""
    own = SchemaDraft.objects.filter(made_by=request.principal.user, dataset=None)
    context = {
        "form": form or DatasetForm(principal=request.principal, initial={"schema": _json(EXAMPLE)}),
        "sample": sample or SampleForm(principal=request.principal),
        "start": StartForm(principal=request.principal),
        "limit": settings.MAX_UPLOAD_BYTES,
        "drafts": own.order_by("-changed_at")[:10],
    }
    return TemplateResponse(request, "ingestion/dataset_new.html", context, status=status)


def _schema_page(
    request: Request, dataset: Dataset, current: SchemaVersion, form: SchemaForm, status: int = 200
) -> TemplateResponse:
    """When somebody was faster, the form goes on from the newer version, which is shown beside it."""
    context: dict[str, Any] = {"dataset": dataset, "current": current, "form": form}
    given = form.data.get("version", "") if form.is_bound else str(current.number)
    context["moved"] = given.isdecimal() and given != str(current.number)
    context["current_text"] = _json(current.schema)
    if form.is_bound and given != str(current.number):
        form.data = {**form.data.dict(), "version": str(current.number)}  # type: ignore[attr-defined]
    return TemplateResponse(request, "ingestion/dataset_schema.html", context, status=status)


def may_manage_any(request: Request) -> bool:
    return any(request.principal.can("manage", each) for each in request.principal.organisations()[:100])


def _json(schema: Any) -> str:
    return json.dumps(schema, ensure_ascii=False, indent=2)
