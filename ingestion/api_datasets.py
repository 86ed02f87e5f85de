"""The HTTP API of datasets: their schemas, which never change but get new versions, and their records."""

import re
from typing import Annotated, Any

from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Body, Header, Query, Router, Status

from accounts.models import Organisation
from accounts.scoping import organisation_of, require
from ingestion import api_bodies as bodies
from ingestion import datasets, queries
from ingestion.models import Dataset, SchemaVersion
from ingestion.search import finding
from work import paging
from work.problems import Problem, responses

router = Router(tags=["datasets"])
RECORDS_A_PAGE = 200
# It carries the value by which the last record was sorted.
LONG_CURSOR = Annotated[str, Query("", max_length=4_000, description="`next_cursor` of the page before")]
FILTER = {
    "name": "filter",
    "in": "query",
    "required": False,
    "style": "deepObject",
    "explode": True,
    "description": "`filter[field]=value`; also `filter[field][from]=` and `filter[field][to]=`, both"
    " included. All that are given must hold. Numbers as `12.5`, dates as `2024-01-31`, moments as"
    " `2024-01-31T12:00:00Z` (a date alone as `to` means its last moment), booleans as `true` and `false`;"
    " text is compared whole, without regard to case and accents. Only fields that the schema marks as"
    " sortable. 422 `unknown_field`, `field_not_sortable`, `field_not_indexed_yet`, `filter_not_valid`.",
    "schema": {"type": "object", "additionalProperties": {"type": "string"}},
}
SORT = (
    "A field that the schema marks as sortable; `-field` downwards. Records without a value come last both"
    " ways. 422 `unknown_field`, `field_not_sortable`, `field_not_indexed_yet`."
)
CURSOR = Annotated[str, Query("", max_length=200, description="`next_cursor` of the page before")]
SLUG_OR_NONE = "^[-a-zA-Z0-9_]*$"
ORGANISATION = Annotated[str, Query("", max_length=60, pattern=SLUG_OR_NONE)]
ETAG = {"ETag": {"schema": {"type": "string"}, "description": "The number of the version, for If-Match"}}


@router.get("/datasets", response={200: bodies.DatasetList, **responses()}, summary="Datasets you may see")
def list_datasets(request: HttpRequest, organisation: ORGANISATION, cursor: CURSOR) -> Any:
    found = with_current_schema(request.principal.sees(Dataset.objects.all()))  # type: ignore[attr-defined]
    if organisation:
        found = found.filter(organisation__slug=organisation)
    page = paging.keyset(found, cursor=cursor, newest_first=False)
    items = [bodies.dataset_item(dataset) for dataset in page.items]
    return {"items": items, "next_cursor": page.next_cursor}


@router.post(
    "/datasets",
    response={201: bodies.DatasetDetail, **responses(409)},
    by_alias=True,
    summary="Make a dataset with its first schema",
    openapi_extra={
        "responses": {
            201: {"description": "Created", "headers": {"Location": {"schema": {"type": "string"}}}}
        }
    },
)
def create(
    request: HttpRequest, response: HttpResponse, body: bodies.DatasetRequest, organisation: ORGANISATION
) -> Any:
    owner = organisation_of(request, organisation)
    require(request, "manage", owner)
    datasets.create(
        organisation=owner,
        slug=body.slug,
        title=body.title,
        schema=body.table_schema,
        locale=body.locale,
        mode=body.mode,
        retire_limit=body.retire_limit,
        refuse_limit=body.refuse_limit,
        by=request.principal,  # type: ignore[attr-defined]
    )
    made = find(owner, body.slug)
    response["Location"] = f"{bodies.API}/datasets/{made.slug}?organisation={owner.slug}"
    return Status(201, _detail(made))


@router.get(
    "/datasets/{slug:slug}",
    response={200: bodies.DatasetDetail, **responses()},
    by_alias=True,
    summary="A dataset with its current schema",
)
def get_dataset(request: HttpRequest, slug: str, organisation: ORGANISATION) -> Any:
    return _detail(_find(request, slug, organisation))


