"""The HTTP API of one record and its history."""

import datetime as dt
from typing import Annotated, Any, Literal
from urllib.parse import quote

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema

from accounts.scoping import organisation_of
from ingestion import api_bodies as bodies
from ingestion import api_datasets, record_history
from ingestion.models import Dataset, Record
from ingestion.record_history import Version
from work.problems import Problem, responses

router = Router(tags=["datasets"])
VERSIONS_A_PAGE = 50
KEY = Annotated[
    str,
    Path(
        ..., max_length=record_history.LONGEST_KEY, pattern=r"^[^\x00-\x1f]+$",
        description="The id of the record, or its key: as it is kept, or the value itself",
    ),
]  # fmt: skip
BY = Annotated[Literal["", "id", "key"], Query("", description="What a number is; else an id first")]


class RecordDetail(bodies.RecordBody):
    """`retired_at` is set while the record is out of use: a whole file came without it."""

    id: int
    retired_at: dt.datetime | None
    links: dict[str, str]


class FieldChange(Schema):
    field: str
    before: Any
    after: Any


class VersionItem(Schema):
    """`upload` wrote this version; one mended by hand has `by` and `why` instead."""

    version: int
    kind: Literal["new", "changed", "retired", "returned", "mended"]
    at: dt.datetime | None
    upload: str | None
    filename: str | None
    by: str | None
    why: str | None
    changes: list[FieldChange]


class HistoryBody(Schema):
    items: list[VersionItem]
    next_cursor: str | None


@router.get(
    "/datasets/{slug:slug}/records/{path:record}/history",
    response={200: HistoryBody, **responses()},
    summary="Every version of a record, the newest first",
)
def get_history(
    request: HttpRequest, slug: str, record: KEY, organisation: api_datasets.ORGANISATION, by: BY,
    cursor: api_datasets.CURSOR,
) -> Any:  # fmt: skip
    _, found = _find(request, slug, organisation, record, by)
    page = record_history.page_of(found, cursor=cursor, limit=VERSIONS_A_PAGE)
    return {"items": [_version(each) for each in page.items], "next_cursor": page.next_cursor}


@router.get(
    "/datasets/{slug:slug}/records/{path:record}",
    response={200: RecordDetail, **responses()},
    summary="One record, by its key or its id",
)
def get_record(
    request: HttpRequest, slug: str, record: KEY, organisation: api_datasets.ORGANISATION, by: BY
) -> Any:
    dataset, found = _find(request, slug, organisation, record, by)
    address = f"{bodies.API}/datasets/{dataset.slug}/records/{quote(str(found.pk))}"
    suffix = f"?organisation={dataset.organisation.slug}"
    return bodies.record_item(found) | {
        "id": found.pk,
        "retired_at": found.retired_at,
        "links": {
            "self": f"{address}{suffix}",
            "history": f"{address}/history{suffix}",
            "upload": bodies.upload_url(found.upload_id),
        },
    }


def _find(request: HttpRequest, slug: str, organisation: str, text: str, by: str) -> tuple[Dataset, Record]:
    dataset = api_datasets.find(organisation_of(request, organisation), slug)
    found = record_history.find(dataset.pk, text, by=by)
    if found is None:
        raise Problem(404, "record_not_found", "The dataset has no such record.", "See GET …/records.")
    return dataset, found


def _version(version: Version) -> dict[str, Any]:
    upload, decision = version.upload, version.decision
    return {
        "version": version.number,
        "kind": version.kind,
        "at": version.at,
        "upload": str(upload.pk) if upload else None,
        "filename": upload.filename if upload else None,
        "by": decision.by_label if decision else upload.uploaded_by_label if upload else None,
        "why": decision.why if decision else None,
        "changes": [
            {"field": each.name, "before": each.before, "after": each.after} for each in version.changes
        ],
    }
