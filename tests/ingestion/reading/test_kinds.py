import io

import openpyxl
import pytest

from ingestion.reading.failures import SENTENCES
from ingestion.reading.kinds import MAY_BE_READ, Kind, sniff
from tests.ingestion.reading.books import RELS, book, failure, header, package, read

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600
SPREADSHEETML = (
    b'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>'
    b'<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"></Workbook>'
)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"\xef\xbb\xbf", "empty_file"),
        (b"  \r\n\n", "empty_file"),
        (b",,,\n,,,\n", "empty_file"),
        (COMPOUND + "Workbook".encode("utf-16-le"), "format_xls"),
        (COMPOUND + "EncryptedPackage".encode("utf-16-le"), "format_encrypted"),
        (COMPOUND + b"\x00" * 20_000 + "EncryptedPackage".encode("utf-16-le"), "format_encrypted"),
        (COMPOUND + "WordDocument".encode("utf-16-le"), "format_compound"),
        (b"\x09\x08\x10\x00\x00\x06\x05\x00" + b"\x00" * 100, "format_xls"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "format_pdf"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "format_image"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 50, "format_image"),
        (b"<html><table><tr><td>id</td></tr></table></html>", "format_html"),
        (b"\n<!DOCTYPE html>\n<p>x", "format_html"),
        (b"\xff\xfe" + "<html><body>".encode("utf-16-le"), "format_html"),
        (b"MIME-Version: 1.0\nX-Document-Type: Workbook\n", "format_mhtml"),
        (SPREADSHEETML, "format_xml_spreadsheet"),
        (b'<?xml version="1.0"?><records/>', "format_xml"),
        (b'[{"id": 1}]', "format_json"),
        (b'{"id": 1}', "format_json"),
        (b"\x1f\x8b\x08\x00" + b"\x00" * 50, "format_archive"),
        (b"SQLite format 3\x00" + b"\x00" * 50, "format_binary"),
        (bytes(range(256)) * 8, "format_binary"),
        (package({"readme.txt": "hello"}), "format_zip"),
        (package({"xl/workbook.bin": b"\x00", "[Content_Types].xml": "<x/>"}), "format_xlsb"),
        (package({"word/document.xml": "<x/>"}), "format_word"),
        (
            package(
                {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"},
                compression=0,
            ),
            "format_ods",
        ),
    ],
)
def test_file_of_another_kind_is_refused_by_its_real_name(data, code):
    error = failure(data)

    assert error.code == code
    assert error.message
    assert error.remedy


def test_presentation_is_named():
    link = '<Relationship Id="a" Type="x/officeDocument" Target="ppt/presentation.xml"/>'

    assert (
        failure(package({"_rels/.rels": RELS.format(link), "ppt/presentation.xml": "<x/>"})).code
        == "format_slides"
    )


def test_name_and_content_may_differ():
    out = io.BytesIO()
    workbook = openpyxl.Workbook()
    workbook.active.append(["id"])
    workbook.active.append(["a"])
    workbook.save(out)

    assert read(out.getvalue()).rows == [[2, ["a"]]]


def test_macro_workbook_is_read_like_any_other():
    assert read(book(header("id") + '<row r="2"><c r="A2"><v>1</v></c></row>')).rows == [[2, [1]]]


@pytest.mark.parametrize(
    "data", [b"id,name\n1,a\n", b"PK\x03\x04....", "naïve;x\n".encode("cp1252"), b"a\x00b,c\n"]
)
def test_sniff_lets_what_may_be_read_pass(data):
    assert sniff(data) in MAY_BE_READ


def test_every_kind_that_is_not_read_has_its_sentence():
    for kind in set(Kind) - MAY_BE_READ - {Kind.EMPTY}:
        assert f"format_{kind}" in SENTENCES


def test_sniff_knows_a_spreadsheet_from_its_head_alone():
    data = package(
        {"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": "<x/>"}, compression=0
    )

    assert sniff(data[:100]) == Kind.ODS
