"""The rows that are still to be mended, as a workbook that can be sent as it is once they are.

The columns stand as in the file, so they match by themselves; two of our own come after them. Every cell is
text, so zeros and long ids survive, and each text means what the cell meant.
"""

from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from ingestion import mending_marks, stories
from ingestion.models import RowError, Upload
from ingestion.report_rows import refused_rows
from ingestion.report_workbook import (
    COMMENTED_ROWS,
    LAST_COLUMN,
    LAST_ROW,
    OPTIONS,
    faults_by_place,
    formats_of,
    look_of,
    problems_of,
    write_explanations,
)
from work.jobs import Job

HOW = (
    "Mend the coloured cells, save the workbook and send it. The rows join their file again by the last but "
    "one column; the two grey columns are not data. Delete no heading."
)


def write(path: Path, upload: Upload, headers: list[str], job: Job) -> None:
    with xlsxwriter.Workbook(str(path), {**OPTIONS, "tmpdir": str(path.parent)}) as book:
        book.set_properties({"title": f"Rows to mend of {upload.filename}", "author": "Waybill"})
        formats = formats_of(book)
        rows = stories.open_rows(upload)
        written = _write_rows(book.add_worksheet("Rows to mend"), upload, headers, formats, job)
        left_out = rows.count() - written
        write_explanations(book.add_worksheet("Explanations"), upload, formats, left_out=left_out, how=HOW)


def _write_rows(
    sheet: Worksheet, upload: Upload, headers: list[str], formats: dict[str, Any], job: Job
) -> int:
    headers = headers[: LAST_COLUMN - 1]
    ours = len(headers)
    sheet.freeze_panes(1, 0)
    sheet.set_column(0, max(0, ours - 1), 16, formats["plain"])
    sheet.set_column(ours, ours, 18, formats["ours"])
    sheet.set_column(ours + 1, ours + 1, 80, formats["ours"])
    for place, header in enumerate(headers):
        sheet.write_string(0, place, header, formats["head"])
    sheet.write_string(0, ours, mending_marks.row_heading(upload.pk), formats["ours"])
    sheet.write_string(0, ours + 1, mending_marks.NOTES, formats["ours"])
    line = 0
    for line, row in enumerate(refused_rows(stories.open_rows(upload), upload, job), start=1):
        if line > LAST_ROW:
            return line - 1
        _write_row(sheet, line, row, ours, formats, is_root=upload.story_id is None)
    return line


def _write_row(
    sheet: Worksheet, line: int, row: RowError, ours: int, formats: dict[str, Any], *, is_root: bool
) -> None:
    faults = faults_by_place(row)
    for place in range(min(ours, max(len(row.cells), 1 + max(faults, default=-1)))):
        text = row.cells[place] if place < len(row.cells) else ""
        looks = formats[look_of(text, at_fault=place in faults)]
        if text:
            sheet.write_string(line, place, text, looks)
        else:
            sheet.write_blank(line, place, None, looks)
        if place in faults and line <= COMMENTED_ROWS:
            sheet.write_comment(line, place, faults[place], {"x_scale": 2})
    number = row.row if is_root else row.origin
    if number is not None:
        sheet.write_number(line, ours, number, formats["ours"])
    sheet.write_string(line, ours + 1, problems_of(row), formats["ours"])
