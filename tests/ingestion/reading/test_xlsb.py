import io
import struct

import pytest
from python_calamine import CalamineWorkbook

from tests.ingestion.reading.books import failure, package, read
from tests.ingestion.reading.xlsb_books import (
    cell,
    formula,
    parts,
    real,
    record,
    row,
    sheet_part,
    strings_part,
    styles_part,
    text,
    workbook_part,
    written,
    xlsb,
)

HEAD = row(1, *(written(place, name) for place, name in enumerate("abcdefgh")))
STYLES = styles_part(
    "yyyy\\-mm\\-dd", "yyyy\\-mm\\-dd hh:mm", "00000", "0.00%", "[h]:mm", "[$EUR] #,##0.00", "hh:mm"
)


def rk(value: int, *, hundredth: bool = False) -> bytes:
    return struct.pack("<i", value << 2 | 2 | hundredth)


@pytest.mark.parametrize(
    ("cells", "wire"),
    [
        (real(0, 12.34), 12.34),
        (real(0, 5.0), 5),
        (real(0, 274.65999999999997), 274.65999999999997),
        (cell(2, 0, rk(-7)), -7),
        (cell(2, 0, rk(1234, hundredth=True)), 12.34),
        (cell(2, 0, struct.pack("<d", 0.5)[4:]), 0.5),
        (real(0, float("nan")), "\x7fe#NUM!"),
        (cell(4, 0, b"\x01"), "\x7fb1"),
        (cell(4, 0, b"\x00"), "\x7fb0"),
        (cell(3, 0, b"\x2a"), "\x7fe#N/A"),
        (written(0, "ä😀\n_x000D_"), "ä😀\n_x000D_"),
        (written(0, "\x7fn5"), "\x7fs\x7fn5"),
        (cell(7, 0, struct.pack("<I", 1)), "second"),
        (cell(62, 0, b"\x01" + text("rich") + bytes(8)), "rich"),
        (formula(8, 0, text("x")), "x"),
        (formula(9, 0, struct.pack("<d", 2)), 2),
        (formula(10, 0, b"\x01"), "\x7fb1"),
        (formula(11, 0, b"\x07"), "\x7fe#DIV/0!"),
        (real(0, 44197, style=1), "\x7fd2021-01-01\x7fd"),
        (real(0, 44197, style=2), "\x7fd2021-01-01T00:00:00\x7fdt"),
        (real(0, 60, style=1), "\x7fn60\x7fd"),
        (real(0, 6083, style=3), "\x7fn6083\x7fz:00000"),
        (real(0, 0.52, style=4), "\x7fn0.52\x7f%"),
        (real(0, 1.5, style=5), "\x7fn1.5\x7fdu"),
        (real(0, 9.5, style=6), "\x7fn9.5\x7fc:EUR"),
        (real(0, 0.4375, style=7), "\x7fd10:30:00\x7ft"),
        (cell(1, 0), None),
    ],
)
def test_cell_is_the_same_as_in_xlsx(cells, wire):
    data = xlsb(
        HEAD, row(2, cells, written(1, "end")), styles=STYLES, strings=strings_part("first", "second")
    )

    assert read(data).rows == [[2, [wire, "end"]]]


def test_file_that_calamine_reads_too_holds_the_same_values():
    data = xlsb(HEAD, row(2, real(0, 1.5), written(1, "x"), cell(4, 2, b"\x01"), cell(3, 3, b"\x2a")))

    theirs = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()

    assert theirs[0] == list("abcdefgh")
    assert theirs[1][:3] == [1.5, "x", True]
    # It does not tell an error from a blank, which is why the reader is our own.
    assert theirs[1][3] == ""
    assert read(data).rows == [[2, [1.5, "x", "\x7fb1", "\x7fe#N/A"]]]


def test_cells_that_leave_out_their_column_follow_each_other():
    short = record(16, struct.pack("<Id", 0, 2.5)) + record(12, struct.pack("<I", 0))
    short += record(18, struct.pack("<2I", 0, 0)) + record(15, struct.pack("<I", 0) + b"\x01")

    data = xlsb(HEAD, row(2, real(0, 1), short), strings=strings_part("text"))

    assert read(data).rows == [[2, [1, 2.5, None, "text", "\x7fb1"]]]


def test_places_hidden_rows_merges_and_formulas_are_kept():
    merged = record(176, bytes(16)) * 2
    data = xlsb(
        row(3, written(2, "id"), written(3, "n")),
        row(5, real(2, 1), hidden=True),
        row(9, formula(9, 3, struct.pack("<d", 2)), real(7, 9)),
        after=merged,
    )

    reading = read(data)

    assert (reading.header.row, reading.header.cells) == (3, [None, None, "id", "n"])
    assert reading.rows == [[5, [None, None, 1]], [9, [None, None, None, 2]]]
    assert (reading.end.format, reading.end.blank_rows) == ("xlsb", 4)
    assert reading.assumed["hidden_rows_read"] == {"count": 1}
    assert reading.assumed["merged_ranges"] == {"count": 2}
    assert reading.assumed["formulas_by_stored_value"] == {"count": 1}
    assert reading.assumed["cells_beyond_header"] == {"count": 1, "first": "H9"}


def test_first_visible_sheet_is_read_and_another_on_demand():
    book = workbook_part(("Old", 2), ("Data", 0), ("Notes", 0))
    sheets = [sheet_part(row(1, written(0, name)), row(2, written(0, name))) for name in ("o", "d", "n")]
    data = package(parts(*sheets, workbook=book))

    assert (read(data).header.sheet, read(data).rows) == ("Data", [[2, ["d"]]])
    assert read(data).assumed["sheet_read"]["others"] == ["Old", "Notes"]
    assert read(data, sheet="Notes").rows == [[2, ["n"]]]


def test_dates_from_1904_are_counted_from_there():
    data = xlsb(
        HEAD, row(2, real(0, 0, style=1)), styles=STYLES, workbook=workbook_part(("Data", 0), date1904=True)
    )

    assert read(data).rows == [[2, ["\x7fd1904-01-01\x7fd"]]]
    assert "dates_from_1904" in read(data).assumed


def test_long_records_are_read_across_the_blocks_of_the_part():
    rows = [row(number, written(0, f"{number}" * 2_000)) for number in range(2, 300)]

    assert [found[1] for found in read(xlsb(HEAD, *rows)).rows] == [[f"{n}" * 2_000] for n in range(2, 300)]


@pytest.mark.parametrize(
    "rows",
    [
        row(3, real(0, 1)) + row(2, real(0, 1)),
        row(2, real(1, 1), real(0, 1)),
        row(2, cell(7, 0, struct.pack("<I", 99))),
        row(2, cell(6, 0, struct.pack("<I", 50) + b"ab")),
        row(2, record(5, b"\x00\x00")),
        row(2, record(0, b"\x00\x00\x00\x00")),
        record(5, bytes(16)),
    ],
)
def test_sheet_that_contradicts_itself_is_damage(rows):
    assert failure(xlsb(rows)).code == "damaged_file"


def test_part_that_ends_in_a_record_is_damage():
    entries = parts(sheet_part(HEAD, row(2, real(0, 1)))[:-9])

    assert failure(package(entries)).code == "damaged_file"


def test_text_longer_than_any_cell_is_refused():
    assert failure(xlsb(HEAD, row(2, cell(6, 0, struct.pack("<I", 0xFFFFFF0))))).code == "file_exceeds_limits"
