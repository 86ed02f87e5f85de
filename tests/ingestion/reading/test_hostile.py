"""Files made to hurt. Each ends within seconds as a refusal that says why, or is read rightly."""

import io
import resource
import struct
import zipfile
import zlib

import pytest

from tests.ingestion.reading.books import (
    MAIN,
    STYLES,
    book,
    failure,
    header,
    package,
    parts,
    read,
    shared,
    sheet,
)

HEAD = header("a", "b")
ROW = '<row r="2"><c r="A2"><v>1</v></c></row>'
SECONDS = 10


@pytest.fixture(autouse=True)
def _ends_in_time():
    """Processor time of the children, because the machine may be shared."""
    before = _children()
    yield
    assert _children() - before < SECONDS


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Bomb(io.RawIOBase):
    """A file object that repeats a pattern: a part of a gigabyte that never stands in memory."""

    def __init__(self, start: bytes, pattern: bytes, size: int, end: bytes) -> None:
        self.pieces = [start, end]
        self.pattern = pattern * (65_536 // len(pattern) + 1)
        self.left = size

    def blocks(self):
        yield self.pieces[0]
        while self.left > 0:
            yield self.pattern
            self.left -= len(self.pattern)
        yield self.pieces[1]


def bomb(name: str, start: str, pattern: str, size: int, end: str, *, declare: int | None = None) -> bytes:
    entries = parts(sheet(HEAD + ROW), strings=shared("<t>a</t>"))
    entries.pop(name, None)
    out = io.BytesIO(package(entries))
    source = Bomb(start.encode(), pattern.encode(), size, end.encode())
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open(name, "w", force_zip64=False) as part:
            for block in source.blocks():
                part.write(block)
        if declare is not None:
            archive.getinfo(name).file_size = declare
    return out.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
SHEET_START = f'<worksheet xmlns="{MAIN}"><sheetData>{HEAD}'
STRINGS_START = f'<sst xmlns="{MAIN}">'


def test_gigabyte_of_whitespace_is_refused_unread():
    data = bomb(SHEET, SHEET_START, " " * 1000, 1 << 30, "</sheetData></worksheet>")

    assert failure(data).code == "package_too_large"


@pytest.mark.parametrize(
    ("name", "start", "pattern", "end"),
    [
        (SHEET, SHEET_START, "<row><c><v>1</v></c></row>", "</sheetData></worksheet>"),
        (STRINGS, f"{STRINGS_START}<si><t>", "a" * 1000, "</t></si></sst>"),
        (STRINGS, STRINGS_START, "<si/>", "</sst>"),
        ("xl/media/image1.emf", "", "0", ""),
    ],
)
def test_package_that_declares_a_gigabyte_is_refused_whatever_it_holds(name, start, pattern, end):
    assert failure(bomb(name, start, pattern, 1_000_000, end, declare=1 << 30)).code == "package_too_large"


@pytest.mark.parametrize(
    ("name", "start", "pattern", "end"),
    [
        (SHEET, SHEET_START, " " * 1000, "</sheetData></worksheet>"),
        (SHEET, SHEET_START, "<row><c><v>1</v></c></row>", "</sheetData></worksheet>"),
        (STRINGS, f"{STRINGS_START}<si><t>", "a" * 1000, "</t></si></sst>"),
        (STRINGS, STRINGS_START, "<si/>", "</sst>"),
    ],
)
def test_bomb_with_a_forged_size_is_damage(name, start, pattern, end):
    data = bomb(name, start, pattern, 200_000_000, end, declare=5_000)

    assert failure(data).code == "damaged_file"


@pytest.mark.parametrize(
    ("name", "start", "pattern", "end", "limit"),
    [
        (SHEET, SHEET_START, "<row><c><v>1</v></c></row>", "</sheetData></worksheet>", "outside_grid"),
        (SHEET, f"{SHEET_START}<row>", "<c><v>1</v></c>", "</row></sheetData></worksheet>", "outside_grid"),
        (SHEET, f"{SHEET_START}<row r='2'", " ", "/></sheetData></worksheet>", "file_exceeds_limits"),
        (STRINGS, f"{STRINGS_START}<si><t>", "a" * 1000, "</t></si></sst>", "file_exceeds_limits"),
        (STRINGS, STRINGS_START, "<si/>", "</sst>", "file_exceeds_limits"),
        (STRINGS, STRINGS_START, "<si><t></t></si>", "</sst>", "file_exceeds_limits"),
        (
            STRINGS,
            f"{STRINGS_START}<si><r><t>",
            "ab&#65;" * 100,
            "</t></r></si></sst>",
            "file_exceeds_limits",
        ),
    ],
)
def test_bomb_below_the_size_limit_is_stopped_on_the_way(name, start, pattern, end, limit):
    assert failure(bomb(name, start, pattern, 30_000_000, end)).code == limit


AMONG = (SHEET, SHEET_START, f"{ROW}</sheetData></worksheet>")
AFTER = (SHEET, f"{SHEET_START}{ROW}</sheetData>", "</worksheet>")
IN_STRINGS = (STRINGS, STRINGS_START, "<si><t>a</t></si></sst>")


@pytest.mark.parametrize(
    ("name", "start", "end", "pattern"),
    [
        (*AMONG, " " * 1000),
        (*AMONG, " \n" * 500 + "<x/>"),
        (*AMONG, "<!--" + "<c>" * 300 + "-->"),
        (*AMONG, "<x/>"),
        (*AFTER, " \n" * 500),
        (*AFTER, "<?a b?>"),
        (*AFTER, "<x/>"),
        (*IN_STRINGS, " \n" * 500),
        (*IN_STRINGS, "<!---->"),
        (*IN_STRINGS, "<x/>"),
    ],
)
def test_long_stretches_without_a_cell_are_refused(name, start, pattern, end):
    assert failure(bomb(name, start, pattern, 33_000_000, end)).code == "barren_part"


def test_whitespace_and_comments_as_people_have_them_are_read():
    data = book(HEAD + "\n" + " " * 9_000_000 + "<!-- a -->" * 1_000 + "\n" * 1_000_000 + ROW)

    assert read(data).rows == [[2, [1]]]


LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    + "".join(f'<!ENTITY {chr(99 + n)} "{("&" + chr(98 + n) + ";") * 10}">' for n in range(9))
    + "]>"
)
QUADRATIC = f'<!DOCTYPE x [<!ENTITY a "{"x" * 1_000_000}">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
CELL = '<row r="2"><c r="A2" t="inlineStr"><is><t>&a;</t></is></c></row>'


