"""The records of a dataset, and one record with its history."""

from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from ingestion import dataset_pages, queries, record_history
from ingestion.dataset_pages import Column
from ingestion.models import Dataset, Record, RecordVersion
from ingestion.record_forms import RecordFilter
from ingestion.record_history import Version
from ingestion.search import exporting, finding
from ingestion.search.finding import Found
from ingestion.views.datasets import find
from work import paging
from work.access import signed_in
from work.counting import Counted
from work.problems import Problem
from work.views.requests import Request, page

ROWS_A_PAGE = 50
COLUMNS_SHOWN = 8
VERSIONS_A_PAGE = 20


@require_safe
@signed_in
def listing(request: Request, organisation: str, slug: str) -> HttpResponse:
    dataset = find(request, organisation, slug)
    schema = dataset.schema_versions.latest("number").schema
    columns = dataset_pages.columns(schema)
    shown = _shown(request, columns)
    fields = finding.fields_of(dataset)
    context = {
        "dataset": dataset,
        "form": RecordFilter(request.GET, fields=fields.values(), schema=schema),
        "columns": columns,
        "shown": [(column, column.name in fields) for column in shown],
        "shown_names": {column.name for column in shown},
        "kept": _kept(request, "columns"),
        "exports": exporting.KINDS.items(),
        "export_query": _query(request, without=("cursor",)),
        "may_upload": request.principal.can("upload", dataset.organisation),
        **_page_of(request, dataset, shown),
    }
    status = 422 if context["problem"] else 200
    return page(request, "ingestion/records.html", context, part="records-table", status=status)


def _page_of(request: Request, dataset: Dataset, shown: list[Column]) -> dict[str, Any]:
    """`waiting` is None where the records themselves were read."""
    told: dict[str, Any] = {"problem": None, "waiting": None, "is_search": finding.is_asked(request.GET)}
    if not told["is_search"]:
        found = queries.records(dataset.pk).select_related("upload")
        listed: Any = paging.of_request(request, found, newest_first=False, by="key")
        total, records = dataset_pages.counted_records(dataset), listed.items
    else:
        try:
            listed = _searched(request, dataset)
            total, records, told["waiting"] = listed.total, listed.records, listed.waiting
        except Problem as problem:
            told["problem"] = problem
            listed, total, records = paging.Page([], None, None), Counted(0), []
    rows = [(record, dataset_pages.values(record.data, shown)) for record in records]
    return told | {"rows": rows, "list": listed, "total": total}


def _searched(request: Request, dataset: Dataset) -> Found:
    """A cursor of another search leads to the first page, as in every list."""
    try:
        return finding.find(dataset, request.GET, limit=ROWS_A_PAGE)
    except Problem as problem:
        if problem.code != "bad_cursor":
            raise
    query = request.GET.copy()
    query.pop("cursor")
    return finding.find(dataset, query, limit=ROWS_A_PAGE)


def _shown(request: Request, columns: list[Column]) -> list[Column]:
    """The columns that were chosen, in the order of the schema; without a choice the first eight."""
    chosen = set(request.GET.getlist("columns"))
    return [column for column in columns if column.name in chosen] or columns[:COLUMNS_SHOWN]


def _kept(request: Request, *names: str) -> list[tuple[str, str]]:
    """The rest of the address, for a form that changes only these names of it."""
    given = request.GET.lists()
    return [(name, value) for name, values in given if name not in (*names, "cursor") for value in values]


def _query(request: Request, *, without: tuple[str, ...]) -> str:
    query = request.GET.copy()
    for name in without:
        query.pop(name, None)
    return query.urlencode()


@require_safe
@signed_in
def export(request: Request, organisation: str, slug: str, kind: str) -> HttpResponseBase:
    """What the list shows under the same address, all its pages, with the columns it shows."""
    dataset = find(request, organisation, slug)
    if kind not in exporting.KINDS:
        raise Http404
    columns = dataset_pages.columns(dataset.schema_versions.latest("number").schema)
    names = [column.name for column in (_shown(request, columns) if "columns" in request.GET else columns)]
    try:
        if finding.is_asked(request.GET):
            finding.read_query(dataset, request.GET, limit=1)  # refused before a byte of the file is sent
        body = exporting.write(kind, names, exporting.pages(dataset, request.GET))
    except Problem as problem:
        messages.warning(request, f"{problem.message} {problem.remedy}")
        return redirect("records", organisation=organisation, slug=slug)
    answer_of = FileResponse if hasattr(body, "read") else StreamingHttpResponse
    answer = answer_of(body, content_type=exporting.TYPES[kind])
    answer["Content-Disposition"] = content_disposition_header(True, f"{slug}.{kind}") or "attachment"
    answer["Cache-Control"] = "no-store"
    return answer


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
