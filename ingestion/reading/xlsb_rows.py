"""The rows of a binary worksheet part."""

import struct

from .binary_values import compressed_number, digits, error_fragment
from .failures import Refused
from .glancing import Beginning
from .hidden_columns import HiddenColumns
from .package import Package
from .rows import RowOfCells
from .sink import Sink
from .values import BOOLEANS, NULL, Converter, Values, literal_fragment
from .xlsb_records import records, wide_text

ROW, BEGIN_DATA, END_DATA, MERGED_CELL = 0, 145, 146, 176
COLUMNS = 60
BLANK, RK, ERROR, BOOLEAN, REAL, TEXT, SHARED_TEXT = range(1, 8)
FORMULA_TEXT, FORMULA_NUMBER, FORMULA_BOOLEAN, FORMULA_ERROR = range(8, 12)
# A cell that stands right of the one before leaves out its column: the same kinds again, eleven on.
SHORT_BLANK, SHORT_SHARED_TEXT = 12, 18
RICH_TEXT = 62
FORMULAS = (FORMULA_TEXT, FORMULA_NUMBER, FORMULA_BOOLEAN, FORMULA_ERROR)
CELLS = frozenset((*range(BLANK, SHORT_SHARED_TEXT + 1), RICH_TEXT))
IS_HIDDEN = 0x10
HEAD = struct.Struct("<2I")
NUMBER = struct.Struct("<d")
INDEX = struct.Struct("<I")


class XlsbRows:
    def __init__(self, values: Values, sink: Sink) -> None:
        self.values = values
        self.sink = sink
        self.row = RowOfCells(sink)
        self.numbers: dict[int, Converter] = {}
        self.hidden_columns = HiddenColumns()
        self.merged = 0

    def read(self, package: Package | Beginning, part: str) -> None:
        in_data = False
        column = -1
        writer = self.sink.writer
        for number, record in records(package, part):
            if in_data and number in CELLS:
                if number >= SHORT_BLANK and number != RICH_TEXT:
                    number, column, content = number - 11, column + 1, 4
                    (style,) = INDEX.unpack_from(record)
                else:
                    column, style = HEAD.unpack_from(record)
                    content = HEAD.size
                if number != BLANK:
                    self._cell(number, column, style & 0xFFFFFF, record, content)
            elif number == ROW and in_data:
                self.row.begin(INDEX.unpack_from(record)[0] + 1, hidden=bool(record[11] & IS_HIDDEN))
                column = -1
            elif number == BEGIN_DATA:
                in_data = True
            elif number == END_DATA:
                in_data = False
                self.row.end()
            elif number == COLUMNS and record[16] & 1:
                self.hidden_columns.add(*HEAD.unpack_from(record))
            elif number == MERGED_CELL:
                self.merged += 1
            writer.done += len(record)
        self.row.end()

    def _cell(self, number: int, column: int, style: int, record: bytes, at: int) -> None:
        if not self.row.number:
            raise Refused("damaged_file", reason="a cell stands outside of any row")
        self.sink.formulas += number in FORMULAS
        fragment = self._fragment(number, style, record, at)
        if fragment != NULL:
            self.row.put(column, fragment)

    def _fragment(self, number: int, style: int, record: bytes, at: int) -> bytes:
        if number == SHARED_TEXT:
            return self.values.strings.fragment(b"%d" % INDEX.unpack_from(record, at)[0])
        if number in (REAL, FORMULA_NUMBER):
            return self._number(NUMBER.unpack_from(record, at)[0], style)
        if number == RK:
            return self._number(compressed_number(record[at : at + 4]), style)
        if number in (TEXT, FORMULA_TEXT):
            return literal_fragment(wide_text(record, at)[0])
        if number == RICH_TEXT:
            return literal_fragment(wide_text(record, at + 1)[0])
        (code,) = struct.unpack_from("<B", record, at)
        if number in (BOOLEAN, FORMULA_BOOLEAN):
            return BOOLEANS[b"1" if code else b"0"]
        return error_fragment(code)

    def _number(self, value: float, style: int) -> bytes:
        raw = digits(value)
        if raw is None:
            return error_fragment(0x24)
        convert = self.numbers.get(style)
        if convert is None:
            convert = self.numbers[style] = self.values.converter(None, b"%d" % style)
        return convert(raw)