@router.get(
    "/datasets/{slug:slug}/schema",
    response={200: bodies.SchemaBody, **responses()},
    by_alias=True,
    summary="The current schema, with its version as ETag",
    openapi_extra={"responses": {200: {"description": "OK", "headers": ETAG}}},
)
def get_schema(request: HttpRequest, response: HttpResponse, slug: str, organisation: ORGANISATION) -> Any:
    return _schema(response, _current(_find(request, slug, organisation)))


@router.put(
    "/datasets/{slug:slug}/schema",
    response={200: bodies.SchemaBody, **responses(409, 412, 428)},
    by_alias=True,
    summary="Make the next version of the schema",
    openapi_extra={"responses": {200: {"description": "OK", "headers": ETAG}}},
)
def put_schema(
    request: HttpRequest,
    response: HttpResponse,
    slug: str,
    body: Annotated[bodies.TableSchema, Body(...)],
    organisation: ORGANISATION,
    if_match: Annotated[str, Header("", alias="If-Match", max_length=60)],
) -> Any:
    """`If-Match` carries the ETag of the version that was read: 428 without it, 412 when it is old."""
    dataset = _find(request, slug, organisation)
    require(request, "manage", dataset.organisation)
    changed = datasets.change_schema(
        dataset=dataset,
        schema=body,
        if_match=_version(if_match),
        by=request.principal,  # type: ignore[attr-defined]
    )
    return _schema(response, changed)


@router.get(
    "/datasets/{slug:slug}/records",
    response={200: bodies.RecordList, **responses()},
    summary="The current records: all of them, or those that a search finds",
    openapi_extra={"parameters": [FILTER]},
)
def list_records(
    request: HttpRequest,
    slug: str,
    organisation: ORGANISATION,
    cursor: LONG_CURSOR,
    q: Annotated[str, Query("", max_length=200, description="Words, parts of words, “phrases” in quotes")],
    sort: Annotated[str, Query("", max_length=201, description=SORT)],
) -> Any:
    """Without `q`, `filter` and `sort` the records are read themselves, in the order of their keys; with one
    of them the search index is asked."""
    dataset = _find(request, slug, organisation)
    if finding.is_asked(request.GET):
        found = finding.find(dataset, request.GET, limit=RECORDS_A_PAGE, count=False)
        return {
            "items": [bodies.record_item(record) for record in found.records],
            "next_cursor": found.next_cursor,
            "indexed_at": found.waiting.indexed_at,
            "pending": found.waiting.pending,
        }
    records = queries.records(dataset.pk)
    page = paging.keyset(records, cursor=cursor, limit=RECORDS_A_PAGE, newest_first=False, by="key")
    items = [bodies.record_item(record) for record in page.items]
    return {"items": items, "next_cursor": page.next_cursor}


def with_current_schema(found: QuerySet[Dataset]) -> QuerySet[Any]:
    return found.select_related("organisation").annotate(current=Max("schema_versions__number"))


def find(organisation: Organisation, slug: str) -> Any:
    """Raises Problem 404 for a slug that the organisation does not have."""
    found = with_current_schema(Dataset.objects.filter(organisation=organisation, slug=slug)).first()
    if found is None:
        raise Problem(
            404,
            "dataset_not_found",
            f"{organisation.title} has no dataset {slug[:80]}.",
            "See GET /datasets.",
        )
    return found


def _find(request: HttpRequest, slug: str, organisation: str) -> Any:
    return find(organisation_of(request, organisation), slug)


def _current(dataset: Dataset) -> SchemaVersion:
    return dataset.schema_versions.latest("number")


def _detail(dataset: Any) -> dict[str, Any]:
    return bodies.dataset_item(dataset) | {"schema": _current(dataset).schema}


def _schema(response: HttpResponse, version: SchemaVersion) -> dict[str, Any]:
    response["ETag"] = f'"{version.number}"'
    return bodies.schema_body(version)


def _version(if_match: str) -> int:
    if not if_match:
        raise Problem(
            428,
            "if_match_required",
            "A schema is changed only from a version that was read.",
            "Send If-Match with the ETag of GET …/schema.",
        )
    match = re.fullmatch(r'(?:W/)?"?([0-9]{1,9})"?', if_match.strip())
    return int(match.group(1)) if match else -1
