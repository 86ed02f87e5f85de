"""Rows of a worksheet one by one: a strict expression, and expat for a row that it does not cover whole."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .cells import column_letters
from .failures import Refused
from .markup import feed, new_parser
from .patterns import (
    ATTRIBUTES,
    DIGITS,
    FORMULA,
    HIDDEN,
    LETTERS,
    RESULT,
    STRIDE,
    TEXT,
    VALUE,
    split_cells,
    type_and_style,
)
from .sheet_rows import SheetRows
from .sink import Sink, column_of
from .text import NeedsCare
from .uniform import row_template
from .values import NOT_CALCULATED, NULL, Converter, Values, text_fragment

ROW_END = b"</row>"
ROW_START = re.compile(rb'\s*<row((?:\s+[A-Za-z_:][\w:.-]*="[^"<]*")*)\s*>\s*').fullmatch
EMPTY_ROWS = re.compile(rb'(?:\s*<row(?:\s+[A-Za-z_:][\w:.-]*="[^"<]*")*\s*/>)+')
# Some sheets have a million rows of styled cells without a value.
BLANK_ROWS = re.compile(
    rb'(?:\s*<row(?:\s+[A-Za-z_:][\w:.-]*="[^"<]*")*\s*'
    rb"(?:/>|>\s*(?:<c [^<>]*/>\s*|<c [^<>]*></c>\s*)*(?:</row>|\Z)))*\s*"
).fullmatch
ROW_NUMBER = re.compile(rb'\sr="([0-9]{1,9})"').search
MOST_PLANS = 2_000


@dataclass(slots=True)
class Plan:
    """How to turn the values of rows of one shape (columns and attributes of the cells) into JSON."""

    letters: list[bytes | None]
    attributes: list[bytes]
    types: list[bytes | None]
    converters: list[Converter]
    columns: list[int]
    # How many of the cells stand under the header.
    within: int
    width: int
    template: bytes
    inline: bool


class PlainRows:
    def __init__(self, part: str, *, values: Values, sink: Sink) -> None:
        self.part = part
        self.values = values
        self.sink = sink
        self.plan: Plan | None = None
        self.width = 0  # of the header, for which the plan was made
        self.plans: dict[tuple[object, ...], Plan] = {}

    def read(self, block: bytes) -> None:
        """A block of whole rows, or NeedsCare with the rows before sent."""
        pieces = block.split(ROW_END)
        last = pieces.pop()
        for piece in pieces:
            self._read_piece(piece)
        if last.strip():
            self._pass_empty_rows(last, whole=True)

    def pass_blank(self, block: bytes) -> bool:
        """True for a block without a value, of which only the number of its last row matters."""
        start = block.rfind(b"<row")
        digits = ROW_NUMBER(block, start, block.find(b">", start)) if is_blank(block) else None
        if digits:
            self.sink.next_number(digits[1])
        return digits is not None

    def _read_piece(self, piece: bytes) -> None:
        """One row without its end tag, perhaps after rows without content."""
        if is_blank(piece):
            self._pass_blank_row(piece)
            return
        parts = split_cells(piece)
        start = ROW_START(parts[0])
        if start is None or any(parts[STRIDE::STRIDE]):
            self._read_unusual(piece)
            return
        digits = ROW_NUMBER(start[1])
        addresses = parts[DIGITS::STRIDE]
        if any(addresses) and (digits is None or addresses.count(digits[1]) != len(addresses)):
            self._read_unusual(piece)
            return
        hidden = b"hidden" in start[1] and HIDDEN(start[1]) is not None
        number = self.sink.next_number(digits[1] if digits else None)
        try:
            self._read_row(number, parts, hidden=hidden)
        except NeedsCare:
            self.sink.number = number - 1
            self._read_unusual(piece)

    def _read_row(self, number: int, parts: list[Any], *, hidden: bool) -> None:
        plan = self.plan
        if (
            plan is None
            or self.width != self.sink.width
            or parts[LETTERS::STRIDE] != plan.letters
            or parts[ATTRIBUTES::STRIDE] != plan.attributes
        ):
            plan = self.plan = self._plan(parts)
            self.width = self.sink.width
        raw = parts[VALUE::STRIDE]
        if plan.inline:
            texts = parts[TEXT::STRIDE]
            raw = [text if value is None else value for value, text in zip(raw, texts, strict=True)]
        if plan.within < len(raw) or None in raw or b"" in raw or not self.sink.width:
            self._read_cells(plan, number, parts, hidden=hidden)
            return
        cells = [convert(value) for convert, value in zip(plan.converters, raw, strict=True)]
        self.sink.send(number, plan.template % (number, *cells), width=plan.width, hidden=hidden)

    def _read_cells(self, plan: Plan, number: int, parts: list[Any], *, hidden: bool) -> None:
        """The cells one by one: for the header, formulas, blanks, and cells beyond the header."""
        count = plan.within
        cells = [NULL] * (plan.columns[count - 1] + 1 if count else 0)
        formulas = parts[FORMULA::STRIDE]
        for index, column in enumerate(plan.columns):
            value, text, formula, result = parts[index * STRIDE + VALUE : index * STRIDE + RESULT + 1]
            value = result if formula else value
            if index >= count:
                if value or text or formula:
                    self.sink.beyond_header(f"{column_letters(column)}{number}")
            elif text:
                cells[column] = text_fragment(text)
            elif value:
                cells[column] = plan.converters[index](value)
            elif formula and plan.types[index] != b"str":
                cells[column] = NOT_CALCULATED
        self.sink.formulas += len(formulas) - formulas.count(None)
        self.sink.row(number, cells, hidden=hidden)

    def _plan(self, parts: list[Any]) -> Plan:
        letters, attributes = parts[LETTERS::STRIDE], parts[ATTRIBUTES::STRIDE]
        shape = (tuple(letters), tuple(attributes), self.sink.width)
        plan = self.plans.get(shape)
        if plan is None:
            plan = self._new_plan(letters, attributes)
            if len(self.plans) < MOST_PLANS:
                self.plans[shape] = plan
        return plan

    def _new_plan(self, letters: list[bytes | None], attributes: list[bytes]) -> Plan:
        row = self.sink.number
        columns = [
            column_of(name.decode() if name else column_letters(place), row=row)
            for place, name in enumerate(letters)
        ]
        if any(left >= right for left, right in pairwise(columns)):
            raise Refused("damaged_file", reason=f"the cells of row {row} are not in order")
        known = [type_and_style(entry) for entry in attributes]
        if None in known:
            raise NeedsCare
        kinds = [entry for entry in known if entry is not None]
        within = sum(column < self.sink.width for column in columns) if self.sink.width else len(columns)
        return Plan(
            letters=letters,
            attributes=attributes,
            types=[kind for kind, _ in kinds],
            converters=[self.values.converter(*entry) for entry in kinds],
            columns=columns,
            within=within,
            width=columns[within - 1] + 1 if within else 0,
            template=row_template(columns[:within]),
            inline=any(kind == b"inlineStr" for kind, _ in kinds),
        )

    def _read_unusual(self, piece: bytes) -> None:
        """A row that the expression does not cover, by expat, after the empty rows before it."""
        row = piece[self._pass_empty_rows(piece) :]
        before = self.sink.number
        rows = SheetRows(self.part, values=self.values, sink=self.sink, after=before)
        parser = new_parser(part=self.part, namespaces=False)
        rows.attach(parser)
        rows.last = before
        try:
            feed(parser, [b"<sheetData>", row, ROW_END, b"</sheetData>"], part=self.part)
        except NeedsCare:
            self.sink.number = before
            raise

    def _pass_blank_row(self, piece: bytes) -> None:
        at = self._pass_empty_rows(piece)
        digits = ROW_NUMBER(piece, at, piece.find(b">", at))
        self.sink.next_number(digits[1] if digits else None)

    def _pass_empty_rows(self, piece: bytes, *, whole: bool = False) -> int:
        """Count rows like <row r="7"/> and give where they end."""
        match = EMPTY_ROWS.match(piece) if b"/>" in piece[:4096] else None
        if whole and (match is None or piece[match.end() :].strip()):
            raise NeedsCare
        if match is None:
            return 0
        for row in match[0].split(b"/>")[:-1]:
            digits = ROW_NUMBER(row)
            self.sink.next_number(digits[1] if digits else None)
        return match.end()


def is_blank(markup: bytes) -> bool:
    if b"<v" in markup or b"<is" in markup or b"<f" in markup:
        return False
    return BLANK_ROWS(markup) is not None
