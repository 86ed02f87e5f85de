"""Reads one sheet of an xlsx or xlsm workbook into frames and gives what the end frame states."""

from typing import Any

from . import choosing
from .endings import workbook_end
from .glancing import Beginning, glance
from .opening import Looking
from .package import Package
from .sheet import SheetReader
from .sink import Sink
from .strings import SharedStrings
from .strings_part import read_strings
from .styles import read_styles
from .values import Values
from .wire import FrameWriter, dump
from .workbook import read_workbook


def read_xlsx(
    package: Package, part: str, writer: FrameWriter, looking: Looking, *, spill_bytes: int
) -> dict[str, Any]:
    book = read_workbook(package, part)
    strings = SharedStrings(spill_bytes=spill_bytes)
    if book.strings and package.size(book.strings):
        read_strings(package, book.strings, strings)
    formats = read_styles(package, book.styles) if book.styles in package else []
    values = Values(strings=strings, formats=formats, date1904=book.date1904)

    def reader_of(sheet_part: str, sink: Sink, source: Package | Beginning = package) -> SheetReader:
        return SheetReader(source, sheet_part, values=values, sink=sink)

    beginning = Beginning(package)
    chosen = choosing.choose(
        book.sheets,
        looking,
        lambda sheet: glance(looking, lambda sink: reader_of(sheet.part, sink, beginning).read()),
    )
    writer.sheet = dump(chosen.sheet.name)
    writer.total = package.size(chosen.sheet.part)
    sink = Sink(writer, looking, about=chosen.about)
    reader = reader_of(chosen.sheet.part, sink)
    reader.read()
    columns = reader.hidden_columns(sink.width)
    return workbook_end("xlsx", book, chosen, sink, merged=reader.merged, hidden_columns=columns)