@pytest.mark.parametrize("doctype", [LAUGHS, QUADRATIC, OUTSIDE, "<!DOCTYPE worksheet>"])
@pytest.mark.parametrize(
    "part", [SHEET, STRINGS, "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"]
)
def test_document_type_is_refused_in_every_part(doctype, part):
    entries = parts(sheet(HEAD + CELL), strings=shared("<t>a</t>"))
    entries[part] = doctype + str(entries[part])

    error = failure(package(entries))

    assert error.code == "doctype_refused"
    assert error.detail["part"] == part


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("part", [SHEET, STRINGS, "xl/workbook.xml"])
def test_part_in_another_encoding_is_refused(encoding, part):
    entries = parts(sheet(HEAD + CELL), strings=shared("<t>a</t>"))
    entries[part] = (LAUGHS + str(entries[part])).encode(encoding)

    assert failure(package(entries)).code == "part_not_utf8"


def test_declared_encoding_other_than_utf8_is_refused():
    entries = parts('<?xml version="1.0" encoding="iso-8859-1"?>' + sheet(HEAD + ROW))

    assert failure(package(entries)).code == "part_not_utf8"


def test_bytes_that_are_not_utf8_are_damage():
    entries = parts(sheet(HEAD + ROW).encode().replace(b"<v>1</v>", b"<v>1</v>\xff"))

    assert failure(package(entries)).code == "damaged_file"


@pytest.mark.parametrize("before", ["", '<dimension ref="A1:XFD1048576"/>'])
@pytest.mark.parametrize("address", ["XFD20000", "XFD1048576", "B1048576"])
def test_far_away_cell_costs_nothing(address, before):
    row = address.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    reading = read(book(HEAD + f'<row r="{row}"><c r="{address}"><v>1</v></c></row>', before=before))

    assert len(reading.rows) <= 1
    assert reading.end.rows + reading.end.blank_rows in (0, int(row) - 1)


