"""Reads a worksheet part: a strict expression for each row, expat for a row that it does not cover whole,
and expat from the start for a sheet that is not built of plain rows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .cells import column_letters
from .failures import Refused
from .limits import TOKEN_BYTES
from .markup import feed, new_parser
from .package import Package
from .patterns import HIDDEN, STRIDE, split_cells
from .sheet_rows import SheetRows
from .sink import Sink, column_of
from .text import NeedsCare
from .uniform import UniformBlocks, row_template
from .values import NOT_CALCULATED, NULL, Converter, Values

HEAD = re.compile(rb"<sheetData\s*>")
EMPTY_SHEET = re.compile(rb"<sheetData\s*/>")
ROW_END = b"</row>"
ROW_START = re.compile(rb'\s*<row((?:\s+[A-Za-z_:][\w:.-]*="[^"<]*")*)\s*>\s*').fullmatch
EMPTY_ROWS = re.compile(rb'(?:\s*<row(?:\s+[A-Za-z_:][\w:.-]*="[^"<]*")*\s*/>)+')
ROW_NUMBER = re.compile(rb'\sr="([0-9]{1,9})"').search
MOST_PLANS = 2_000


@dataclass(slots=True)
class Plan:
    """How to turn the values of rows of one shape (columns, styles, types) into JSON."""

    letters: list[bytes | None]
    styles: list[bytes | None]
    types: list[bytes | None]
    late_styles: list[bytes | None]
    converters: list[Converter]
    columns: list[int]
    # How many of the cells stand under the header.
    within: int
    width: int
    template: bytes
    inline: bool


class SheetReader:
    def __init__(self, package: Package, part: str, *, values: Values, sink: Sink) -> None:
        self.package = package
        self.part = part
        self.values = values
        self.sink = sink
        self.merged = 0
        self.plan: Plan | None = None
        self.plans: dict[tuple[object, ...], Plan] = {}
        self.uniform = UniformBlocks(values=values, sink=sink)

    def read(self) -> None:
        try:
            for block in self._whole_rows():
                self._read_block(block)
        except NeedsCare:
            self._read_carefully()

    def _read_carefully(self) -> None:
        """The whole part by expat; rows that were sent already are passed over."""
        rows = SheetRows(values=self.values, sink=self.sink, after=self.sink.number)
        parser = new_parser(part=self.part)
        rows.attach(parser)
        feed(parser, self._progress(), part=self.part)
        self.merged = rows.merged

    def _progress(self) -> Iterator[bytes]:
        writer = self.sink.writer
        writer.done = 0
        for block in self.package.blocks(self.part):
            yield block
            writer.done += len(block)

    def _whole_rows(self) -> Iterator[bytes]:
        """The rows in blocks that end with a row; everything before and after them is looked at here."""
        blocks = self._progress()
        rest = self._after_head(blocks)
        if rest is None:
            return
        for block in blocks:
            cut = max(rest.rfind(ROW_END) + len(ROW_END), rest.rfind(b"/><row") + 2)
            if cut >= len(ROW_END):
                yield rest[:cut]
                rest = rest[cut:]
            elif len(rest) > TOKEN_BYTES:
                raise NeedsCare
            rest += block
            if b"</sheetData>" in rest:
                break
        last, end, tail = rest.partition(b"</sheetData>")
        if not end:
            raise NeedsCare
        yield last
        self._read_tail(tail, blocks)

    def _after_head(self, blocks: Iterator[bytes]) -> bytes | None:
        head = b""
        for block in blocks:
            head += block
            if b"<!" in head or len(head) > TOKEN_BYTES:
                raise NeedsCare
            data = HEAD.search(head)
            if data:
                return head[data.end() :]
            if EMPTY_SHEET.search(head):
                self._read_tail(head, blocks)
                return None
        raise NeedsCare

    def _read_tail(self, tail: bytes, blocks: Iterator[bytes]) -> None:
        """To the end of the part, because only there its checksum is compared."""
        merge = b"<mergeCell "
        for block in blocks:
            self.merged += tail.count(merge)
            if b"<!DOCTYPE" in tail:
                raise NeedsCare
            tail = tail[-len(merge) + 1 :] + block
        self.merged += tail.count(merge)
        if not tail.rstrip().endswith(b"</worksheet>"):
            raise NeedsCare

    def _read_block(self, block: bytes) -> None:
        if b"<!" in block or b"<?" in block:
            raise NeedsCare
        block.decode()
        if self._pass_blank_block(block) or (self.sink.width and self.uniform.read(block)):
            return
        pieces = block.split(ROW_END)
        last = pieces.pop()
        for piece in pieces:
            self._read_piece(piece)
        if last.strip():
            self._pass_empty_rows(last, whole=True)

    def _read_piece(self, piece: bytes) -> None:
        """One row without its end tag, perhaps after rows without content."""
        if not has_values(piece):
            self._pass_blank_row(piece)
            return
        parts = split_cells(piece)
        start = ROW_START(parts[0])
        if start is None or any(parts[STRIDE::STRIDE]):
            self._read_unusual(piece)
            return
        attributes = start[1]
        digits = ROW_NUMBER(attributes)
        addresses = parts[2::STRIDE]
        if any(addresses) and (digits is None or addresses.count(digits[1]) != len(addresses)):
            self._read_unusual(piece)
            return
        hidden = b"hidden" in attributes and HIDDEN(attributes) is not None
        number = self.sink.next_number(digits[1] if digits else None)
        try:
            self._read_row(number, parts, hidden=hidden)
        except NeedsCare:
            self.sink.number = number - 1
            self._read_unusual(piece)

    def _read_row(self, number: int, parts: list[Any], *, hidden: bool) -> None:
        if not self.sink.width or any(parts[6::STRIDE]):
            self._read_cells(number, parts, hidden=hidden)
            return
        plan = self.plan
        if (
            plan is None
            or parts[1::STRIDE] != plan.letters
            or parts[3::STRIDE] != plan.styles
            or parts[4::STRIDE] != plan.types
            or parts[5::STRIDE] != plan.late_styles
        ):
            plan = self.plan = self._plan(parts)
        raw = parts[7::STRIDE]
        if plan.inline:
            texts = parts[8::STRIDE]
            raw = [text if value is None else value for value, text in zip(raw, texts, strict=True)]
        if plan.within < len(raw) or None in raw or b"" in raw:
            self._read_cells(number, parts, hidden=hidden)
            return
        cells = [convert(value) for convert, value in zip(plan.converters, raw, strict=True)]
        self.sink.send(number, plan.template % (number, *cells), width=plan.width, hidden=hidden)

    def _read_cells(self, number: int, parts: list[Any], *, hidden: bool) -> None:
        """The cells one by one: for the header, formulas, blanks, and cells beyond the header."""
        plan = self._plan(parts)
        count = plan.within
        cells = [NULL] * (plan.columns[count - 1] + 1 if count else 0)
        values, texts, formulas = parts[7::STRIDE], parts[8::STRIDE], parts[6::STRIDE]
        for index, column in enumerate(plan.columns):
            value = values[index] if texts[index] is None else texts[index]
            if index >= count:
                if value or formulas[index]:
                    self.sink.beyond_header(f"{column_letters(column)}{number}")
            elif formulas[index] and not value and plan.types[index] != b"str":
                cells[column] = NOT_CALCULATED
            elif value:
                cells[column] = plan.converters[index](value)
        self.sink.formulas += len(formulas) - formulas.count(None)
        self.sink.row(number, cells, hidden=hidden)

    def _plan(self, parts: list[Any]) -> Plan:
        letters, styles, types, late = (parts[group::STRIDE] for group in (1, 3, 4, 5))
        shape = (tuple(letters), tuple(styles), tuple(types), tuple(late), self.sink.width)
        plan = self.plans.get(shape)
        if plan is None:
            plan = self._new_plan(letters, styles, types, late)
            if len(self.plans) < MOST_PLANS:
                self.plans[shape] = plan
        return plan

    def _new_plan(
        self,
        letters: list[bytes | None],
        styles: list[bytes | None],
        types: list[bytes | None],
        late: list[bytes | None],
    ) -> Plan:
        row = self.sink.number
        columns = [
            column_of(name.decode() if name else column_letters(place), row=row)
            for place, name in enumerate(letters)
        ]
        if any(left >= right for left, right in pairwise(columns)):
            raise Refused("damaged_file", reason=f"the cells of row {row} are not in order")
        converters = [
            self.values.converter(kind, style or later)
            for kind, style, later in zip(types, styles, late, strict=True)
        ]
        within = sum(column < self.sink.width for column in columns) if self.sink.width else len(columns)
        return Plan(
            letters=letters,
            styles=styles,
            types=types,
            late_styles=late,
            converters=converters,
            within=within,
            width=columns[within - 1] + 1 if within else 0,
            columns=columns,
            template=row_template(columns[:within]),
            inline=b"inlineStr" in types,
        )

    def _read_unusual(self, piece: bytes) -> None:
        """A row that the expression does not cover, by expat, after the empty rows before it."""
        row = piece[self._pass_empty_rows(piece) :]
        before = self.sink.number
        rows = SheetRows(values=self.values, sink=self.sink, after=before)
        parser = new_parser(part=self.part, namespaces=False)
        rows.attach(parser)
        rows.last = before
        try:
            feed(parser, [b"<sheetData>", row, ROW_END, b"</sheetData>"], part=self.part)
        except NeedsCare:
            self.sink.number = before
            raise

    def _pass_blank_block(self, block: bytes) -> bool:
        """Only its last row matters when none of them holds a value."""
        start = block.rfind(b"<row")
        digits = None if has_values(block) else ROW_NUMBER(block, start, block.find(b">", start))
        if digits:
            self.sink.next_number(digits[1])
        return digits is not None

    def _pass_blank_row(self, piece: bytes) -> None:
        at = self._pass_empty_rows(piece)
        tag_end = piece.find(b">", at)
        digits = ROW_NUMBER(piece, at, tag_end)
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


def has_values(markup: bytes) -> bool:
    """Some sheets have a million rows of styled cells without a value."""
    return b"<v" in markup or b"<is" in markup or b"<f" in markup
