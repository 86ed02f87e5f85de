"""Writes a cell as it was read into a workbook: text as text, numbers and dates under their formats."""

from datetime import date, datetime, time
from typing import Any

from xlsxwriter.worksheet import Worksheet

from ingestion.checking import texts
from ingestion.reading.cells import (
    CURRENCY,
    DATE,
    DATETIME,
    DURATION,
    PERCENT,
    TIME,
    ZEROS,
    Cell,
    WireCell,
    decode,
)  # fmt: skip
from ingestion.report_rows import is_formula_like
from ingestion.row_errors import LONGEST_CELL

FAULT = {"bg_color": "#FFE0B2", "font_color": "#7A2E00", "border": 1, "border_color": "#D9822B"}
FORMATS = {
    DATE: "yyyy-mm-dd", DATETIME: "yyyy-mm-dd hh:mm:ss", TIME: "hh:mm:ss", DURATION: "[h]:mm:ss",
    PERCENT: "0.00%",
}  # fmt: skip
# The errors that a spreadsheet program knows; xlsxwriter marks a formula's value as one of them.
ERRORS = frozenset({"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"})
LARGEST = 9.99e307
FIRST_DAY = date(1900, 3, 1)


class CellWriter:
    """Keeps the formats of one workbook, each made once."""

    def __init__(self, book: Any) -> None:
        self.book = book
        self.made: dict[tuple[str, bool, bool], Any] = {}

    def write(self, sheet: Worksheet, line: int, place: int, cell: WireCell, *, at_fault: bool) -> None:
        taken = decode(cell)
        if taken.type == "s":
            text = texts.shown(taken.raw, most=LONGEST_CELL)
            looks = self._format("@", at_fault=at_fault, quoted=is_formula_like(text))
            sheet.write_string(line, place, text, looks)
        elif taken.type in ("", "f"):
            if at_fault:
                sheet.write_blank(line, place, None, self._format("", at_fault=True))
        elif taken.type == "n":
            self._number(sheet, line, place, taken, at_fault=at_fault)
        elif taken.type == "b":
            sheet.write_boolean(line, place, taken.raw == "1", self._format("", at_fault=at_fault))
        elif taken.type == "d":
            self._moment(sheet, line, place, taken, at_fault=at_fault)
        else:
            self._error(sheet, line, place, taken.raw, at_fault=at_fault)

    def _number(self, sheet: Worksheet, line: int, place: int, cell: Cell, *, at_fault: bool) -> None:
        number = float(cell.raw)
        looks = self._format(_number_format(cell.format), at_fault=at_fault)
        if abs(number) > LARGEST:
            sheet.write_string(line, place, cell.raw, looks)
        else:
            sheet.write_number(line, place, number, looks)

    def _moment(self, sheet: Worksheet, line: int, place: int, cell: Cell, *, at_fault: bool) -> None:
        """Before March 1900 spreadsheet programs count days that never were: such a date stays text."""
        looks = self._format(FORMATS.get(cell.format, FORMATS[DATE]), at_fault=at_fault)
        try:
            moment = time.fromisoformat(cell.raw) if cell.format == TIME else datetime.fromisoformat(cell.raw)
            if isinstance(moment, datetime) and moment.date() < FIRST_DAY:
                raise ValueError(cell.raw)
            sheet.write_datetime(line, place, moment, looks)
        except ValueError:
            sheet.write_string(line, place, texts.shown(cell.raw), self._format("@", at_fault=at_fault))

    def _error(self, sheet: Worksheet, line: int, place: int, raw: str, *, at_fault: bool) -> None:
        looks = self._format("", at_fault=at_fault)
        if raw in ERRORS:
            sheet.write_formula(line, place, f"={raw}", looks, raw)
        else:
            sheet.write_string(line, place, texts.shown(raw), looks)

    def _format(self, number_format: str, *, at_fault: bool, quoted: bool = False) -> Any:
        key = (number_format, at_fault, quoted)
        if key not in self.made:
            looks = {"valign": "top", **(FAULT if at_fault else {})}
            if number_format:
                looks["num_format"] = number_format
            if quoted:
                looks["quote_prefix"] = True
            self.made[key] = self.book.add_format(looks)
        return self.made[key]


def _number_format(given: str) -> str:
    if given.startswith(ZEROS):
        return given[len(ZEROS) :]
    if given.startswith(CURRENCY):
        symbol = texts.shown(given[len(CURRENCY) :], most=8).replace('"', "").replace("]", "")
        return f'#,##0.00 "{symbol}"'
    return FORMATS.get(given, "")
