"""The fastest way: a block of rows that all have the same cells, with their styles and types, as most exports
have. One expression takes it apart, and its columns become JSON at once; anything else is left alone."""

import re
from operator import lt
from typing import Any

from .cells import column_index
from .limits import GRID_ROWS
from .patterns import (
    ATTRIBUTES,
    DIGITS,
    FORMULA,
    HIDDEN,
    LETTERS,
    STRIDE,
    TEXT,
    VALUE,
    split_cells,
    type_and_style,
)
from .sink import Sink
from .text import NeedsCare
from .values import NULL, Values

split_rows = re.compile(rb'(?:</row>)?<row r="([1-9][0-9]{0,6})"((?:\s+[A-Za-z_:][\w:.-]*="[^"<]*")*)>').split
ROW_END = b"</row>"
# Column, type and style of each cell of a row.
Shape = list[tuple[int, bytes | None, bytes | None]]


class UniformBlocks:
    def __init__(self, *, values: Values, sink: Sink) -> None:
        self.values = values
        self.sink = sink

    def read(self, block: bytes) -> bool:
        """True when all rows of the block were sent; False when nothing was done."""
        parts: list[Any] = split_cells(block)
        gaps = parts[::STRIDE]
        width = next((place for place in range(1, len(gaps)) if gaps[place]), 0)
        if not width or (len(gaps) - 1) % width:
            return False
        count = (len(gaps) - 1) // width
        starts = gaps[::width]
        if gaps.count(b"") != len(gaps) - count - 1 or not all(starts):
            return False
        found = self._row_numbers(b"".join(starts), count)
        if found is None or any(parts[FORMULA::STRIDE]):
            return False
        digits, numbers = found
        shape = self._shape(parts, width, count, digits)
        if shape is None:
            return False
        try:
            columns = self._columns(parts, shape, width)
        except NeedsCare:
            return False
        if columns is None:
            return False
        self._send(numbers, [column for column, *_ in shape], columns)
        return True

    def _row_numbers(self, tags: bytes, count: int) -> tuple[list[bytes] | None, list[int]] | None:
        """The numbers as written, if they are, and as such: for plain tags of visible rows in order."""
        last = self.sink.number
        if tags == b"<row>" + b"</row><row>" * (count - 1) + ROW_END:
            return (None, list(range(last + 1, last + count + 1))) if last + count <= GRID_ROWS else None
        parts = split_rows(tags)
        digits = parts[1::3]
        if len(digits) != count or parts[-1] != ROW_END or any(parts[:-1:3]) or HIDDEN(tags):
            return None
        numbers = list(map(int, digits))
        if numbers[-1] > GRID_ROWS or not all(map(lt, [last, *numbers], numbers)):
            return None
        return digits, numbers

    def _shape(self, parts: list[Any], width: int, count: int, digits: list[bytes] | None) -> Shape | None:
        """Column, type and style of each cell of a row, when they are the same in all rows."""
        shape: Shape = []
        letters, addresses, attributes = (parts[group::STRIDE] for group in (LETTERS, DIGITS, ATTRIBUTES))
        for place in range(width):
            name, attribute = letters[place], attributes[place]
            expected = digits if name else [None] * count
            if (
                addresses[place::width] != expected
                or letters[place::width].count(name) != count
                or attributes[place::width].count(attribute) != count
            ):
                return None
            known = type_and_style(attribute)
            if known is None:
                return None
            shape.append((column_index(name.decode()) if name else place, *known))
        columns = [column for column, *_ in shape]
        if columns[-1] >= self.sink.width or not all(map(lt, columns, columns[1:])):
            return None
        return shape

    def _columns(self, parts: list[Any], shape: Shape, width: int) -> list[list[bytes]] | None:
        """The JSON of each column."""
        values, texts = parts[VALUE::STRIDE], parts[TEXT::STRIDE]
        found = []
        for place, (_, cell_type, style) in enumerate(shape):
            column, other = values[place::width], texts[place::width]
            if cell_type == b"inlineStr":
                column, other = other, column
            if other.count(None) != len(other):
                return None
            found.append(self.values.column(cell_type, style)(column))
        return found

    def _send(self, numbers: list[int], places: list[int], columns: list[list[bytes]]) -> None:
        template = row_template(places)
        rows = list(map(template.__mod__, zip(numbers, *columns, strict=True)))
        if all(NULL in column for column in columns):
            kept = [
                place
                for place, cells in enumerate(zip(*columns, strict=True))
                if cells.count(NULL) < len(cells)
            ]
            rows, sent = [rows[place] for place in kept], [numbers[place] for place in kept]
        else:
            sent = numbers
        self.sink.number = numbers[-1]
        if sent:
            self.sink.send_many(rows, last=sent[-1], width=places[-1] + 1)


def row_template(columns: list[int]) -> bytes:
    """[number,[cells]] with a place for each column that has a cell."""
    width = columns[-1] + 1 if columns else 0
    present = set(columns)
    return b"[%d,[" + b",".join(b"%b" if index in present else NULL for index in range(width)) + b"]]"
