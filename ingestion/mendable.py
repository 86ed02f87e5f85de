"""The cells of a refused row as texts that mean the same when they are sent back as text.

What the spreadsheet program shows is nearly always that. Not where a column takes its numbers with a comma,
its dates in a declared form, or its booleans in words of its own.
"""

import json
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from ingestion.checking import moments
from ingestion.checking.checker import Checker
from ingestion.checking.columns import Column, encode
from ingestion.checking.columns_moments import DateColumn, DatetimeColumn, MomentColumn, TimeColumn
from ingestion.checking.columns_numbers import NumberColumn
from ingestion.checking.columns_texts import BooleanColumn
from ingestion.checking.faults import shown_texts
from ingestion.checking.moments import NotAMoment
from ingestion.reading.cells import MARK, WireCell, decode
from ingestion.row_errors import LONGEST_CELL, full_text, full_texts

Rewrite = Callable[[WireCell, str], str]


class Mendable:
    """For the rows of one file, once its header has matched."""

    def __init__(self, checker: Checker) -> None:
        self.rewrites = {
            place: rewrite
            for place, column in getattr(checker, "placed", [])
            if place >= 0 and (rewrite := _rewrite_of(column)) is not None
        }

    def json_texts(self, rows: Sequence[Sequence[WireCell]]) -> list[str]:
        """The JSON of the texts of each row; a column at a time, where no row ends in a blank cell."""
        columns = list(zip_longest(*rows))
        told = [self._of_column(place, cells) for place, cells in enumerate(columns)]
        if told and '""' not in told[-1]:
            return [f"[{','.join(parts)}]" for parts in zip(*told, strict=True)]
        return [json.dumps(self.texts(row), ensure_ascii=False, separators=(",", ":")) for row in rows]

    def _of_column(self, place: int, cells: Sequence[WireCell]) -> list[str]:
        shown = shown_texts(cells, most=LONGEST_CELL, each=full_text)
        rewrite = self.rewrites.get(place)
        if rewrite is not None:
            shown = [
                rewrite(cell, text) if _is_typed(cell) else text
                for cell, text in zip(cells, shown, strict=True)
            ]
        return list(map(encode, shown))

    def texts(self, cells: Sequence[WireCell]) -> list[str]:
        shown = full_texts(cells)
        for place, rewrite in self.rewrites.items():
            if place < len(shown) and _is_typed(cells[place]):
                shown[place] = rewrite(cells[place], shown[place])
        return shown


def _is_typed(cell: WireCell) -> bool:
    return cell is not None and (not isinstance(cell, str) or cell.startswith(MARK))


def _rewrite_of(column: Column) -> Rewrite | None:
    if isinstance(column, NumberColumn):
        point = column.written.decimal or column.locale.decimal
        return _with_point(point) if point != "." else None
    if isinstance(column, MomentColumn) and column.declared:
        return _in_declared_form(column)
    if isinstance(column, BooleanColumn):
        return _in_words(column)
    return None


def _with_point(point: str) -> Rewrite:
    def rewrite(cell: WireCell, text: str) -> str:
        return text.replace(".", point) if decode(cell).type == "n" else text

    return rewrite


def _in_declared_form(column: MomentColumn) -> Rewrite:
    pattern = column.declared.removeprefix("fmt:")

    def rewrite(cell: WireCell, text: str) -> str:
        taken = decode(cell)
        try:
            if taken.type == "d":
                return str(column.moment(taken.raw, taken.format).strftime(pattern))
            if isinstance(column, TimeColumn) and taken.type == "n":
                return moments.parse_time(text, declared="").strftime(pattern)
        except (NotAMoment, ValueError):
            return text
        return text

    return rewrite if isinstance(column, DateColumn | DatetimeColumn | TimeColumn) else _as_shown


def _in_words(column: BooleanColumn) -> Rewrite:
    first: dict[str, Any] = {}
    for word, value in column.words.items():
        first.setdefault(value, word)

    def rewrite(cell: WireCell, text: str) -> str:
        taken = decode(cell)
        value = "true" if taken.raw == "1" else "false"
        return str(first.get(value, text)) if taken.type == "b" and text not in column.words else text

    return rewrite


def _as_shown(cell: WireCell, text: str) -> str:
    return text
