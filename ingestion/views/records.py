"""The records of a dataset, and one record with the values it had before."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from ingestion import dataset_pages, queries
from ingestion.models import Record
from ingestion.views.datasets import find
from work import paging
from work.access import signed_in
from work.views.requests import Request, page

EARLIER_SHOWN = 50


@require_safe
@signed_in
def listing(request: Request, organisation: str, slug: str) -> HttpResponse:
    dataset = find(request, organisation, slug)
    columns = dataset_pages.columns(dataset.schema_versions.latest("number").schema)
    found = queries.records(dataset.pk).select_related("upload")
    listed = paging.of_request(request, found, newest_first=False)
    context = {
        "dataset": dataset,
        "columns": columns,
        "rows": [(record, dataset_pages.values(record.data, columns)) for record in listed.items],
        "list": listed,
        "total": dataset_pages.counted_records(dataset),
        "may_upload": request.principal.can("upload", dataset.organisation),
    }
    return page(request, "ingestion/records.html", context, part="records-table")


@require_safe
@signed_in
def detail(request: Request, organisation: str, slug: str, record: int) -> HttpResponse:
    dataset = find(request, organisation, slug)
    found: Record = get_object_or_404(queries.every_record(dataset.pk).select_related("upload"), pk=record)
    columns = dataset_pages.columns(dataset.schema_versions.latest("number").schema)
    earlier = list(queries.earlier_values(found)[: EARLIER_SHOWN + 1])
    context = {
        "dataset": dataset,
        "record": found,
        "name": dataset_pages.key_text(found),
        "values": list(zip(columns, dataset_pages.values(found.data, columns), strict=True)),
        "history": dataset_pages.changes(found, earlier, columns)[:EARLIER_SHOWN],
        "is_cut": len(earlier) > EARLIER_SHOWN,
    }
    return TemplateResponse(request, "ingestion/record.html", context)
