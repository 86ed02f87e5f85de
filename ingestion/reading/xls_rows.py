"""The rows of one worksheet in a workbook stream of the old format."""

import struct
from collections.abc import Iterator
from itertools import pairwise

from .biff import BIFF8, CONTINUE, LONG, SHORT, Text, Texts, cut_off, records
from .binary_values import compressed_number, digits, error_fragment
from .failures import Refused
from .hidden_columns import HiddenColumns
from .rows import RowOfCells
from .sink import Sink
from .values import BOOLEANS, NULL, Converter, Values, literal_fragment

BEGIN, END = 0x809, 0x0A
ROW, COLUMNS, MERGED_CELLS = 0x208, 0x7D, 0xE5
NUMBER, TEXT, BOOLEAN_OR_ERROR, FORMULA = 0x203, 0x204, 0x205, 0x06
RK, MANY_RK, SHARED_TEXT, RICH_TEXT = 0x27E, 0xBD, 0xFD, 0xD6
# Between a formula and the text that it came to.
SHARED_FORMULA, ARRAY, WHAT_IF_TABLE, FORMULA_TEXT = 0x4BC, 0x221, 0x236, 0x207
CELLS = frozenset((NUMBER, TEXT, BOOLEAN_OR_ERROR, FORMULA, RK, MANY_RK, SHARED_TEXT, RICH_TEXT))
# Some programs write formulas under numbers of older versions.
ALIASES = {0x206: FORMULA, 0x406: FORMULA}
IS_HIDDEN = 0x20
PLACE = struct.Struct("<3H")
REAL = struct.Struct("<d")
# The last two bytes of a result that is no number; its kind stands in the first.
NO_NUMBER = b"\xff\xff"
RESULT_TEXT, RESULT_BOOLEAN, RESULT_ERROR = 0, 1, 2
# Row and column of a cell, where its content stands, its type and its length.
Place = tuple[int, int, int, int, int]


class XlsRows:
    def __init__(self, data: bytes, *, values: Values, sink: Sink, text: Text) -> None:
        self.data = data
        self.values = values
        self.sink = sink
        self.text = text
        self.row = RowOfCells(sink)
        self.numbers: dict[int, Converter] = {}
        self.hidden: set[int] = set()
        self.hidden_columns = HiddenColumns()
        self.merged = 0

    def read(self, start: int) -> None:
        """The sheet whose first record is at `start`."""
        if self.data[start : start + 2] != SHORT.pack(BEGIN):
            raise Refused("damaged_file", reason="a sheet does not begin where the workbook says")
        cells = self._cells(start)
        if not all(left <= right for left, right in pairwise(place[:2] for place in cells)):
            # Written as the program came by them; their places decide.
            places = iter(sorted(self._cells(start)))
        else:
            places = self._cells(start)
        for place in places:
            self._cell(place)
        self.row.end()

    def _cells(self, start: int) -> Iterator[Place]:
        """The cells as they stand in the file; what else the sheet says is counted on the way."""
        depth = self.merged = 0
        self.hidden_columns = HiddenColumns()
        for kind, at, length in records(self.data, start):
            kind = ALIASES.get(kind, kind)
            if kind == BEGIN:
                depth += 1
            elif kind == END:
                # A chart inside the sheet has an end of its own.
                depth -= 1
                if depth <= 0:
                    break
            elif depth > 1:
                continue
            elif kind in CELLS:
                if length < PLACE.size:
                    raise cut_off()
                row, column, _ = PLACE.unpack_from(self.data, at)
                yield row, column, at, kind, length
            elif kind == ROW and length >= 14 and self.data[at + 12] & IS_HIDDEN:
                self.hidden.add(SHORT.unpack_from(self.data, at)[0])
            elif kind == COLUMNS and length >= 10 and self.data[at + 8] & 1:
                first, last = SHORT.unpack_from(self.data, at)[0], SHORT.unpack_from(self.data, at + 2)[0]
                self.hidden_columns.add(first, last)
            elif kind == MERGED_CELLS:
                self.merged += SHORT.unpack_from(self.data, at)[0]

    def _cell(self, place: Place) -> None:
        row, column, at, kind, length = place
        if self.row.number != row + 1:
            self.row.begin(row + 1, hidden=row in self.hidden)
            self.sink.writer.done = at
        if kind == MANY_RK:
            for offset, (style, value) in enumerate(self._many(at, length)):
                self.row.put(column + offset, self._number(value, style))
            return
        self.sink.formulas += kind == FORMULA
        fragment = self._fragment(kind, at, length)
        if fragment != NULL:
            self.row.put(column, fragment)

    def _many(self, at: int, length: int) -> Iterator[tuple[int, float]]:
        """Style and value of neighbours: after row and column six bytes each, then the last column."""
        for start in range(at + 4, at + length - 7, 6):
            (style,) = SHORT.unpack_from(self.data, start)
            yield style, compressed_number(self.data[start + 2 : start + 6])

    def _fragment(self, kind: int, at: int, length: int) -> bytes:
        data, content = self.data, at + PLACE.size
        style = SHORT.unpack_from(data, at + 4)[0]
        if kind == SHARED_TEXT:
            return self.values.strings.fragment(b"%d" % LONG.unpack_from(data, content)[0])
        if kind == NUMBER:
            return self._number(REAL.unpack_from(data, content)[0], style)
        if kind == RK:
            return self._number(compressed_number(data[content : content + 4]), style)
        if kind == FORMULA:
            return self._result(at, length, style)
        if kind == BOOLEAN_OR_ERROR:
            value, is_error = data[content], data[content + 1]
            return error_fragment(value) if is_error else BOOLEANS[b"1" if value else b"0"]
        return literal_fragment(self.text.read(data, content, at + length))

    def _result(self, at: int, length: int, style: int) -> bytes:
        """The value that the formula came to when the file was saved."""
        result = self.data[at + 6 : at + 14]
        if result[6:] != NO_NUMBER:
            return self._number(REAL.unpack(result)[0], style)
        kind, value = result[0], result[2]
        if kind == RESULT_TEXT:
            return self._text_after(at + length)
        if kind == RESULT_BOOLEAN:
            return BOOLEANS[b"1" if value else b"0"]
        return error_fragment(value) if kind == RESULT_ERROR else NULL

    def _text_after(self, at: int) -> bytes:
        pieces: list[bytes] = []
        for kind, place, length in records(self.data, at):
            if kind == FORMULA_TEXT and self.text.version < BIFF8:
                return literal_fragment(self.text.read(self.data, place, place + length))
            if kind == FORMULA_TEXT or (kind == CONTINUE and pieces):
                pieces.append(self.data[place : place + length])
            elif pieces or kind not in (SHARED_FORMULA, ARRAY, WHAT_IF_TABLE):
                break
        if not pieces:
            raise Refused("damaged_file", reason="the text of a formula is missing")
        return literal_fragment(Texts(pieces).text())

    def _number(self, value: float, style: int) -> bytes:
        raw = digits(value)
        if raw is None:
            return error_fragment(0x24)
        convert = self.numbers.get(style)
        if convert is None:
            convert = self.numbers[style] = self.values.converter(None, b"%d" % style)
        return convert(raw)
