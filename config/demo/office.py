"""Files as office programs make them, the same bytes whenever they are made: xls, ods, workbooks that are
made to be read, and documents that are no tables at all."""

import io
import zipfile
from html import escape

import xlsxwriter
import xlwt

from config.demo.files import MADE_AT
from config.demo.tables import Table

WRITTEN_AT = (2026, 1, 5, 9, 30, 0)
ODS_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
NAMESPACES = (
    f'xmlns:office="{OASIS}:office:1.0" xmlns:table="{OASIS}:table:1.0" xmlns:text="{OASIS}:text:1.0" '
    f'xmlns:manifest="{OASIS}:manifest:1.0"'
)
DOCUMENT = b"""<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""


def as_xls(table: Table, *, sheet: str = "Data") -> bytes:
    book = xlwt.Workbook()
    page = book.add_sheet(sheet)
    for line, row in enumerate(table):
        for place, value in enumerate(row):
            page.write(line, place, value)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def as_ods(table: Table, *, sheet: str = "Data") -> bytes:
    rows = "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in table)
    content = (
        f'<office:document-content {NAMESPACES} office:version="1.3"><office:body><office:spreadsheet>'
        f'<table:table table:name="{escape(sheet)}">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    entry = '<manifest:file-entry manifest:full-path="{}" manifest:media-type="{}"/>'
    manifest = (
        f"<manifest:manifest {NAMESPACES}>{entry.format('/', ODS_TYPE)}"
        f"{entry.format('content.xml', 'text/xml')}</manifest:manifest>"
    )
    parts = {"mimetype": ODS_TYPE, "content.xml": content, "META-INF/manifest.xml": manifest}
    return _package({name: text.encode() for name, text in parts.items()})


def as_report(table: Table, *, title: str, groups: list[tuple[str, int]], notes: list[str]) -> bytes:
    """A workbook made to be read: a title, headings in two rows (`groups` with their widths, merged, above
    the words of the table), a sheet that is hidden, and notes below."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target, {"in_memory": True}) as book:
        book.set_properties({"author": "Waybill demo", "created": MADE_AT})
        page = book.add_worksheet("Table")
        page.write(0, 0, title, book.add_format({"bold": True, "font_size": 14}))
        head, place = book.add_format({"bold": True, "align": "center", "bottom": 1}), 0
        for words, width in groups:
            if width > 1:
                page.merge_range(2, place, 2, place + width - 1, words, head)
            else:
                page.write(2, place, words, head)
            place += width
        for line, row in enumerate(table, start=3):
            page.write_row(line, 0, row)
        for line, note in enumerate(notes, start=len(table) + 4):
            page.write(line, 0, note)
        book.add_worksheet("Working").hide()
    return target.getvalue()


def as_web_page(table: Table) -> bytes:
    """What many web applications send as `.xls`."""
    cells = ("".join(f"<td>{escape(str(value))}</td>" for value in row) for row in table)
    rows = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<html><body><table>{rows}</table></body></html>".encode()


def as_document() -> bytes:
    return _package({"[Content_Types].xml": DOCUMENT, "word/document.xml": b"<document/>"})


def _ods_cell(value: object) -> str:
    if value is None:
        return "<table:table-cell/>"
    kind = (
        f'office:value-type="float" office:value="{value}"'
        if isinstance(value, int | float)
        else 'office:value-type="string"'
    )
    return f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"


def _package(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as package:
        for name, content in parts.items():
            package.writestr(zipfile.ZipInfo(name, WRITTEN_AT), content)
    return target.getvalue()
