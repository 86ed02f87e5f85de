import io

import openpyxl
import pytest

from ingestion.reading import names
from ingestion.reading.failures import SENTENCES
from ingestion.reading.kinds import MAY_BE_READ, Kind, sniff
from tests.ingestion.reading.books import RELS, book, failure, header, package, read
from tests.ingestion.reading.old_books import GLOBALS, begin, compound, record

ODS = "application/vnd.oasis.opendocument.spreadsheet"
ENCRYPTED = (
    f'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{ODS}"><manifest:encryption-data/>'
    "</manifest:file-entry></manifest:manifest>"
)
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
        (compound({"EncryptionInfo": b"", "EncryptedPackage": b""}), "format_encrypted"),
        (compound({"Data": b"\x00" * 30_000, "EncryptedPackage": b""}), "format_encrypted"),
        (
            compound({"Workbook": begin(GLOBALS) + record(0x2F, b"\x01\x00" + b"\x00" * 52)}),
            "format_encrypted",
        ),
        (compound({"Workbook": begin(GLOBALS) + record(0x2F, b"\x00\x00\x12\x34")}), "format_encrypted"),
        (compound({"WordDocument": b""}), "format_word"),
        (compound({"PowerPoint Document": b""}), "format_slides"),
        (compound({"__properties_version1.0": b""}), "format_compound"),
        (b"\x09\x04\x06\x00\x00\x00\x10\x00\x00\x00" + b"\x00" * 100, "format_old_excel"),
        (b"\x09\x00\x04\x00\x02\x00\x10\x00" + b"\x00" * 100, "format_old_excel"),
        (b"{\\rtf1\\ansi text}", "format_word"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "format_pdf"),
        (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "format_image"),
        (b"\xff\xd8\xff\xe0" + b"\x00" * 50, "format_image"),
        (b"\x00\x00\x00\x18ftypheic" + b"\x00" * 50, "format_image"),
        (b"<html><table><tr><td>id</td></tr></table></html>", "format_html"),
        (b"\n<!DOCTYPE html>\n<p>x", "format_html"),
        (b"<div class='table'><table>", "format_html"),
        (b"\xff\xfe" + "<html><body>".encode("utf-16-le"), "format_html"),
        (b"MIME-Version: 1.0\nX-Document-Type: Workbook\n", "format_mhtml"),
        (SPREADSHEETML, "format_xml_spreadsheet"),
        (SPREADSHEETML[21:], "format_xml_spreadsheet"),
        (SPREADSHEETML.replace(b'<?xml version="1.0"?>', b"\n"), "format_xml_spreadsheet"),
        (b'<?xml version="1.0"?><records/>', "format_xml"),
        (b'[{"id": 1}]', "format_json"),
        (b'{"id": 1}', "format_json"),
        (b"\x1f\x8b\x08\x00" + b"\x00" * 50, "format_archive"),
        (b"SQLite format 3\x00" + b"\x00" * 50, "format_binary"),
        (bytes(range(256)) * 8, "format_binary"),
        (package({"readme.txt": "hello"}), "format_zip"),
        (b"x" * 257 + b"ustar\x0000", "format_archive"),
        (package({"Index/Document.iwa": b"x", "Metadata/Properties.plist": b"x"}), "format_numbers"),
        (
            package({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"}),
            "format_word",
        ),
        (
            package({"mimetype": "application/vnd.oasis.opendocument.presentation", "content.xml": "<x/>"}),
            "format_slides",
        ),
        (package({"mimetype": "application/epub+zip", "content.xml": "<x/>"}), "format_zip"),
        (package({"word/document.xml": "<x/>"}), "format_word"),
        (
            package({"mimetype": ODS, "META-INF/manifest.xml": ENCRYPTED, "content.xml": "x"}),
            "format_encrypted",
        ),
        (package({"META-INF/manifest.xml": ENCRYPTED, "encrypted-package": "x"}), "format_encrypted"),
    ],
)
def test_file_of_another_kind_is_refused_by_its_real_name(data, code):
    error = failure(data)

    assert error.code == code
    assert error.message
    assert error.remedy


def test_entry_that_is_encrypted_is_named():
    data = bytearray(book(header("id")))
    at = -1
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        data[at + 8] |= 1

    assert failure(bytes(data)).code == "format_encrypted"


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
    data = package({"mimetype": ODS, "content.xml": "<x/>"}, compression=0)

    assert sniff(data[:100]) == Kind.ODS


@pytest.mark.parametrize(
    ("filename", "file_format", "is_said"),
    [
        ("stations.xlsx", "xlsx", False),
        ("Stations.XLSM", "xlsx", False),
        ("stations.xls", "csv", True),
        ("stations.xlsx", "csv", True),
        ("stations.csv", "xlsx", True),
        ("stations.xls", "xlsx", True),
        ("stations.xlsx", "ods", True),
        ("stations.pdf", "csv", True),
        ("stations.txt", "csv", False),
        ("stations.2024", "csv", False),
        ("stations", "xls", False),
    ],
)
def test_name_that_promises_another_format_is_told(filename, file_format, is_said):
    found = names.assumed(filename, file_format)

    assert [entry["code"] for entry in found] == ["format_differs_from_name"] * is_said


def test_every_format_has_its_words():
    for file_format, (extension, *_) in names.EXTENSIONS.items():
        other = "csv" if file_format != "csv" else "xls"

        assert f".{extension}" in names.assumed(f"a.{extension}", other)[0]["message"]
