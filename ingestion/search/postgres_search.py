"""A search of the PostgreSQL index as SQL. What people type only ever becomes a parameter."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingestion.search import asked, postgres_tables, values
from ingestion.search.protocol import BadCursor, Condition, Field, Hits, Query, UnknownField
from ingestion.staging import rows

COUNTED_AT_MOST = 1_000
FEW = 25_000
"""So many hits are gathered first and then ordered. More are looked for in the order of the page: with so
many of them a page is soon full.
"""

Part = tuple[str, list[Any]]
OPERATORS = {"is": "=", "from": ">=", "to": "<="}
FORWARD, BACK = "f", "b"
LIKE_SPECIAL = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})


@dataclass(frozen=True)
class Order:
    """`column` is None for the order of ids."""

    column: str | None
    field: Field | None
    downwards: bool


@dataclass(frozen=True)
class Place:
    """A cursor: the last row that was shown; `value` is None among those without one."""

    direction: str
    value: Any
    id: int


@dataclass(frozen=True)
class Source:
    """What fits the conditions. Of few the planner must not hope to meet some early in the order of a page:
    they may all stand at its end.
    """

    table: str
    where: str
    params: list[Any]
    is_few: bool

    def hits(self, columns: str) -> str:
        how = "MATERIALIZED" if self.is_few else "NOT MATERIALIZED"
        return f"WITH hits AS {how} (SELECT {columns} FROM {self.table} WHERE {self.where})"  # noqa: S608 (names of our own)


def search(generation: int, fields: Sequence[Field], query: Query) -> Hits:
    table = postgres_tables.name(generation)
    typed = asked.read(query.text)
    order = _order(fields, query.sort)
    place = _read_cursor(query.cursor, query.sort, order) if query.cursor else None
    if typed.matches_nothing:
        return Hits([])
    where, params = _where(fields, typed, query.conditions)
    source = Source(table, where, params, bool(params) and _estimate(table, where, params) <= FEW)
    found = _page(source, order, place, query.limit + 1)
    has_more, found = len(found) > query.limit, found[: query.limit]
    goes_back = place is not None and place.direction == BACK
    if goes_back:
        found.reverse()
    before, after = (has_more, True) if goes_back else (place is not None, has_more)
    total = _count(source) if query.count else 0
    return Hits(
        ids=[row[0] for row in found],
        next_cursor=_write_cursor(FORWARD, query.sort, order, found[-1]) if found and after else None,
        previous_cursor=_write_cursor(BACK, query.sort, order, found[0]) if found and before else None,
        total=min(total, COUNTED_AT_MOST),
        is_more=total > COUNTED_AT_MOST,
    )


def _order(fields: Sequence[Field], sort: str) -> Order:
    if not sort:
        return Order(None, None, False)
    number, field = _find(fields, sort.removeprefix("-"))
    return Order(postgres_tables.column(number), field, sort.startswith("-"))


def _find(fields: Sequence[Field], name: str) -> tuple[int, Field]:
    for number, field in enumerate(fields):
        if field.name == name:
            return number, field
    raise UnknownField(name)


def _where(
    fields: Sequence[Field], typed: asked.Asked, conditions: Sequence[Condition]
) -> tuple[str, list[Any]]:
    parts: list[str] = ["NOT deleted"]
    params: list[Any] = []
    for part in typed.parts:
        parts.append("letters LIKE %s")
        params.append(f"%{part.translate(LIKE_SPECIAL)}%")
    words = [
        *("(" + " <-> ".join(f"'{word}'" for word in phrase) + ")" for phrase in typed.phrases),
        *(f"'{word}'" for word in typed.whole),
        *(f"'{word}':*" for word in typed.starts),
    ]
    if words:
        parts.append("words @@ %s::tsquery")
        params.append(" & ".join(words))
    for condition in conditions:
        number, _ = _find(fields, condition.field)
        parts.append(f"{postgres_tables.column(number)} {OPERATORS[condition.operator]} %s")
        params.append(condition.value)
    return " AND ".join(parts), params


def _estimate(table: str, where: str, params: list[Any]) -> int:
    """How many rows the planner expects, from the statistics of the table."""
    plan = rows(f"EXPLAIN (FORMAT JSON) SELECT 1 FROM {table} WHERE {where}", params)[0][0]  # noqa: S608 (names of our own)
    return int(plan[0]["Plan"]["Plan Rows"])


def _page(source: Source, order: Order, place: Place | None, limit: int) -> list[Any]:
    """Rows as (id, value). Those without a value are a part of their own, which comes last both ways.

    One statement, whatever is found: the outer limit ends the parts in their order, so the second is only
    looked for when the first does not fill the page. (Parts with limits never run in parallel.)
    """
    goes_back = place is not None and place.direction == BACK
    descending = order.downwards != goes_back
    hits = source.hits(f"id, {order.column or 'NULL::text'} AS value")
    if order.column is None:
        parts = [_part("", ["id"], [place.id] if place else None, descending, limit)]
    else:
        parts = _parts_by_value(place, descending, limit, values_last=goes_back)
    union = " UNION ALL ".join(f"({statement})" for statement, _ in parts)
    params = [value for _, given in parts for value in given]
    statement = f"{hits} SELECT id, value FROM ({union}) parts LIMIT {limit:d}"  # noqa: S608 (names of our own)
    return rows(statement, [*source.params, *params])


def _parts_by_value(place: Place | None, descending: bool, limit: int, *, values_last: bool) -> list[Part]:
    kinds = [True, False]
    if values_last:
        kinds.reverse()
    if place is not None:
        kinds = kinds[kinds.index(place.value is not None) :]
    parts = []
    for number, has_value in enumerate(kinds):
        after: list[Any] | None = None
        if place is not None and number == 0:
            after = [place.value, place.id] if has_value else [place.id]
        condition = "value IS NOT NULL" if has_value else "value IS NULL"
        parts.append(_part(condition, ["value", "id"], after, descending, limit))
    return parts


def _part(condition: str, columns: list[str], after: list[Any] | None, descending: bool, limit: int) -> Part:
    """Of the hits: a statement and its parameters."""
    way = "DESC" if descending else "ASC"
    conditions = [condition] if condition else []
    if after is not None:
        names = ", ".join(columns[-len(after) :])
        conditions.append(f"({names}) {'<' if descending else '>'} ({', '.join(['%s'] * len(after))})")
    narrowed = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    ordered = ", ".join(f"{name} {way}" for name in columns)
    return f"SELECT id, value FROM hits {narrowed} ORDER BY {ordered} LIMIT {limit:d}", after or []  # noqa: S608 (names of our own)


def _count(source: Source) -> int:
    """Up to one more than is told, so that a page costs the same however much is found."""
    limit = COUNTED_AT_MOST + 1
    hits = source.hits("1")
    statement = f"{hits} SELECT count(*) FROM (SELECT 1 FROM hits LIMIT {limit:d}) counted"  # noqa: S608 (as above)
    return int(rows(statement, source.params)[0][0])


def _write_cursor(direction: str, sort: str, order: Order, row: Any) -> str:
    value = values.written(order.field.kind, row[1]) if order.field else None
    text = json.dumps([direction, sort, value, row[0]], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str, sort: str, order: Order) -> Place:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        direction, given, value, id = json.loads(text)
        if direction not in (FORWARD, BACK) or given != sort or not _is_id(id):
            raise BadCursor
        if value is None or order.field is None:
            return Place(direction, None, id)
        return Place(direction, values.read_written(order.field.kind, value), id)
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise BadCursor from error


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
