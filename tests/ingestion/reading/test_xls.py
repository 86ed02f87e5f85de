import io
import struct

import pytest
import xlwt
from python_calamine import CalamineWorkbook

from tests.ingestion.reading.books import failure, read
from tests.ingestion.reading.old_books import (
    EOF,
    WORKSHEET,
    begin,
    compound,
    error,
    label,
    number,
    place,
    record,
    stream,
    xls,
)

HEAD = b"".join(label(0, column, name) for column, name in enumerate("abcdefgh"))
FORMATS = (
    "yyyy\\-mm\\-dd", "yyyy\\-mm\\-dd hh:mm", "00000", "0.00%", "[h]:mm", "[$EUR] #,##0.00", "hh:mm",
)  # fmt: skip


def styles() -> bytes:
    """Style 0 is General, the others have these format codes in order."""
    codes = b"".join(
        record(0x41E, struct.pack("<2HB", 164 + n, len(code), 0) + code.encode())
        for n, code in enumerate(FORMATS)
    )
    return codes + b"".join(
        record(0xE0, struct.pack("<2H16x", 0, number)) for number in (0, *range(164, 164 + len(FORMATS)))
    )


def strings(*pieces: bytes, count: int) -> bytes:
    """A table of shared texts, cut into these records."""
    first, *others = pieces
    return record(0xFC, struct.pack("<2I", count, count) + first) + b"".join(
        record(0x3C, piece) for piece in others
    )


def formula(row: int, column: int, result: bytes) -> bytes:
    return record(0x06, place(row, column) + result + bytes(8))


def rk(value: int, *, hundredth: bool = False) -> bytes:
    return struct.pack("<i", value << 2 | 2 | hundredth)


TWO = strings(b"\x05\x00\x00first\x06\x00\x00second", count=2)


@pytest.mark.parametrize(
    ("cells", "wire"),
    [
        (number(1, 0, 12.34), 12.34),
        (number(1, 0, 5.0), 5),
        (number(1, 0, 1e22), 1e22),
        (number(1, 0, 123456789012345680.0), 123456789012345680.0),
        (record(0x27E, place(1, 0) + rk(-7)), -7),
        (record(0x27E, place(1, 0) + rk(1234, hundredth=True)), 12.34),
        (number(1, 0, float("inf")), "\x7fe#NUM!"),
        (record(0x205, place(1, 0) + b"\x01\x00"), "\x7fb1"),
        (record(0x205, place(1, 0) + b"\x00\x00"), "\x7fb0"),
        (error(1, 0, 0x2A), "\x7fe#N/A"),
        (error(1, 0, 0x07), "\x7fe#DIV/0!"),
        (label(1, 0, "ä😀\n_x000D_"), "ä😀\n_x000D_"),
        (label(1, 0, "\x7fn5"), "\x7fs\x7fn5"),
        (record(0xFD, place(1, 0) + struct.pack("<I", 1)), "second"),
        (formula(1, 0, struct.pack("<d", 2)), 2),
        (formula(1, 0, b"\x01\x00\x01\x00\x00\x00\xff\xff"), "\x7fb1"),
        (formula(1, 0, b"\x02\x00\x17\x00\x00\x00\xff\xff"), "\x7fe#REF!"),
        (formula(1, 0, b"\x03\x00\x00\x00\x00\x00\xff\xff"), None),
        (formula(1, 0, b"\x00" * 6 + b"\xff\xff") + record(0x207, b"\x01\x00\x00x"), "x"),
        (
            formula(1, 0, b"\x00" * 6 + b"\xff\xff")
            + record(0x4BC, bytes(10))
            + record(0x207, b"\x01\x00\x00y"),
            "y",
        ),
        (
            formula(1, 0, b"\x00" * 6 + b"\xff\xff")
            + record(0x207, b"\x04\x00\x00ab")
            + record(0x3C, b"\x00cd"),
            "abcd",
        ),
        (number(1, 0, 44197, 1), "\x7fd2021-01-01\x7fd"),
        (number(1, 0, 44197, 2), "\x7fd2021-01-01T00:00:00\x7fdt"),
        (number(1, 0, 60, 1), "\x7fn60\x7fd"),
        (number(1, 0, 6083, 3), "\x7fn6083\x7fz:00000"),
        (number(1, 0, 0.52, 4), "\x7fn0.52\x7f%"),
        (number(1, 0, 1.5, 5), "\x7fn1.5\x7fdu"),
        (number(1, 0, 9.5, 6), "\x7fn9.5\x7fc:EUR"),
        (number(1, 0, 0.4375, 7), "\x7fd10:30:00\x7ft"),
        (record(0x201, place(1, 0)), None),
    ],
)
def test_cell_is_the_same_as_in_xlsx(cells, wire):
    data = xls(HEAD, cells, label(1, 1, "end"), before=styles() + TWO)

    assert read(data).rows == [[2, [wire, "end"]]]


def test_calamine_agrees_but_for_what_it_hides():
    data = xls(HEAD, number(1, 0, 6083, 3), label(1, 1, "x"), error(1, 2, 0x2A), before=styles())

    theirs = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()

    # It tells neither the zeros that the person sees nor an error from a blank.
    assert theirs[1][:3] == [6083, "x", ""]
    assert read(data).rows == [[2, ["\x7fn6083\x7fz:00000", "x", "\x7fe#N/A"]]]


def test_neighbours_in_one_record_stand_in_their_columns():
    many = record(0xBD, struct.pack("<2H", 1, 1) + (struct.pack("<H", 0) + rk(3)) * 3 + struct.pack("<H", 3))

    assert read(xls(HEAD, many)).rows == [[2, [None, 3, 3, 3]]]


