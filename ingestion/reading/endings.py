"""What the end frame states of a workbook, whichever its format; the parent makes the sentences."""

from typing import Any

from .failures import Refused
from .sink import Sink
from .workbook import Workbook


def workbook_end(file_format: str, book: Workbook, sheet: str, sink: Sink, *, merged: int) -> dict[str, Any]:
    if not sink.width:
        raise Refused("no_rows", sheet=sheet)
    return {
        "format": file_format,
        "sheet": sheet,
        "rows": sink.sent,
        "blank_rows": sink.blank_rows(),
        "last_row": sink.last_row,
        "header_row": sink.header_row,
        "assumptions": _assumptions(book, sheet, sink, merged=merged),
    }


def _assumptions(book: Workbook, sheet: str, sink: Sink, *, merged: int) -> list[list[Any]]:
    """Code and detail of each."""
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
