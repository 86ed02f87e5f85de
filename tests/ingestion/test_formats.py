"""Workbooks of each format, and files made to hurt, from acceptance to verdict."""

import pytest

from ingestion.models import RowError
from ingestion.states import UploadState
from tests.ingestion.reading import ods_books, old_books, xlsb_books
from tests.ingestion.reading.books import book, header, package, parts
from tests.ingestion.reading.test_hostile import LAUGHS, ROW, SHEET_START, STRINGS, STRINGS_START, bomb

pytestmark = pytest.mark.django_db(transaction=True)


def by_xls() -> bytes:
    names = old_books.label(0, 0, "id") + old_books.label(0, 1, "amount")
    good = old_books.label(1, 0, "a") + old_books.number(1, 1, 5)
    return old_books.xls(names, good, old_books.error(2, 0, 0x2A), old_books.number(2, 1, 6))


def by_xlsb() -> bytes:
    return xlsb_books.xlsb(
        xlsb_books.row(1, xlsb_books.written(0, "id"), xlsb_books.written(1, "amount")),
        xlsb_books.row(2, xlsb_books.written(0, "a"), xlsb_books.real(1, 5)),
        xlsb_books.row(3, xlsb_books.cell(3, 0, b"\x2a"), xlsb_books.real(1, 6)),
    )


def by_ods() -> bytes:
    error = (
        '<table:table-cell table:formula="of:=NA()" office:value-type="string" calcext:value-type="error">'
    )
    return ods_books.ods(
        ods_books.row(ods_books.text("id"), ods_books.text("amount")),
        ods_books.row(ods_books.text("a"), ods_books.number(5)),
        ods_books.row(error + "<text:p>#N/A</text:p></table:table-cell>", ods_books.number(6)),
    )


@pytest.mark.parametrize(("make", "kind"), [(by_xls, "xls"), (by_xlsb, "xlsb"), (by_ods, "ods")])
def test_workbook_of_any_format_is_stored_and_its_errors_are_named(process, dataset, make, kind):
    upload = process(make(), filename=f"stations.{kind}")

    assert (upload.state, upload.kind) == (UploadState.PARTIAL, kind)
    assert (upload.rows_read, upload.inserted, upload.refused) == (2, 1, 1)
    row = RowError.objects.get(run=upload.run)
    assert (row.row, row.errors[0]["cell"], row.errors[0]["code"]) == (3, "A3", "error_value")
    assert "format_differs_from_name" not in {entry["code"] for entry in upload.assumptions}


def laughing() -> bytes:
    entries = parts("<x/>")
    entries["xl/worksheets/sheet1.xml"] = LAUGHS + "<worksheet/>"
    return package(entries)


def circle() -> bytes:
    table = b"\x00" * 512
    return old_books.header(1, table_sectors=(0,) * 109, more=0) + table * 3


SHEET = "xl/worksheets/sheet1.xml"
LONG_TEXT = (STRINGS, f"{STRINGS_START}<si><t>", "a" * 1_000, 2_000_000, "</t></si></sst>")
HOSTILE = [
    (lambda: bomb(*LONG_TEXT), "file_exceeds_limits"),
    (lambda: bomb(STRINGS, STRINGS_START, "<si/>", 10**6, "</sst>", declare=1 << 30), "package_too_large"),
    (lambda: bomb(SHEET, SHEET_START, " ", 1_000_000, ROW, declare=5_000), "damaged_file"),
    (laughing, "doctype_refused"),
    (lambda: book('<row r="9"><c r="XFE9"><v>1</v></c></row>'), "outside_grid"),
    (lambda: book(header("id"))[:-30], "damaged_file"),
    (circle, "damaged_file"),
    (
        lambda: ods_books.ods(
            ods_books.row(
                ods_books.number(1, 'table:number-columns-repeated="16384"'),
                attributes='table:number-rows-repeated="1048576"',
            )
        ),
        "file_exceeds_limits",
    ),
    (lambda: xlsb_books.xlsb(xlsb_books.row(2**32, xlsb_books.real(0, 1))), "outside_grid"),
    (lambda: b'id,amount\na,"1\n' + b"b,2\n" * 10_000, "unclosed_quote"),
]


def test_hostile_files_fail_one_by_one_and_the_next_upload_is_processed(process, dataset):
    for make, code in HOSTILE:
        upload = process(make(), filename="report.xlsx")

        assert (upload.state, upload.failure_code) == (UploadState.FAILED, code)
        assert (upload.inserted, upload.starts) == (0, 1)

    good = process("id,amount\na,1\n")

    assert (good.state, good.inserted) == (UploadState.PROCESSED, 1)
