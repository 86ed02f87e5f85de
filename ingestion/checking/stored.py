"""A stored value as a cell would bring it again, so that it can be checked like any other.

Dates stand in ISO form whatever format their field declares for files, and numbers with a point.
"""

import json
import re
from decimal import Decimal
from typing import Any

from ingestion.checking.columns import Column
from ingestion.checking.columns_numbers import KEPT_DIGITS, NumberColumn
from ingestion.checking.shown import digits
from ingestion.reading.cells import DATE, DATETIME, MARK, PLAIN, TIME, WireCell

MOMENTS = (
    (re.compile(r"\d{4}-\d\d-\d\d", re.ASCII).fullmatch, DATE),
    (
        re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII).fullmatch,
        DATETIME,
    ),
    (re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?", re.ASCII).fullmatch, TIME),
)
KINDS_OF_MOMENTS = {"date": DATE, "datetime": DATETIME, "time": TIME}


def as_cell(value: Any, *, was: str, column: Column) -> WireCell:
    """`was` is the type of the field under which the value was stored, `column` the one that reads it."""
    if isinstance(value, bool):
        return f"{MARK}b{int(value)}"
    if isinstance(value, int | float | Decimal):
        return _number(value, column)
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=float)
    if isinstance(value, str) and was in KINDS_OF_MOMENTS:
        return _moment(value, was)
    return value if isinstance(value, str) else None


def _number(value: int | float | Decimal, column: Column) -> WireCell:
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    text = digits(exact)
    if len(exact.as_tuple().digits) <= KEPT_DIGITS:
        return f"{MARK}n{text}{MARK}{PLAIN}"
    # A workbook holds no more digits; text does, with the point of the field that reads it.
    if isinstance(column, NumberColumn):
        text = text.replace(".", column.written.decimal or column.locale.decimal)
    return text


def _moment(value: str, was: str) -> WireCell:
    for fits, number_format in MOMENTS:
        if number_format == KINDS_OF_MOMENTS[was] and fits(value):
            return f"{MARK}d{value}{MARK}{number_format}"
    return value
