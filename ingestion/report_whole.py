"""The whole sheet as it was sent, with the cells at fault coloured and what is wrong behind each row.

The original is read again and written row by row: neither the sheet nor its errors are in memory at once.
Rows keep their numbers, and numbers, dates and booleans stay what they are.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from accounts.models import Organisation
from ingestion import queries, reading_upload
from ingestion.models import RowError, Upload
from ingestion.reading.cells import WireCell
from ingestion.report_cells import CellWriter
from ingestion.report_rows import refused_rows
from ingestion.report_workbook import (
    COMMENTED_ROWS,
    LAST_COLUMN,
    LAST_ROW,
    OPTIONS,
    faults_by_place,
    formats_of,
    headers_of,
    problems_of,
    write_explanations,
)
from work.jobs import Job

HOW = (
    "This is your sheet with what is wrong marked in it. Mend it here and send it whole, or take "
    "“Rows to mend” for the refused rows alone."
)


def write(path: Path, upload: Upload, organisation: Organisation, job: Job) -> None:
    options = {**OPTIONS, "tmpdir": str(path.parent)}
    with xlsxwriter.Workbook(str(path), options) as book:
        book.set_properties({"title": f"{upload.filename}, annotated", "author": "Waybill"})
        formats = formats_of(book)
        with reading_upload.opened(
            job, upload, organisation, **reading_upload.as_its_verdict_says(upload)
        ) as reader:
            sheet = book.add_worksheet("Whole sheet")
            written = _Rows(sheet, upload, CellWriter(book), formats)
            written.head(reader.header.row, reader.header.cells)
            for frame in reader:
                written.add(frame.rows)
                job.progress(written.rows, total=upload.rows_read, unit="rows")
        left_out = written.left_out
        write_explanations(book.add_worksheet("Explanations"), upload, formats, left_out=left_out, how=HOW)


class _Rows:
    """Writes the rows of the file beside those that were refused, both in the order of the sheet."""

    def __init__(self, sheet: Worksheet, upload: Upload, cells: CellWriter, formats: dict[str, Any]) -> None:
        self.sheet, self.cells, self.formats = sheet, cells, formats
        self.refused: Iterator[RowError] = refused_rows(queries.error_rows(upload), upload, None)
        self.next = next(self.refused, None)
        self.rows = self.commented = self.left_out = 0
        self.problems = 0

    def head(self, row: int, cells: Sequence[WireCell]) -> None:
        headers = headers_of(cells)
        self.problems = min(len(headers), LAST_COLUMN)
        self.sheet.freeze_panes(row, 0)
        self.sheet.set_column(0, max(0, self.problems - 1), 16)
        self.sheet.set_column(self.problems, self.problems, 80)
        for place, header in enumerate(headers[: self.problems]):
            self.sheet.write_string(row - 1, place, header, self.formats["head"])
        self.sheet.write_string(row - 1, self.problems, "Problems", self.formats["head"])

    def add(self, rows: Sequence[list[Any]]) -> None:
        for number, cells, *_ in rows:
            self.rows += 1
            if number - 1 > LAST_ROW:
                self.left_out += 1
                continue
            self._row(number - 1, cells, self._refused(number))

    def _refused(self, number: int) -> RowError | None:
        while self.next is not None and self.next.row < number:
            self.next = next(self.refused, None)
        return self.next if self.next is not None and self.next.row == number else None

    def _row(self, line: int, cells: Sequence[WireCell], refused: RowError | None) -> None:
        faults = faults_by_place(refused) if refused else {}
        comments = self.commented < COMMENTED_ROWS
        for place in range(min(self.problems, max(len(cells), 1 + max(faults, default=-1)))):
            cell = cells[place] if place < len(cells) else None
            self.cells.write(self.sheet, line, place, cell, at_fault=place in faults)
            if place in faults and comments:
                self.sheet.write_comment(line, place, faults[place], {"x_scale": 2})
        if refused:
            self.commented += bool(faults)
            self.sheet.write_string(line, self.problems, problems_of(refused), self.formats["plain"])
