"""Reads one sheet of a binary workbook (.xlsb) into frames. Its records hold what the XML of xlsx holds."""

import struct
from typing import Any

from . import choosing
from .endings import workbook_end
from .failures import Refused
from .glancing import Beginning, glance
from .opening import Looking
from .package import Package
from .sink import Sink
from .strings import SharedStrings
from .styles import MOST_STYLES, meanings
from .values import Values, literal_fragment
from .wire import FrameWriter, dump
from .workbook import LONGEST_NAME, Sheet, Workbook, linked_parts
from .xlsb_records import records, wide_text
from .xlsb_rows import XlsbRows

BUNDLE_SHEET, WORKBOOK_PROPERTIES = 156, 153
STRING_ITEM = 19
FORMAT, CELL_FORMAT, BEGIN_CELL_FORMATS, END_CELL_FORMATS = 44, 47, 617, 618
STRINGS_AT_ONCE = 10_000


def read_xlsb(
    package: Package, part: str, writer: FrameWriter, looking: Looking, *, spill_bytes: int
) -> dict[str, Any]:
    try:
        book = _read_book(package, part)
        strings = SharedStrings(spill_bytes=spill_bytes)
        if book.strings in package:
            _read_strings(package, book.strings, strings)
        formats = _read_formats(package, book.styles) if book.styles in package else []
        values, beginning = (
            Values(strings=strings, formats=formats, date1904=book.date1904),
            Beginning(package),
        )
        chosen = choosing.choose(
            book.sheets,
            looking,
            lambda sheet: glance(looking, lambda sink: XlsbRows(values, sink).read(beginning, sheet.part)),
        )
        writer.sheet = dump(chosen.sheet.name)
        writer.total = package.size(chosen.sheet.part)
        sink = Sink(writer, looking, about=chosen.about)
        rows = XlsbRows(values, sink)
        rows.read(package, chosen.sheet.part)
    except (struct.error, IndexError) as error:
        raise Refused("damaged_file", reason="one of its records is shorter than its content") from error
    columns = rows.hidden_columns.letters(sink.width)
    return workbook_end("xlsb", book, chosen, sink, merged=rows.merged, hidden_columns=columns)


def _read_book(package: Package, part: str) -> Workbook:
    book, links = linked_parts(package, part)
    for number, record in records(package, part):
        if number == WORKBOOK_PROPERTIES:
            book.date1904 = bool(record[0] & 1) if record else False
        elif number == BUNDLE_SHEET:
            (state,) = struct.unpack_from("<I", record)
            link, at = wide_text(record, 8)
            name, _ = wide_text(record, at)
            kind, target = links.get(link, ("", ""))
            if kind == "worksheet":
                book.sheets.append(Sheet(name[:LONGEST_NAME], target, state != 0))
    return book


def _read_strings(package: Package, part: str, strings: SharedStrings) -> None:
    fragments = []
    for number, record in records(package, part):
        if number == STRING_ITEM:
            # The first byte tells of runs and readings, which stand behind the text.
            fragments.append(literal_fragment(wide_text(record, 1)[0]))
            if len(fragments) >= STRINGS_AT_ONCE:
                strings.extend(fragments)
                fragments = []
    strings.extend(fragments)


def _read_formats(package: Package, part: str) -> list[str]:
    codes: dict[str, str] = {}
    numbers: list[str] = []
    is_cell = False
    for number, record in records(package, part):
        if number == FORMAT and len(codes) < MOST_STYLES:
            codes[str(struct.unpack_from("<H", record)[0])] = wide_text(record, 2)[0]
        elif number in (BEGIN_CELL_FORMATS, END_CELL_FORMATS):
            is_cell = number == BEGIN_CELL_FORMATS
        elif number == CELL_FORMAT and is_cell and len(numbers) < MOST_STYLES:
            numbers.append(str(struct.unpack_from("<2H", record)[1]))
    return meanings(numbers, codes)
