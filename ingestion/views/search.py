"""The search index of a dataset, and the jobs that rebuild one: what stands, how far they are, asking."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_POST, require_safe

from accounts import scoping
from ingestion.models import IndexComparison, ParkedDocument, Record, Reindex
from ingestion.search import changes, pipelines, rebuilding, reindexes, updating
from ingestion.search.index import index
from ingestion.search.values import sortable_fields
from ingestion.views.datasets import find
from work import failure_texts, paging, waiting
from work.access import signed_in
from work.views.requests import ENDED, Request, page, reading
from work.views.stories import attempts_of

PARKED_SHOWN = 100


@require_safe
@signed_in
def detail(request: Request, organisation: str, slug: str) -> HttpResponse:
    dataset = find(request, organisation, slug)
    live = index().live(dataset.pk)
    marked = sortable_fields(dataset.schema_versions.latest("number").schema)
    context = {
        "dataset": dataset,
        "fields": live.fields if live else marked,
        "is_built": live is not None,
        "is_other": live is not None and live.fields != marked,
        "waiting": changes.waiting(dataset.pk),
        "documents": index().digest(dataset.pk).count if live else 0,
        "comparison": IndexComparison.objects.filter(dataset=dataset).first(),
        "parked": _parked(dataset.pk),
        "reindexes": Reindex.objects.filter(dataset=dataset).order_by("-pk")[:10],
        "may_manage": request.principal.can("manage", dataset.organisation),
        "may_operate": request.principal.is_operator,
    }
    return TemplateResponse(request, "ingestion/search_index.html", context)


@require_POST
@signed_in
def rebuild(request: Request, organisation: str, slug: str) -> HttpResponse:
    dataset = find(request, organisation, slug)
    if not request.principal.can("manage", dataset.organisation):
        raise PermissionDenied
    asked = reindexes.request(organisation=dataset.organisation, dataset=dataset, by=request.principal)
    return _asked(request, *asked)


@require_POST
@signed_in
def retry(request: Request, organisation: str, slug: str) -> HttpResponse:
    dataset = find(request, organisation, slug)
    if not request.principal.is_operator:
        raise PermissionDenied
    number = updating.retry_parked(dataset)
    messages.success(request, f"{number} records are tried again. Those that are refused again stay here.")
    return redirect("search_index", organisation=organisation, slug=slug)


@require_safe
@signed_in
def listing(request: Request) -> HttpResponse:
    listed = paging.of_request(request, _visible(request))
    principal = request.principal
    context = {
        "rows": listed.items,
        "list": listed,
        "several": principal.organisations().count() > 1,
        "organisation": scoping.chosen(request) if principal.is_operator else None,
    }
    return page(request, "ingestion/reindexes.html", context, part="reindexes-table")


@require_POST
@signed_in
def rebuild_organisation(request: Request, organisation: str) -> HttpResponse:
    """By operators: it keeps a worker busy for as long as all its records take."""
    found = get_object_or_404(request.principal.organisations(), slug=organisation)
    if not request.principal.is_operator:
        raise PermissionDenied
    return _asked(request, *reindexes.request(organisation=found, by=request.principal))


@require_safe
@signed_in
def job(request: Request, reindex_id: uuid.UUID) -> HttpResponse:
    reindex: Reindex = get_object_or_404(_visible(request), pk=reindex_id)
    reason = waiting.why(pipelines.REINDEXES, reindex) if reindex.finished_at is None else None
    failure = failure_texts.describe(reindex.failure_code, reindex.failure_detail)
    context = {
        "reindex": reindex,
        "label": rebuilding.label(reindex),
        "why_waiting": reason,
        "failure": failure if reindex.failure_code else None,
        "live": ENDED if reindex.finished_at else reading(request),
        "attempts": attempts_of("reindex", reindex.pk),
    }
    return page(request, "ingestion/reindex.html", context, part="reindex-live")


def _visible(request: Request) -> QuerySet[Reindex]:
    found: QuerySet[Reindex] = request.principal.sees(
        Reindex.objects.select_related("organisation", "dataset__organisation")
    )
    return found


def _asked(request: Request, reindex: Reindex, is_new: bool) -> HttpResponse:
    if not is_new:
        messages.info(request, "It is being rebuilt already: this is the rebuild that is unfinished.")
    return redirect("reindex", reindex_id=reindex.pk)


def _parked(dataset: uuid.UUID) -> list[Any]:
    """Each with its record, if it is still there, and the reason in words."""
    rows = list(ParkedDocument.objects.filter(dataset=dataset).order_by("pk")[:PARKED_SHOWN])
    known = set(
        Record.objects.filter(dataset=dataset, pk__in=[row.record for row in rows]).values_list(
            "pk", flat=True
        )
    )
    return [(row, row.record in known, failure_texts.describe(row.reason, {})) for row in rows]
