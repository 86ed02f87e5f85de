"""What the end frame states of a workbook, whichever its format; the parent makes the sentences."""

from collections.abc import Sequence
from typing import Any

from . import choosing
from .choosing import Chosen
from .failures import Refused
from .sink import Sink
from .workbook import Sheet, Workbook

MOST_NAMED = 20


def workbook_end(
    file_format: str,
    book: Workbook,
    chosen: Chosen[Sheet],
    sink: Sink,
    *,
    merged: int,
    hidden_columns: Sequence[str] = (),
) -> dict[str, Any]:
    """After the last row. `hidden_columns` are letters."""
    sink.end()
    sheet = chosen.sheet.name
    if not sink.width:
        raise Refused("no_rows", sheet=sheet)
    return {
        "format": file_format,
        "sheet": sheet,
        "rows": sink.sent,
        "blank_rows": sink.blank_rows(),
        "last_row": sink.last_row,
        "header_row": sink.header_row,
        "assumptions": [
            choosing.assumption(chosen, book.sheets),
            *sink.opening.assumptions(),
            *_assumptions(book, sink, merged=merged, hidden_columns=hidden_columns),
        ],
    }


def _assumptions(
    book: Workbook, sink: Sink, *, merged: int, hidden_columns: Sequence[str]
) -> list[list[Any]]:
    """Code and detail of each."""
    found: list[list[Any]] = []
    if sink.hidden:
        found.append(["hidden_rows_read", {"count": sink.hidden}])
    if hidden_columns:
        detail = {"count": len(hidden_columns), "columns": hidden_columns[:MOST_NAMED]}
        found.append(["hidden_columns_read", detail])
    if sink.formulas:
        found.append(["formulas_by_stored_value", {"count": sink.formulas}])
    if merged:
        found.append(["merged_ranges", {"count": merged}])
    if sink.beyond:
        found.append(["cells_beyond_header", {"count": sink.beyond, "first": sink.first_beyond}])
    if book.date1904:
        found.append(["dates_from_1904", {}])
    return found
