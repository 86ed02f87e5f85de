"""Reads one sheet of an xlsx or xlsm workbook into frames and gives what the end frame states."""

from typing import Any

from .endings import workbook_end
from .package import Package
from .sheet import SheetReader
from .sink import Sink
from .strings import SharedStrings
from .strings_part import read_strings
from .styles import read_styles
from .values import Values
from .wire import FrameWriter, dump
from .workbook import choose_sheet, read_workbook


def read_xlsx(
    package: Package, part: str, writer: FrameWriter, *, sheet: str | None, spill_bytes: int
) -> dict[str, Any]:
    book = read_workbook(package, part)
    chosen = choose_sheet(book, sheet)
    strings = SharedStrings(spill_bytes=spill_bytes)
    if book.strings and package.size(book.strings):
        read_strings(package, book.strings, strings)
    formats = read_styles(package, book.styles) if book.styles in package else []
    writer.sheet = dump(chosen.name)
    writer.total = package.size(chosen.part)
    sink = Sink(writer)
    values = Values(strings=strings, formats=formats, date1904=book.date1904)
    reader = SheetReader(package, chosen.part, values=values, sink=sink)
    reader.read()
    return workbook_end("xlsx", book, chosen.name, sink, merged=reader.merged)
