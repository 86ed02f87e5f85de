"""Files made to hurt in the other formats. Each ends within seconds as a refusal that says why."""

import io
import struct
import zipfile

import pytest

from tests.ingestion.reading import old_books as old
from tests.ingestion.reading import xlsb_books as binary
from tests.ingestion.reading.books import failure, package, read
from tests.ingestion.reading.ods_books import (
    MIMETYPE,
    blank,
    content,
    document,
    number,
    ods,
    row,
    table,
    text,
)
from tests.ingestion.reading.test_hostile import LAUGHS, OUTSIDE, QUADRATIC, _ends_in_time  # noqa: F401

HEAD = row(text("id"), text("n"))
SECTOR = 512


def chained(*numbers: int) -> bytes:
    return struct.pack(f"<{SECTOR // 4}I", *[*numbers, *[old.FREE] * 128][: SECTOR // 4])


@pytest.mark.parametrize(
    "data",
    [
        # A table that lists itself for ever, a directory and a stream that bite their tails.
        old.header(1, tables=1, table_sectors=(), more=0) + chained(*[0] * 128),
        old.header(1) + chained(old.TABLE, 1) + old.entry("Root Entry", 5, 2, 0).ljust(SECTOR, b"\x00"),
        old.header(1)
        + chained(old.TABLE, old.END_OF_CHAIN, 3, 2)
        + (old.entry("Root Entry", 5, old.END_OF_CHAIN, 0) + old.entry("Workbook", 2, 2, 10**9)).ljust(
            SECTOR, b"\x00"
        )
        + bytes(2 * SECTOR),
        old.header(1)
        + chained(old.TABLE, old.END_OF_CHAIN, 3, 2)
        + (old.entry("Root Entry", 5, old.END_OF_CHAIN, 0) + old.entry("Workbook", 2, 2, 2_500)).ljust(
            SECTOR, b"\x00"
        )
        + bytes(2 * SECTOR),
        old.header(0xFFFFFF) + chained(old.TABLE),
        old.header(1)[:100],
    ],
)
def test_compound_file_whose_chains_lie_is_damage(data):
    assert failure(data).code in ("damaged_file", "format_compound")


def test_file_of_a_kilobyte_that_aborts_a_library_is_refused():
    data = old.header(0, table_sectors=tuple([0] * 109)) + chained(*[0] * 128)

    assert failure(data).code in ("damaged_file", "format_compound")


def test_truncated_workbook_is_damage():
    data = old.xls(*(old.number(n, 0, n) for n in range(2_000)))

    for size in (600, len(data) // 2, len(data) - 700):
        assert failure(data[:size]).code == "damaged_file"


@pytest.mark.parametrize(
    "cells",
    [
        old.record(0x203, b"\x00"),
        old.record(0xFD, old.place(0, 0) + struct.pack("<I", 2**31)),
        old.record(0x204, old.place(0, 0) + b"\xff\xff\x01"),
        old.number(0, 0, 1) + old.number(0, 0, 2),
        old.record(0x06, old.place(0, 0) + b"\x00" * 6 + b"\xff\xff" + bytes(8)),
    ],
)
def test_records_that_contradict_themselves_are_damage(cells):
    assert failure(old.xls(cells)).code == "damaged_file"


@pytest.mark.parametrize(
    "pieces",
    [
        struct.pack("<2I", 1, 2**32 - 1),
        struct.pack("<2I", 1, 1) + b"\xff\xff\x01ab",
        struct.pack("<2I", 1, 1) + b"\x01\x00\x0c\xff\xff\xff\xff\xff\xffa",
        b"\x00",
    ],
)
def test_shared_texts_that_lie_are_damage_or_missing(pieces):
    error = failure(old.xls(old.record(0xFD, old.place(0, 0) + bytes(4)), before=old.record(0xFC, pieces)))

    assert error.code == "damaged_file"


def test_sheet_that_begins_nowhere_is_damage():
    listed = old.record(0x85, struct.pack("<I4B", 10**6, 0, 0, 1, 0) + b"x")
    data = old.compound({"Workbook": old.begin(old.GLOBALS) + listed + old.record(old.EOF)})

    assert failure(data).code == "damaged_file"


def deflated(name: str, start: bytes, pattern: bytes, size: int, end: bytes, parts, *, declare=None) -> bytes:
    """A package with one part of many bytes, which never stand in memory, and the size it declares."""
    parts = dict(parts)
    parts.pop(name, None)
    out = io.BytesIO(package(parts))
    block = pattern * (65_536 // len(pattern) + 1)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open(name, "w") as part:
            part.write(start)
            for _ in range(size // len(block)):
                part.write(block)
            part.write(end)
        if declare is not None:
            archive.getinfo(name).file_size = declare
    return out.getvalue()


START, END = content(table(HEAD, "@")).encode().split(b"@")
ODS_PARTS = {"mimetype": MIMETYPE}
XLSB_PARTS = binary.parts(binary.sheet_part(binary.row(1, binary.written(0, "id"))))
SHEET_BIN, STRINGS_BIN = "xl/worksheets/sheet1.bin", "xl/sharedStrings.bin"
SHEET_START = binary.record(129) + binary.record(145) + binary.row(1, binary.written(0, "id"))


@pytest.mark.parametrize(
    ("name", "start", "pattern", "end", "parts"),
    [
        ("content.xml", START, b" ", END, ODS_PARTS),
        (SHEET_BIN, SHEET_START, binary.record(1, bytes(8)), b"", XLSB_PARTS),
    ],
)
def test_package_that_declares_a_gigabyte_is_refused_unread(name, start, pattern, end, parts):
    data = deflated(name, start, pattern, 1_000_000, end, parts, declare=1 << 30)

    error = failure(data)

    assert error.code == "package_too_large"
    assert "CSV" in error.remedy


@pytest.mark.parametrize(
    ("name", "start", "pattern", "end", "parts"),
    [
        ("content.xml", START, b"<table:table-row/>", END, ODS_PARTS),
        (SHEET_BIN, SHEET_START, binary.record(1, bytes(8)), b"", XLSB_PARTS),
        (STRINGS_BIN, b"", binary.record(19, b"\x00" + binary.text("")), b"", XLSB_PARTS),
    ],
)
def test_bomb_with_a_forged_size_is_damage(name, start, pattern, end, parts):
    data = deflated(name, start, pattern, 200_000_000, end, parts, declare=5_000)

    assert failure(data).code == "damaged_file"


@pytest.mark.parametrize(
    ("name", "start", "pattern", "end", "parts", "code"),
    [
        ("content.xml", START + b"<table:table-row>", number(1).encode(), END, ODS_PARTS, "damaged_file"),
        (
            "content.xml",
            START + b"<table:table-row><table:table-cell><text:p>",
            b"a" * 1_000,
            b"</text:p></table:table-cell></table:table-row>" + END,
            ODS_PARTS,
            "barren_part",
        ),
        ("content.xml", START + b"<table:table-row x='", b"a" * 1_000, END, ODS_PARTS, "file_exceeds_limits"),
        ("content.xml", START, b"<text:span>", END, ODS_PARTS, "damaged_file"),
        (SHEET_BIN, SHEET_START, binary.row(2, binary.real(0, 1)), b"", XLSB_PARTS, "damaged_file"),
        (
            SHEET_BIN,
            SHEET_START + b"\x05\xff\xff\xff\x7f",
            b"a" * 1_000,
            b"",
            XLSB_PARTS,
            "file_exceeds_limits",
        ),
    ],
)
def test_bomb_below_the_size_limit_is_stopped_on_the_way(name, start, pattern, end, parts, code):
    assert failure(deflated(name, start, pattern, 30_000_000, end, parts)).code == code


@pytest.mark.parametrize(
    "pattern", [b" ", b" \n", b"<!--" + b"<table:table-cell/>" * 50 + b"-->", b"<?a b?>"]
)
def test_long_stretches_without_a_cell_are_refused(pattern):
    data = deflated("content.xml", START, pattern, 33_000_000, END, ODS_PARTS)

    assert failure(data).code == "barren_part"


@pytest.mark.parametrize("doctype", [LAUGHS, QUADRATIC, OUTSIDE, "<!DOCTYPE x>"])
@pytest.mark.parametrize("part", ["content.xml", "styles.xml"])
def test_document_type_is_refused_in_every_part(doctype, part):
    xml = content(table(HEAD, row(text("x"))), doctype=doctype if part == "content.xml" else "")
    styles = doctype + "<x/>" if part == "styles.xml" else "<x/>"

    error = failure(document(xml, **{"styles.xml": styles}))

    assert (error.code, error.detail["part"]) == ("doctype_refused", part)


def repeated(kind: str, times: int) -> str:
    return f'table:number-{kind}-repeated="{times}"'


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (row(number(1), attributes=repeated("rows", 2_000_000_000 - 5)), "outside_grid"),
        (row(number(1, repeated("columns", 2_000_000_000))), "outside_grid"),
        (
            row(number(1, repeated("columns", 16_384)), attributes=repeated("rows", 1_048_576)),
            "file_exceeds_limits",
        ),
        (row(number(1, 'table:number-columns-repeated="99999999999999999"')), "damaged_file"),
        (row(number(1), attributes='table:number-rows-repeated="-1"'), "damaged_file"),
        (row(blank(20_000), number(1)), "outside_grid"),
    ],
)
def test_value_that_claims_to_be_repeated_for_ever_is_refused(rows, code):
    assert failure(ods(rows)).code == code


def test_blanks_repeated_for_ever_cost_nothing():
    rows = HEAD + row(blank(2_000_000_000), attributes=repeated("rows", 1_999_999_999)) * 3

    assert read(ods(rows)).rows == []


def test_wide_repeats_beyond_the_header_cost_nothing():
    rows = HEAD + row(
        number(1), blank(5), number(1, repeated("columns", 16_378)), attributes=repeated("rows", 100_000)
    )

    reading = read(ods(rows))

    assert reading.end.rows == 100_000
    assert reading.assumed["cells_beyond_header"]["count"] == 100_000 * 16_378


def test_styles_that_inherit_in_a_circle_end():
    styles = "".join(
        f'<style:style style:name="c{n}" style:family="table-cell" style:parent-style-name="c{1 - n}"/>'
        for n in (0, 1)
    )
    xml = content(table(HEAD, row(number(1, 'table:style-name="c0"'))), styles=styles)

    assert read(document(xml)).rows == [[2, [1]]]


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (binary.row(1_048_577, binary.real(0, 1)), "outside_grid"),
        (binary.row(2**32, binary.real(0, 1)), "outside_grid"),
        (binary.row(2, binary.real(2**31, 1)), "outside_grid"),
        (binary.row(1_048_576, binary.real(16_383, 1)), None),
    ],
)
def test_far_away_cell_of_a_binary_workbook_costs_nothing(rows, code):
    data = binary.xlsb(binary.row(1, binary.written(0, "id")), rows)

    if code is None:
        assert read(data).rows == []
    else:
        assert failure(data).code == code


def test_far_away_header_cell_is_refused():
    assert failure(binary.xlsb(binary.row(1, binary.real(2**31, 1)))).code == "outside_grid"
