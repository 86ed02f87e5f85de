"""The records of a dataset, and one record with its history."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_safe

from ingestion import dataset_pages, queries, record_history
from ingestion.models import Record, RecordVersion
from ingestion.record_history import Version
from ingestion.views.datasets import find
from work import paging
from work.access import signed_in
from work.problems import Problem
from work.views.requests import Request, page

VERSIONS_A_PAGE = 20


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
    history = record_history.page_of(found, cursor=_cursor(request), limit=VERSIONS_A_PAGE)
    titles = {column.name: column.title or column.name for column in columns}
    context = {
        "dataset": dataset,
        "record": found,
        "name": dataset_pages.key_text(found.key),
        "values": list(zip(columns, dataset_pages.values(found.data, columns), strict=True)),
        "list": history,
        "is_by_hand": record_history.is_by_hand(found),
        "history": [(version, _changes(version, titles)) for version in history.items],
    }
    return page(request, "ingestion/record.html", context, part="record-history")


@require_safe
@signed_in
def find_by_key(request: Request, organisation: str, slug: str) -> HttpResponse:
    """Leads to the record, or back to the list with a sentence."""
    dataset, asked = find(request, organisation, slug), request.GET.get("key", "").strip()
    found = record_history.find(dataset.pk, asked, by="key") if asked else None
    if found is None:
        messages.warning(request, f"No record has the key “{asked[:80]}”." if asked else "Type a key first.")
        return redirect("records", organisation=organisation, slug=slug)
    return redirect("record", organisation=organisation, slug=slug, record=found.pk)


def _changes(version: Version, titles: dict[str, str]) -> list[tuple[str, str, str]]:
    """(column, before, after); of the first version only what it holds."""
    return [(titles.get(each.name, each.name), *each.texts) for each in version.changes]


def _cursor(request: Request) -> str | None:
    """A malformed one gives the first page."""
    cursor = request.GET.get("cursor")
    try:
        paging.keyset(RecordVersion.objects.none(), cursor=cursor, by="version")
    except Problem:
        return None
    return cursor
