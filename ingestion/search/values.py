"""The values by which records are filtered and sorted: numbers as numbers, dates as dates, text folded."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ingestion.checking.schema_sorting import MOST_SORTABLE
from ingestion.search.folding import fold
from ingestion.search.protocol import Field, Kind

KINDS: Mapping[str, Kind] = {
    "integer": "number", "number": "number", "year": "number", "date": "date", "datetime": "moment",
    "boolean": "boolean",
}  # fmt: skip
LONGEST_SORTED = 200
"""Characters of a text by which it is sorted and compared."""

LARGEST_EXPONENT = 400
LAST_MOMENT_OF_A_DAY = dt.time(23, 59, 59, 999_999)


class NotOfKind(ValueError):
    """What was given as a filter is no value of the field."""


def sortable_fields(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields that are marked `"sortable": true`, in the order of the schema."""
    marked = [field for field in schema.get("fields", []) if field.get("sortable") is True]
    return tuple(
        Field(field["name"], KINDS.get(field.get("type", "string"), "text"))
        for field in marked[:MOST_SORTABLE]
    )


def typed(kind: Kind, value: Any) -> Any:
    """A stored value as the index holds it; None for null, and for what is of another type: a record of an
    older schema is found all the same, after the others."""
    try:
        return _READ[kind](value) if value is not None else None
    except (ValueError, TypeError, ArithmeticError):
        return None


def asked(kind: Kind, text: str, *, is_end: bool = False) -> Any:
    """What a person or program gave as a filter. Raises NotOfKind. A date as the end of moments means its
    last one."""
    text = text.strip()
    try:
        if kind == "boolean":
            return {"true": True, "false": False}[text.lower()]
        if kind == "moment" and is_end and len(text) == len("2024-01-31"):
            return dt.datetime.combine(dt.date.fromisoformat(text), LAST_MOMENT_OF_A_DAY, dt.UTC)
        given = Decimal(text) if kind == "number" else text
        return _READ[kind](given)
    except (ValueError, KeyError, InvalidOperation, ArithmeticError) as error:
        raise NotOfKind(text) from error


def written(kind: Kind, value: Any) -> Any:
    """For a cursor, which is JSON."""
    if value is None or kind == "boolean":
        return value
    return value.isoformat() if kind in ("date", "moment") else str(value)


def read_written(kind: Kind, value: Any) -> Any:
    """Back from a cursor. Raises NotOfKind."""
    if kind == "boolean" and isinstance(value, bool):
        return value
    if kind == "boolean" or not isinstance(value, str):
        raise NotOfKind(str(value))
    return value[:LONGEST_SORTED] if kind == "text" and "\0" not in value else asked(kind, value)


def _number(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise TypeError
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite() or (number and abs(number.adjusted()) > LARGEST_EXPONENT):
        raise ValueError
    return number


def _date(value: Any) -> dt.date:
    return dt.date.fromisoformat(value)


def _moment(value: Any) -> dt.datetime:
    moment = dt.datetime.fromisoformat(value)
    return moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _text(value: Any) -> str | None:
    return fold(value if isinstance(value, str) else str(value))[:LONGEST_SORTED] or None


_READ: Mapping[Kind, Any] = {
    "number": _number, "date": _date, "moment": _moment, "boolean": _boolean, "text": _text,
}  # fmt: skip
