"""The refused rows as a workbook: cells at fault are coloured and commented.

Written row by row in constant memory. Every cell is text, so nothing in it is ever calculated.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from ingestion import queries
from ingestion.models import RowError, Upload
from ingestion.reading.cells import WireCell, column_index
from ingestion.report_rows import explained_at, is_formula_like, refused_rows
from ingestion.row_errors import LONGEST_CELL, full_texts
from work.jobs import Job

COMMENTED_ROWS = 5_000
LAST_ROW = 1_048_575
LAST_COLUMN = 16_383
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
WIDEST = 40


def headers_of(cells: Sequence[WireCell]) -> list[str]:
    return full_texts(cells)[: LAST_COLUMN - 1]


def write(path: Path, upload: Upload, headers: list[str], job: Job) -> None:
    with xlsxwriter.Workbook(str(path), {**OPTIONS, "tmpdir": str(path.parent)}) as book:
        book.set_properties({"title": f"Refused rows of {upload.filename}", "author": "Waybill"})
        formats = formats_of(book)
        written = _write_rows(book.add_worksheet("Refused rows"), upload, headers, formats, job)
        left_out = upload.refused - written
        write_explanations(book.add_worksheet("Explanations"), upload, formats, left_out=left_out)


def formats_of(book: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"num_format": "@", "valign": "top"}
    fault = {**plain, "bg_color": "#FFE0B2", "font_color": "#7A2E00", "border": 1, "border_color": "#D9822B"}
    return {
        "plain": book.add_format(plain),
        "quoted": book.add_format({**plain, "quote_prefix": True}),
        "fault": book.add_format(fault),
        "quoted_fault": book.add_format({**fault, "quote_prefix": True}),
        "head": book.add_format({**plain, "bold": True, "bottom": 1}),
        "wrapped": book.add_format({**plain, "text_wrap": True}),
        "number": book.add_format({"valign": "top"}),
        "ours": book.add_format({**plain, "font_color": "#6B6B6B", "bg_color": "#F2F2F2", "text_wrap": True}),
    }


def _write_rows(
    sheet: Worksheet, upload: Upload, headers: list[str], formats: dict[str, Any], job: Job
) -> int:
    """The original row number first, then the row as it was, its problems last; how many rows fitted."""
    problems = len(headers) + 1
    sheet.freeze_panes(1, 1)
    sheet.set_column(0, 0, 8)
    sheet.set_column(1, max(1, len(headers)), 16)
    sheet.set_column(problems, problems, 80)
    sheet.write_string(0, 0, "Row", formats["head"])
    for place, header in enumerate(headers, start=1):
        sheet.write_string(0, place, header, formats["head"])
    sheet.write_string(0, problems, "Problems", formats["head"])
    line = 0
    for line, row in enumerate(refused_rows(queries.error_rows(upload), upload, job), start=1):
        if line > LAST_ROW:
            return line - 1
        _write_row(sheet, line, row, problems, formats)
    return line


def _write_row(sheet: Worksheet, line: int, row: RowError, problems: int, formats: dict[str, Any]) -> None:
    faults = faults_by_place(row)
    sheet.write_number(line, 0, row.row, formats["number"])
    # A cell at fault may be blank, and then lies past the last cell that holds something.
    for place in range(max(len(row.cells), 1 + max(faults, default=-1))):
        if place + 1 >= problems:
            break
        text = row.cells[place] if place < len(row.cells) else ""
        looks = formats[look_of(text, at_fault=place in faults)]
        if text:
            sheet.write_string(line, place + 1, text, looks)
        else:
            sheet.write_blank(line, place + 1, None, looks)
        if place in faults and line <= COMMENTED_ROWS:
            sheet.write_comment(line, place + 1, faults[place], {"x_scale": 2})
    sheet.write_string(line, problems, problems_of(row), formats["plain"])


def problems_of(row: RowError) -> str:
    """Everything that is wrong with a row, a sentence a line."""
    words = (f"{error['cell'] or 'Row'}: {error['message']} {error['remedy']}" for error in row.errors)
    return "\n".join(words)[:LONGEST_CELL]


def look_of(text: str, *, at_fault: bool) -> str:
    """Under a quote prefix text stays text, even when the workbook is saved in another format."""
    if at_fault:
        return "quoted_fault" if is_formula_like(text) else "fault"
    return "quoted" if is_formula_like(text) else "plain"


def faults_by_place(row: RowError) -> dict[int, str]:
    """What is wrong with each cell, by its place in the row."""
    found: dict[int, str] = {}
    for error in row.errors:
        if error["column"]:
            place = column_index(error["column"])
            words = f"{error['message']} {error['remedy']}"
            found[place] = f"{found[place]}\n{words}" if place in found else words
    return found


HOW_TO_USE = (
    "Look up what is wrong. To mend the rows take “Rows to mend”, which joins them to their file "
    "again when it is sent."
)


def write_explanations(
    sheet: Worksheet, upload: Upload, formats: dict[str, Any], *, left_out: int, how: str = HOW_TO_USE
) -> None:
    facts = [
        ("File", upload.filename),
        ("Upload", str(upload.pk)),
        ("Rows refused", str(upload.refused)),
        ("How to use this", how),
    ]
    if left_out:
        facts.append(("Left out", f"{left_out} rows did not fit; the CSV report has all that were refused."))
    sheet.set_column(0, 5, 24)
    sheet.set_column(5, 6, WIDEST * 2)
    sheet.set_column(7, 7, 24)
    for line, (name, text) in enumerate(facts):
        sheet.write_string(line, 0, name, formats["head"])
        sheet.write_string(line, 1, text, formats["quoted"])
    start = len(facts) + 1
    for place, title in enumerate(
        ("Rule", "Column", "Header", "Rows", "Example", "What is wrong", "What to do", "More about it")
    ):
        sheet.write_string(start, place, title, formats["head"])
    for line, group in enumerate(queries.error_groups(upload), start=start + 1):
        words = (
            group.code,
            group.column,
            group.header,
            str(group.rows),
            group.example,
            group.message,
            group.remedy,
        )
        for place, text in enumerate(words):
            sheet.write_string(line, place, text, formats["quoted" if place < 5 else "wrapped"])
        sheet.write_url(line, len(words), explained_at(group.code), string=f"Help: {group.code}")
