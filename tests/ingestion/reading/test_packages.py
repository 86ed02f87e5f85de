"""What programs on macOS, Windows and elsewhere do to packages, and spreadsheet programs put up with."""

import io
import struct
import zipfile

import pytest

from tests.ingestion.reading.books import (
    MAIN,
    OFFICE,
    REL,
    RELS,
    SHEETS,
    STRICT,
    STRICT_OFFICE,
    book,
    failure,
    header,
    package,
    parts,
    read,
    shared,
    sheet,
)

ROWS = header("id") + '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2"><v>1</v></c></row>'
TEXTS = shared("<t>a</t>")


def entries() -> dict[str, str | bytes]:
    return parts(sheet(ROWS), strings=TEXTS)


def renamed(change) -> bytes:
    return package({change(name): content for name, content in entries().items()})


def zipped(add) -> bytes:
    out = io.BytesIO(package(entries()))
    with zipfile.ZipFile(out, "a") as archive:
        add(archive)
    return out.getvalue()


def streamed() -> bytes:
    """Without seeking, so that sizes and sums stand behind each entry (data descriptors)."""

    class Forward(io.RawIOBase):
        def __init__(self):
            self.data = bytearray()

        def writable(self):
            return True

        def write(self, block):
            self.data += block
            return len(block)

    out = Forward()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries().items():
            archive.writestr(name, content)
    return bytes(out.data)


def wide() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries().items():
            with archive.open(name, "w", force_zip64=True) as part:
                part.write(content.encode())
    return out.getvalue()


def with_wide_end() -> bytes:
    """An end record of 64 bits, as some programs write in small files too."""
    data = package(entries())
    at = data.rfind(b"PK\x05\x06")
    _, _, _, count, size, start, _ = struct.unpack_from("<4H2LH", data, at + 4)
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
    record += struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:at] + record + end


def without(part: str) -> bytes:
    return package({name: content for name, content in entries().items() if name != part})


def target(text: str) -> bytes:
    links = REL.format(id="rId1", kind=f"{OFFICE}/worksheet", target=text)
    links += REL.format(id="rId3", kind=f"{OFFICE}/sharedStrings", target="sharedStrings.xml")
    return package(entries() | {"xl/_rels/workbook.xml.rels": RELS.format(links)})


def changed(part: str, old: str, new: str) -> bytes:
    found = entries()
    assert old in str(found[part])
    return package(found | {part: str(found[part]).replace(old, new)})


def prefixed() -> bytes:
    xml = sheet(ROWS).replace("xmlns=", "xmlns:x=").replace("<", "<x:").replace("<x:/", "</x:")
    return package(entries() | {"xl/worksheets/sheet1.xml": xml})


SHEET, TEXTS_PART = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(package(entries()), id="without content types"),
        pytest.param(renamed(lambda name: name.replace("/", "\\")), id="backslashes in names"),
        pytest.param(renamed(lambda name: "/" + name), id="slashes before names"),
        pytest.param(renamed(str.upper), id="names in capitals"),
        pytest.param(zipped(lambda zip: zip.writestr("xl/", "")), id="folder entry"),
        pytest.param(zipped(lambda zip: zip.writestr("__MACOSX/xl/._workbook.xml", "x")), id="macOS fork"),
        pytest.param(zipped(lambda zip: zip.writestr(".DS_Store", b"\x00\x01")), id="macOS folder view"),
        pytest.param(zipped(lambda zip: setattr(zip, "comment", b"made by hand")), id="comment"),
        pytest.param(package(entries(), compression=zipfile.ZIP_STORED), id="stored"),
        pytest.param(streamed(), id="data descriptors"),
        pytest.param(wide(), id="zip64 entries"),
        pytest.param(with_wide_end(), id="zip64 end"),
        pytest.param(b"PK00" + package(entries()), id="marker of a split archive"),
        pytest.param(without("xl/styles.xml"), id="without styles"),
        pytest.param(target("worksheets/sheet1.xml"), id="relative target"),
        pytest.param(target("/xl/worksheets/sheet1.xml"), id="absolute target"),
        pytest.param(target("../xl/./worksheets/sheet1.xml"), id="roundabout target"),
        pytest.param(target("worksheets\\sheet1.xml"), id="target with backslash"),
        pytest.param(target("worksheets/Sheet1.XML"), id="target in another case"),
        pytest.param(changed(SHEET, "<sheetData>", '<dimension ref="A1"/><sheetData>'), id="wrong dimension"),
        pytest.param(changed(TEXTS_PART, "<sst ", '<sst count="9" uniqueCount="0" '), id="wrong count"),
        pytest.param(changed(SHEET, "<worksheet", "\ufeff<worksheet"), id="byte order mark"),
        pytest.param(changed(TEXTS_PART, "<sst", "\ufeff<sst"), id="byte order mark of texts"),
        pytest.param(changed(TEXTS_PART, "<t>a</t>", "<t><![CDATA[a]]></t>"), id="CDATA"),
        pytest.param(
            changed(TEXTS_PART, "<t>a</t>", "<t>a</t><rPh sb='0' eb='1'><t>A</t></rPh>"), id="phonetic run"
        ),
        pytest.param(prefixed(), id="namespace prefix"),
        pytest.param(changed(SHEET, ' r="A2"', ""), id="cell without its address"),
        pytest.param(
            changed("xl/workbook.xml", SHEETS, f"<!-- x -->{SHEETS}<definedNames/>"), id="comment in XML"
        ),
        pytest.param(zipped(lambda zip: zip.writestr("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0")), id="macros"),
        pytest.param(
            zipped(lambda zip: zip.writestr("xl/externalLinks/externalLink1.xml", "<x/>")), id="links"
        ),
        pytest.param(book(ROWS, strings=TEXTS, namespace=STRICT, office=STRICT_OFFICE), id="strict"),
    ],
)
def test_package_is_read_like_any_other(data):
    reading = read(data)

    assert reading.header.cells == ["id"]
    assert reading.rows == [[2, ["a"]]]
    assert reading.assumed["cells_beyond_header"]["count"] == 1


def test_autofilter_and_tables_are_no_obstacle():
    after = (
        '<autoFilter ref="A1:B2"><filterColumn colId="0"><filters><filter val="x"/></filters></filterColumn>'
    )
    after += '</autoFilter><tableParts count="1"><tablePart r:id="rId9"/></tableParts>'
    xml = sheet(ROWS, after=after).replace(f'xmlns="{MAIN}"', f'xmlns="{MAIN}" xmlns:r="{OFFICE}"')

    assert read(package(entries() | {SHEET: xml})).rows == [[2, ["a"]]]


def test_dates_of_strict_files_are_dates():
    cells = '<c r="A2" t="d"><v>2021-01-02</v></c><c r="B2" t="d" s="2"><v>2021-01-02T10:11:12</v></c>'
    data = book(header("a", "b") + f'<row r="2">{cells}</row>', namespace=STRICT, office=STRICT_OFFICE)

    assert read(data).rows == [[2, ["\x7fd2021-01-02", "\x7fd2021-01-02T10:11:12"]]]


def test_parts_that_sum_to_more_than_the_limit_are_refused_with_the_advice_to_send_csv():
    data = bytearray(package(entries() | {"xl/media/a.bin": b"x", "xl/media/b.bin": b"y"}))
    at = -1
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        if b"xl/media/" in data[at + 46 : at + 60]:
            data[at + 24 : at + 28] = struct.pack("<L", 400_000_001)

    error = failure(bytes(data))

    assert error.code == "package_too_large"
    assert error.detail["size"] > error.detail["most"] == 800_000_000
    assert "CSV" in error.remedy