@pytest.mark.parametrize("address", ["XFE1", "ZZZZ2", "XFE16777217"])
def test_cell_outside_the_grid_is_refused(address):
    row = address.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    rows = f'<row r="{row}"><c r="{address}"><v>1</v></c></row>'

    assert failure(book(rows)).code == "outside_grid"


def test_row_outside_the_grid_is_refused():
    assert failure(book(HEAD + '<row r="1048577"><c r="A1048577"><v>1</v></c></row>')).code == "outside_grid"


def test_wide_header_over_many_wide_rows_is_stopped():
    first = '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(2, 3_000))

    assert failure(book(first + rows)).code == "file_exceeds_limits"


@pytest.mark.parametrize(
    "cells", ["", '<c r="A{0}" s="1"/><c r="B{0}" s="1"/><c r="C{0}" s="1"/><c r="D{0}" s="1"/>']
)
def test_million_empty_styled_rows_are_read(cells):
    rows = [f'<row r="{n}" s="1" customFormat="1">{cells.format(n)}</row>' for n in range(2, 1_000_001)]
    if not cells:
        rows = [row.replace("></row>", "/>") for row in rows]
    last = '<row r="1000001"><c r="A1000001"><v>1</v></c></row>'

    reading = read(book(HEAD + "".join(rows) + last))

    assert reading.rows == [[1_000_001, [1]]]
    assert reading.end.blank_rows == 999_999


def test_many_merged_ranges_are_counted():
    merged = "".join(f'<mergeCell ref="A{n}:B{n}"/>' for n in range(1, 200_001))

    reading = read(book(HEAD + ROW, after=f"<mergeCells>{merged}</mergeCells>"))

    assert reading.assumed["merged_ranges"] == {"count": 200_000}


def test_many_entries_are_refused_unread():
    entries = parts(sheet(HEAD + ROW))
    entries |= {f"xl/x/{number}.xml": "" for number in range(6_000)}

    error = failure(package(entries))

    assert error.code == "too_many_parts"


def test_directory_that_counts_too_few_entries_is_refused():
    entries = parts(sheet(HEAD + ROW)) | {f"xl/x/{number}.xml": "" for number in range(6_000)}
    data = bytearray(package(entries))
    at = data.rfind(b"PK\x05\x06")
    data[at + 8 : at + 12] = struct.pack("<HH", 5, 5)

    assert failure(bytes(data)).code == "too_many_parts"


def test_parts_with_the_same_name_are_refused():
    entries = parts(sheet(HEAD + ROW))
    entries["xl/Worksheets/SHEET1.xml"] = sheet(HEAD)

    assert failure(package(entries)).code == "damaged_file"


def test_names_that_climb_are_harmless():
    entries = parts(sheet(HEAD + ROW)) | {"../../etc/passwd": "x", "/abs": "y"}

    assert read(package(entries)).rows == [[2, [1]]]


def test_truncated_package_is_damage():
    data = book(HEAD + ROW)

    for size in (30, len(data) // 2, len(data) - 10):
        assert failure(data[:size]).code == "damaged_file"


def test_flipped_bytes_are_damage_and_never_a_crash():
    data = bytearray(package(parts(sheet(HEAD + ROW * 1)), compression=0))
    start = data.find(b"<sheetData>")
    data[start + 400] ^= 1

    assert failure(bytes(data)).code == "damaged_file"


def test_encrypted_part_is_named():
    data = bytearray(book(HEAD + ROW))
    at = -1
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        data[at + 8] |= 1

    assert failure(bytes(data)).code == "format_encrypted"


def test_missing_part_is_damage():
    entries = parts(sheet(HEAD + ROW))
    del entries[SHEET]

    error = failure(package(entries))

    assert error.code == "damaged_file"
    assert SHEET in error.message


def test_many_styles_are_read():
    styles = STYLES.replace("</cellXfs>", '<xf numFmtId="14"/>' * 64_000 + "</cellXfs>")

    reading = read(book(HEAD + '<row r="2"><c r="A2" s="60000"><v>44197</v></c></row>', styles=styles))

    assert reading.rows == [[2, ["\x7fd2021-01-01\x7fd"]]]


def test_deflate_stream_with_garbage_is_damage():
    data = bytearray(book(HEAD + ROW))
    name = data.find(b"xl/worksheets/sheet1.xml")
    data[name + 24 : name + 34] = zlib.compress(b"garbage", 9)[:10]

    assert failure(bytes(data)).code == "damaged_file"
