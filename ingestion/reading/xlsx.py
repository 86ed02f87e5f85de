"""Reads one sheet of an xlsx or xlsm workbook into frames and gives what the end frame states."""

from typing import Any, BinaryIO

from .failures import Refused
from .package import Package
from .sheet import SheetReader
from .sink import Sink
from .strings import SharedStrings
from .strings_part import read_strings
from .styles import read_styles
from .values import Values
from .wire import FrameWriter, dump
from .workbook import Workbook, choose_sheet, find_workbook, read_workbook


def read_xlsx(file: BinaryIO, writer: FrameWriter, *, sheet: str | None, spill_bytes: int) -> dict[str, Any]:
    package = Package(file)
    book = read_workbook(package, find_workbook(package))
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
    if not sink.width:
        raise Refused("no_rows", sheet=chosen.name)
    return {
        "format": "xlsx",
        "sheet": chosen.name,
        "rows": sink.sent,
        "blank_rows": sink.blank_rows(),
        "last_row": sink.last_row,
        "header_row": sink.header_row,
        "assumptions": _assumptions(book, chosen.name, sink, merged=reader.merged),
    }


def _assumptions(book: Workbook, sheet: str, sink: Sink, *, merged: int) -> list[list[Any]]:
    """Code and detail of each; the parent makes the sentences."""
    others = [other.name for other in book.sheets if other.name != sheet]
    read = {"sheet": sheet, "others": others[:50], "other_count": len(others)}
    found: list[list[Any]] = [["sheet_read", read], ["header_row", {"row": sink.header_row}]]
    if sink.hidden:
        found.append(["hidden_rows_read", {"count": sink.hidden}])
    if sink.formulas:
        found.append(["formulas_by_stored_value", {"count": sink.formulas}])
    if merged:
        found.append(["merged_ranges", {"count": merged}])
    if sink.beyond:
        found.append(["cells_beyond_header", {"count": sink.beyond, "first": sink.first_beyond}])
    if book.date1904:
        found.append(["dates_from_1904", {}])
    return found
