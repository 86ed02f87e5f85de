"""Rows below the data that look like totals: left out where they surely are, else a person is asked.

Surely a total is a row that could be no record, because its label stands where the type of the column allows
no such text, or a value is missing that every row must have; and one with a number that is the sum of its
column. All rows of the file stand in staging when this is decided, refused ones apart, which add to no sum.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ingestion import asks, questions, staging
from ingestion.asking import ComparedTotal, PreviewRow, TotalsBelow
from ingestion.checking import messages, texts
from ingestion.checking.checker import Checker
from ingestion.checking.columns import Column, Faulty
from ingestion.checking.columns_numbers import NumberColumn
from ingestion.checking.shown import cell_text, digits
from ingestion.context import Context
from ingestion.notes_below import described
from ingestion.reading.cells import MARK, WireCell, decode
from ingestion.reading.reader import Row

LEAVE_OUT, KEEP = "totals:leave_out", "totals:keep"
MOST_COLUMNS, MOST_CHARACTERS = 50, 100
# A sum of a spreadsheet program carries the noise of binary fractions.
NOISE = Decimal("1e-12")


@dataclass(frozen=True)
class Totals:
    """Which rows are left out, which are rows of data, and what the verdict says about them."""

    left_out: list[Row]
    kept: list[Row]
    said: list[dict[str, Any]]


def decide(context: Context, rows: Sequence[Row]) -> Totals:
    """Asks where neither the file nor the sender of the upload says what they are. Runs when all other rows
    of the file are staged."""
    if not rows:
        return Totals([], [], [])
    agreed = context.upload.reading.get("confirm", [])
    if KEEP in agreed:
        return Totals([], list(rows), [_said("totals_below_kept", rows)])
    if LEAVE_OUT not in agreed:
        compared = _compared(context.checker, rows)
        if not all(_is_surely_one(context.checker, row, compared) for row in rows):
            asks.ask(context.upload, {
                "code": questions.WHICH_TOTALS, "detail": {}, "headers": _headers(context),
                "totals": TotalsBelow(rows=[_preview(row) for row in rows], compared=compared),
            })  # fmt: skip
    return Totals(list(rows), [], [_said("totals_below_left_out", rows)])


def _is_surely_one(checker: Checker, row: Row, compared: Sequence[ComparedTotal]) -> bool:
    if _cannot_be_a_record(checker, row):
        return True
    own = [each for each in compared if each["row"] == row[0]]
    same = [each for each in own if each["is_sum"]]
    # A zero is the sum of many columns.
    return bool(same) and (len(same) == len(own) or any(each["stands"] != "0" for each in same))


def _cannot_be_a_record(checker: Checker, row: Row) -> bool:
    label = next(place for place, cell in enumerate(row[1]) if not _is_blank(cell))
    for place, column in checker.placed:
        cell = row[1][place] if 0 <= place < len(row[1]) else None
        if column.required and _is_blank(cell):
            return True
        if place == label and not _takes(column, cell):
            return True
    return False


def _takes(column: Column, cell: WireCell) -> bool:
    try:
        column.read(cell)
    except Faulty:
        return False
    return True


def _compared(checker: Checker, rows: Sequence[Row]) -> list[ComparedTotal]:
    """Each number of the rows beside the sum of its column."""
    found = [(row[0], column, number) for row in rows for column, number in _numbers(checker, row)]
    names = list(dict.fromkeys(column.name for _, column, _ in found))
    sums = _sums(names)
    return [
        ComparedTotal(
            row=row,
            field=column.name,
            stands=digits(number),
            sum=digits(sums[column.name]),
            is_sum=abs(number - sums[column.name]) <= NOISE * max(abs(number), Decimal(1)),
        )
        for row, column, number in found
    ]


def _numbers(checker: Checker, row: Row) -> Iterator[tuple[Column, Decimal]]:
    """A total need not meet the bounds of its column."""
    for place, column in checker.placed:
        cell = row[1][place] if 0 <= place < len(row[1]) else None
        if not isinstance(column, NumberColumn) or _is_blank(cell):
            continue
        try:
            yield column, _number(column, cell)
        except Faulty:
            continue


def _number(column: NumberColumn, cell: WireCell) -> Decimal:
    if isinstance(cell, int | float):
        return column.number(cell)
    taken = decode(cell)
    return column.text(taken.raw) if taken.type == "s" else column.other(taken)


def _sums(names: Sequence[str]) -> dict[str, Decimal]:
    if not names:
        return {}
    wanted = ", ".join(f"coalesce(sum((d ->> %(name_{place})s)::numeric), 0)" for place in range(len(names)))
    statement = f"SELECT {wanted} FROM (SELECT data::jsonb d FROM upload_staging WHERE NOT refused) s"  # noqa: S608 (numbered parameters)
    params = {f"name_{place}": name for place, name in enumerate(names)}
    return dict(zip(names, staging.rows(statement, params)[0], strict=True))


def _preview(row: Row) -> PreviewRow:
    cells = [texts.shown(cell_text(cell), most=MOST_CHARACTERS) for cell in row[1][:MOST_COLUMNS]]
    return PreviewRow(number=row[0], cells=cells)


def _headers(context: Context) -> list[str]:
    return [texts.shown(text, most=MOST_CHARACTERS) for text in context.headers[:MOST_COLUMNS]]


def _said(code: str, rows: Sequence[Row]) -> dict[str, Any]:
    return messages.assumption(code, rows=described(rows), count=len(rows))


def _is_blank(cell: WireCell) -> bool:
    return cell is None or (isinstance(cell, str) and cell[:1] != MARK and texts.is_blank(cell))
