"""Tables as files, the same bytes whenever they are made: CSV, and workbooks with dates and error cells."""

import csv
import datetime as dt
import io

import xlsxwriter

from config.demo.spoiling import NOT_AVAILABLE
from config.demo.tables import Table

MADE_AT = dt.datetime(2026, 1, 5, 9, 30)  # noqa: DTZ001 (workbooks have no zones)


def as_csv(table: Table, *, delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows(table)
    return text.getvalue().encode(encoding, "replace")


def as_workbook(table: Table, *, sheet: str = "Data") -> bytes:
    """With real error cells, dates and booleans; text that looks like a formula stays text."""
    target = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(target, options) as book:
        book.set_properties({"author": "Waybill demo", "created": MADE_AT})
        date = book.add_format({"num_format": "yyyy-mm-dd"})
        page = book.add_worksheet(sheet)
        for line, row in enumerate(table):
            for place, value in enumerate(row):
                if value == NOT_AVAILABLE:
                    page.write_formula(line, place, "=NA()", None, NOT_AVAILABLE)
                elif isinstance(value, dt.date):
                    page.write_datetime(line, place, dt.datetime.combine(value, dt.time()), date)
                elif value is not None:
                    page.write(line, place, value)
    return target.getvalue()
