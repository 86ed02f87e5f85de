"""Hidden columns of every format: read like the others, and named."""

import struct

import pytest

from tests.ingestion.reading import ods_books as ods
from tests.ingestion.reading import old_books as old
from tests.ingestion.reading import xlsb_books as binary
from tests.ingestion.reading.books import book, header, package, read

# B is hidden, and what lies beyond the header.
XLSX = book(
    header("a", "b") + '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>',
    before='<cols><col min="2" max="2" hidden="1"/><col min="9" max="16384" hidden="true"/></cols>',
)
XLS = old.xls(
    old.record(0x7D, struct.pack("<5H", 1, 1, 0, 0, 1)),
    old.record(0x7D, struct.pack("<5H", 2, 255, 0, 0, 1)),
    old.record(0x7D, struct.pack("<5H", 0, 0, 0, 0, 0)),
    old.label(0, 0, "a") + old.label(0, 1, "b"),
    old.number(1, 0, 1) + old.number(1, 1, 2),
)
COLUMNS = binary.record(60, struct.pack("<4IH", 1, 1, 0, 0, 1)) + binary.record(
    60, struct.pack("<4IH", 0, 0, 0, 0, 0)
)
ROWS = (
    binary.row(1, binary.written(0, "a"), binary.written(1, "b")),
    binary.row(2, binary.real(0, 1), binary.real(1, 2)),
)
XLSB = package(binary.parts(COLUMNS + binary.sheet_part(*ROWS)))
ODS = ods.ods(
    ods.row(ods.text("a"), ods.text("b")),
    ods.row(ods.number(1), ods.number(2)),
    columns='<table:table-column/><table:table-column table:visibility="collapse"/>'
    '<table:table-column table:number-columns-repeated="16382" table:visibility="filter"/>',
)


@pytest.mark.parametrize("data", [XLSX, XLS, XLSB, ODS], ids=["xlsx", "xls", "xlsb", "ods"])
def test_hidden_columns_are_read_and_named(data):
    reading = read(data)

    assert reading.rows == [[2, [1, 2]]]
    assert reading.assumed["hidden_columns_read"] == {"count": 1, "columns": ["B"]}
