"""The records of a dataset as they are asked for by an address: searched, filtered, sorted, page by page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from ingestion.models import Dataset, Record
from ingestion.search import changes, values
from ingestion.search.changes import Waiting
from ingestion.search.index import index
from ingestion.search.protocol import BadCursor, Condition, Field, Operator, Query, UnknownField
from work.counting import Counted
from work.problems import Problem

FILTER = "filter["
OPERATORS: Mapping[str, Operator] = {"": "is", "from": "from", "to": "to"}
EXAMPLES = {
    "number": "a number such as 12.5", "date": "a date such as 2024-01-31",
    "moment": "a date or a moment such as 2024-01-31T12:00:00Z", "boolean": "true or false", "text": "text",
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """Records as they stand in the database, in the order of the index. What was retired or deleted since it
    was indexed is left out."""

    records: list[Record]
    next_cursor: str | None
    previous_cursor: str | None
    total: Counted
    waiting: Waiting


def is_asked(given: QueryDict) -> bool:
    """Whether the index is needed at all: without any of these the records themselves are listed."""
    named = [name for name in given if name in ("q", "sort") or name.startswith(FILTER)]
    return any(str(given[name]).strip() for name in named)


def find(dataset: Dataset, given: QueryDict, *, limit: int, count: bool = True) -> Found:
    """Raises Problem 422 `unknown_field`, `field_not_sortable`, `field_not_indexed_yet`, `filter_not_valid`,
    400 `bad_cursor`."""
    query = read_query(dataset, given, limit=limit, count=count)
    waits = changes.waiting(dataset.pk)
    try:
        hits = index().search(dataset.pk, query)
    except UnknownField as error:
        raise _not_indexed(dataset, str(error)) from error
    except BadCursor as error:
        raise Problem(
            400,
            "bad_cursor",
            "This cursor was not given for this search.",
            "Leave it out to begin with the first page, then follow next_cursor.",
        ) from error
    return Found(
        records_of(dataset, hits.ids),
        hits.next_cursor,
        hits.previous_cursor,
        Counted(hits.total, hits.is_more),
        waits,
    )


def records_of(dataset: Dataset, ids: list[int]) -> list[Record]:
    """Of this dataset only, whatever an index says."""
    rows = Record.objects.filter(dataset=dataset, pk__in=ids, retired_at__isnull=True)
    found = {record.pk: record for record in rows.select_related("upload")}
    return [found[id] for id in ids if id in found]


def after_id(dataset: Dataset, after: int, *, limit: int) -> tuple[list[Record], int | None]:
    """The records themselves, in the order in which their keys first came; None after the last page."""
    rows = Record.objects.filter(dataset=dataset, retired_at__isnull=True, pk__gt=after).order_by("pk")
    found = list(rows[:limit])
    return found, found[-1].pk if len(found) == limit else None


def read_query(dataset: Dataset, given: QueryDict, *, limit: int, count: bool = True) -> Query:
    fields = fields_of(dataset)
    conditions = list(_conditions(dataset, fields, given))
    sort = given.get("sort", "")
    if sort:
        _field(dataset, fields, sort.removeprefix("-"))
    return Query(
        text=given.get("q", ""),
        conditions=conditions,
        sort=sort,
        cursor=given.get("cursor", ""),
        limit=limit,
        count=count,
    )


def fields_of(dataset: Dataset) -> dict[str, Field]:
    """What can be filtered and sorted by now: of the live index, while another is being built."""
    live = index().live(dataset.pk)
    if live is None:
        return {field.name: field for field in values.sortable_fields(_schema(dataset))}
    return {field.name: field for field in live.fields}


def parameter(field: str, ending: str = "") -> str:
    return f"{FILTER}{field}]{f'[{ending}]' if ending else ''}"


def _conditions(dataset: Dataset, fields: Mapping[str, Field], given: QueryDict) -> Iterable[Condition]:
    for name in given:
        if not name.startswith(FILTER) or not str(given[name]).strip():
            continue
        field_name, ending = _parts(name)
        field = _field(dataset, fields, field_name)
        try:
            value = values.asked(field.kind, str(given[name]), is_end=ending == "to")
        except values.NotOfKind as error:
            raise Problem(
                422,
                "filter_not_valid",
                f"The filter of “{field_name[:80]}” is not {EXAMPLES[field.kind]}.",
                "Correct it, or leave it out.",
                field=field_name,
            ) from error
        yield Condition(field.name, OPERATORS[ending], value)


def _parts(name: str) -> tuple[str, str]:
    """`filter[field]`, `filter[field][from]`, `filter[field][to]`: the field and the ending. A name may hold
    brackets itself."""
    inner = name.removeprefix(FILTER)
    for ending in ("from", "to"):
        if inner.endswith(f"][{ending}]"):
            return inner.removesuffix(f"][{ending}]"), ending
    return inner.removesuffix("]"), ""


def _field(dataset: Dataset, fields: Mapping[str, Field], name: str) -> Field:
    if name in fields:
        return fields[name]
    named = {field["name"]: field for field in _schema(dataset)["fields"]}
    if name not in named:
        raise Problem(
            422,
            "unknown_field",
            f"The dataset has no field “{name[:80]}”.",
            "See the names in its schema.",
            field=name,
        )
    if named[name].get("sortable") is not True:
        raise Problem(
            422,
            "field_not_sortable",
            f"Records cannot be filtered or sorted by “{name[:80]}”.",
            "Mark it as sortable in the schema; up to five fields can be.",
            field=name,
        )
    raise _not_indexed(dataset, name)


def _not_indexed(dataset: Dataset, name: str) -> Problem:
    return Problem(
        422,
        "field_not_indexed_yet",
        f"The index for filtering and sorting by “{name[:80]}” is not built yet.",
        "It is being built; ask again in a while.",
        field=name,
    )


def _schema(dataset: Dataset) -> Any:
    return dataset.schema_versions.latest("number").schema