def test_shared_texts_go_on_in_further_records():
    wide = "ä€".encode("utf-16-le")
    pieces = [
        # Cut between two texts, within one that goes on wider, and within the runs of one.
        b"\x02\x00\x00ab",
        b"\x04\x00\x00cd",
        b"\x01" + wide + struct.pack("<HBH", 1, 0x08, 2) + b"e" + bytes(4),
        bytes(4) + struct.pack("<HBI", 2, 0x05, 3) + wide + bytes(2),
        bytes(1) + b"\x01\x00\x00f",
    ]
    shared = [record(0xFD, place(1, column) + struct.pack("<I", column)) for column in range(5)]

    data = xls(HEAD, *shared, before=strings(*pieces, count=5))

    assert read(data).rows == [[2, ["ab", "cdä€", "e", "ä€", "f"]]]


def test_texts_of_every_length_survive_their_cuts():
    book = xlwt.Workbook()
    sheet = book.add_sheet("Data")
    texts = [("ä" if n % 2 else "€") * (n * 37 % 3_000) + str(n) for n in range(400)]
    for n, value in enumerate(["head", *texts]):
        sheet.write(n, 0, value)
    out = io.BytesIO()
    book.save(out)

    assert [row[1][0] for row in read(out.getvalue(), spill_bytes=10_000).rows] == texts


def test_places_hidden_rows_merges_and_formulas_are_kept():
    hidden = record(0x208, struct.pack("<6HI", 4, 0, 8, 255, 0, 0, 0x20))
    cells = [
        hidden,
        label(2, 2, "id") + label(2, 3, "n"),
        number(4, 2, 1),
        formula(8, 3, struct.pack("<d", 2)) + number(8, 7, 9),
        record(0xE5, struct.pack("<H", 2) + bytes(16)),
        # A chart on the sheet has records of its own.
        begin(0x20) + number(0, 0, 7) + record(EOF),
    ]

    reading = read(xls(*cells))

    assert (reading.header.row, reading.header.cells) == (3, [None, None, "id", "n"])
    assert reading.rows == [[5, [None, None, 1]], [9, [None, None, None, 2]]]
    assert (reading.end.format, reading.end.blank_rows) == ("xls", 4)
    assert reading.assumed["hidden_rows_read"] == {"count": 1}
    assert reading.assumed["merged_ranges"] == {"count": 2}
    assert reading.assumed["formulas_by_stored_value"] == {"count": 1}
    assert reading.assumed["cells_beyond_header"] == {"count": 1, "first": "H9"}


def test_cells_in_any_order_are_put_in_theirs():
    cells = [
        number(2, 1, 4),
        number(1, 1, 2),
        number(2, 0, 3),
        number(1, 0, 1),
        label(0, 1, "b"),
        label(0, 0, "a"),
    ]

    reading = read(xls(*cells))

    assert reading.header.cells == ["a", "b"]
    assert reading.rows == [[2, [1, 2]], [3, [3, 4]]]


def test_first_visible_sheet_is_read_and_another_on_demand():
    data = xls(HEAD, number(1, 0, 1), sheets=(("Old", 1), ("Older", 2), ("Дата", 0), ("Notes", 0)))

    assert read(data).header.sheet == "Дата"
    assert read(data).assumed["sheet_read"]["others"] == ["Old", "Older", "Notes"]
    assert read(data, sheet="Notes").header.sheet == "Notes"
    assert failure(data, sheet="Absent").code == "no_such_sheet"


def test_dates_from_1904_are_counted_from_there():
    data = xls(HEAD, number(1, 0, 0, 1), before=styles() + record(0x22, b"\x01\x00"))

    assert read(data).rows == [[2, ["\x7fd1904-01-01\x7fd"]]]
    assert "dates_from_1904" in read(data).assumed


def old_label(row: int, column: int, value: bytes) -> bytes:
    return record(0x204, place(row, column) + struct.pack("<H", len(value)) + value)


def test_workbook_of_excel_95_is_read_in_its_code_page():
    cells = old_label(0, 0, b"id") + old_label(0, 1, "имя".encode("cp1251"))
    cells += number(1, 0, 5, 1) + old_label(1, 1, "Пётр".encode("cp1251"))
    sheet = begin(WORKSHEET, version=0x500) + cells + record(EOF)
    before = record(0x42, struct.pack("<H", 1251)) + record(0x41E, struct.pack("<HB", 164, 5) + b"00000")
    before += record(0xE0, bytes(16)) + record(0xE0, struct.pack("<2H12x", 0, 164))
    start = begin(5, version=0x500) + before
    listed = struct.pack("<I2B", len(start) + 16 + 4, 0, 0) + b"\x05Daten"
    data = compound({"Book": start + record(0x85, listed) + record(EOF) + sheet})

    reading = read(data)

    assert (reading.header.sheet, reading.header.cells) == ("Daten", ["id", "имя"])
    assert reading.rows == [[2, ["\x7fn5\x7fz:00000", "Пётр"]]]


@pytest.mark.parametrize("version", [0, 0x500, 0x600])
def test_bare_sheet_as_scripts_write_it_is_read(version):
    data = record(0x809, struct.pack("<4H", version, 0x10, 0, 0))
    data += old_label(0, 0, b"id") + number(1, 0, 7) + record(EOF)

    reading = read(data)

    assert reading.rows == [[2, [7]]]
    assert reading.header.sheet == "Sheet1"


def test_stream_without_a_compound_file_around_it_is_read():
    assert read(stream(HEAD, number(1, 0, 7))).rows == [[2, [7]]]


def test_short_streams_share_the_sectors_of_one_long_stream():
    book = xlwt.Workbook()
    book.add_sheet("Data").write(0, 0, "id")
    out = io.BytesIO()
    book.save(out)

    assert read(out.getvalue()).header.cells == ["id"]
