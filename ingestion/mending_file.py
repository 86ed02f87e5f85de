"""Rows mended in the browser: what was typed over them, and the file that brings them back.

The file is what a workbook of rows to mend would be when it is saved as CSV: the columns as they stand in the
original, then our own. So it is read, rejoined and kept as every other upload is.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from ingestion import mending_marks, queries, stories
from ingestion.models import RowError, Upload
from ingestion.row_errors import LONGEST_CELL
from ingestion.verdicts import HEADERS_KEPT

ROWS_AT_ONCE = 5_000
Edits = dict[int, dict[int, str]]  # row number to place of the column to the text typed there


class NotRows(Exception):
    """What was sent are not rows of this file with text in its columns, or more of them than go at once. Load
    the page again; what you have changed is kept in your browser."""

    def __str__(self) -> str:
        return " ".join((self.__doc__ or "").split())


def fits_the_grid(upload: Upload) -> bool:
    """The verdict keeps the headings of so many columns only, and a file cannot be made without them."""
    return stories.may_be_mended(upload) and len(upload.headers) < HEADERS_KEPT


def parsed(text: str, upload: Upload) -> Edits:
    """`{"118": {"1": "42"}}`. Raises NotRows."""
    try:
        given = json.loads(text or "{}")
        edits = {
            _number(row): {_number(place): _text(typed) for place, typed in cells.items()}
            for row, cells in given.items()
            if cells
        }
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise NotRows from error
    width = len(upload.headers)
    if len(edits) > ROWS_AT_ONCE or any(place >= width for cells in edits.values() for place in cells):
        raise NotRows
    return edits


def of_form(fields: Mapping[str, str], rows: Iterable[RowError], *, width: int) -> Edits:
    """What was typed into a plain form, whose fields are named `cell-ROW-PLACE`; browsers send line ends in
    a form of their own. Raises NotRows."""
    edits: Edits = {}
    for row in rows:
        for place in range(width):
            typed = fields.get(f"cell-{row.row}-{place}")
            before = row.cells[place] if place < len(row.cells) else ""
            if typed is not None and _lines(typed) != _lines(before):
                edits.setdefault(row.row, {})[place] = _lines(typed)
    if any(len(typed) > LONGEST_CELL for cells in edits.values() for typed in cells.values()):
        raise NotRows
    return edits


def mended(upload: Upload, edits: Edits) -> dict[RowError, list[str]]:
    """The whole rows as they are now, in the order of the sheet. Rows mended meanwhile are among them, since
    whether to send them is for a person to say; what is no refused row of the upload is left out."""
    width = len(upload.headers)
    rows = queries.error_rows(upload).filter(row__in=list(edits)).order_by("row")
    found: dict[RowError, list[str]] = {}
    for row in rows:
        cells = [*row.cells[:width], *[""] * (width - len(row.cells))]
        for place, typed in edits[row.row].items():
            cells[place] = typed
        found[row] = cells
    return found


def origin_of(upload: Upload, row: RowError) -> int | None:
    """The number of the row in the first file of the story."""
    return row.row if upload.story_id is None else row.origin


def write(upload: Upload, rows: Mapping[RowError, list[str]], *, given_way: set[int]) -> bytes:
    """Every text in quotation marks and exactly as typed. `given_way`: rows left to a newer file."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    ours = [mending_marks.row_heading(upload.pk), mending_marks.GIVE_WAY]
    writer.writerow([*upload.headers, *ours])
    for row, cells in rows.items():
        number = origin_of(upload, row)
        writer.writerow([*cells, "" if number is None else number, "yes" if row.row in given_way else ""])
    return file.getvalue().encode("utf-8-sig", "replace")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(text)
    return int(text)


def _text(typed: Any) -> str:
    if not isinstance(typed, str) or len(typed) > LONGEST_CELL:
        raise ValueError("not the text of a cell")
    return typed


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
