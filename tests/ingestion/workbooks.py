"""Workbooks for uploads, as a spreadsheet program saves them."""

import io

from openpyxl import Workbook


def workbook(**sheets):
    """A workbook of sheets, each a list of rows; a name that ends in `_hidden` makes a hidden one."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name.removesuffix("_hidden"))
        if name.endswith("_hidden"):
            sheet.sheet_state = "hidden"
        for row in rows:
            sheet.append(row)
    return saved(book)


def saved(book):
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
