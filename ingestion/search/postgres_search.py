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


def search(generation: int, fields: Sequence[Field], query: Query) -> Hits:
    table = postgres_tables.name(generation)
    typed = asked.read(query.text)
    order = _order(fields, query.sort)
    place = _read_cursor(query.cursor, query.sort, order) if query.cursor else None
    if typed.matches_nothing:
        return Hits([])
    where, params = _where(fields, typed, query.conditions)
    found = _page(table, where, params, order, place, query.limit + 1)
    has_more, found = len(found) > query.limit, found[: query.limit]
    goes_back = place is not None and place.direction == BACK
    if goes_back:
        found.reverse()
    before, after = (has_more, True) if goes_back else (place is not None, has_more)
    total = _count(table, where, params) if query.count else 0
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


def _page(
    table: str, where: str, params: list[Any], order: Order, place: Place | None, limit: int
) -> list[Any]:
    """Rows as (id, value). Those without a value are a part of their own, which comes last both ways."""
    goes_back = place is not None and place.direction == BACK
    descending = order.downwards != goes_back
    if order.column is None:
        return _part(table, where, params, "NULL", ["id"], [place.id] if place else None, descending, limit)
    with_value, without = f"{where} AND {order.column} IS NOT NULL", f"{where} AND {order.column} IS NULL"
    parts = [(with_value, True), (without, False)]
    if goes_back:
        parts.reverse()
    if place is not None:
        among_values = place.value is not None
        parts = parts[[has_value for _, has_value in parts].index(among_values) :]
    found: list[Any] = []
    for number, (condition, has_value) in enumerate(parts):
        after: list[Any] | None = None
        if place is not None and number == 0:
            after = [place.value, place.id] if has_value else [place.id]
        columns = [order.column, "id"]
        found += _part(table, condition, params, order.column, columns, after, descending, limit - len(found))
        if len(found) >= limit:
            break
    return found


def _part(
    table: str, where: str, params: list[Any], value: str, columns: list[str], after: list[Any] | None,
    descending: bool, limit: int,
) -> list[Any]:  # fmt: skip
    way = "DESC" if descending else "ASC"
    keyset = ""
    if after is not None:
        names = ", ".join(columns[-len(after) :])
        keyset = f" AND ({names}) {'<' if descending else '>'} ({', '.join(['%s'] * len(after))})"
    ordered = ", ".join(f"{name} {way}" for name in columns)
    statement = f"SELECT id, {value} FROM {table} WHERE {where}{keyset} ORDER BY {ordered} LIMIT {limit:d}"  # noqa: S608 (names of our own)
    return rows(statement, [*params, *(after or [])])


def _count(table: str, where: str, params: list[Any]) -> int:
    """Up to one more than is told, so that a page costs the same however much is found."""
    statement = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {where} LIMIT {COUNTED_AT_MOST + 1}) f"  # noqa: S608 (as above)
    return int(rows(statement, params)[0][0])


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
