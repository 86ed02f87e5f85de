"""Tables of any values, written by the libraries that people's programs use, come out as they went in."""

import csv
import datetime as dt
import io
from decimal import Decimal

import openpyxl
import pytest
import xlsxwriter
import xlwt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from odf import opendocument, table, text
from python_calamine import CalamineWorkbook

from ingestion.reading.cells import decode
from tests.ingestion.reading.books import Reading, read_here

WIDTH = 6
HEAD = [f"column {place}" for place in range(WIDTH)]
DATE, MOMENT, CLOCK = "yyyy\\-mm\\-dd", "yyyy\\-mm\\-dd hh:mm:ss", "hh:mm:ss"
FORMATS = {dt.date: DATE, dt.datetime: MOMENT, dt.time: CLOCK}
# XML holds neither control characters nor U+FFFE and U+FFFF; what looks like an escape is one (_x000D_).
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff_")
    | st.sampled_from(" \t\n\"'<>&;,=@\u00a0\u200b\ufeff"),
    min_size=1,
    max_size=20,
)
DECIMALS = st.decimals(-(10**9), 10**9, places=4, allow_nan=False, allow_infinity=False)
MOMENTS = st.datetimes(dt.datetime(1904, 1, 2), dt.datetime(2199, 12, 31))  # noqa: DTZ001
VALUES = st.one_of(
    st.none(),
    TEXTS,
    st.sampled_from(["0012", "=1+1", "#N/A", "1e5", "TRUE", "2024-05-31", "ä" * 5_000]),
    st.integers(-(10**15) + 1, 10**15 - 1),
    DECIMALS.map(float),
    st.booleans(),
    st.dates(dt.date(1904, 1, 2), dt.date(2199, 12, 31)),
    MOMENTS.map(lambda moment: moment.replace(microsecond=0)),
    MOMENTS.map(lambda moment: dt.datetime.combine(moment, dt.time())),
    MOMENTS.map(lambda moment: moment.replace(microsecond=0).time()),
)
TABLES = st.lists(st.lists(VALUES, min_size=WIDTH, max_size=WIDTH), min_size=1, max_size=25)
WHOLE = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def by_openpyxl(rows) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in book.active.iter_rows():
        for cell in cells:
            if isinstance(cell.value, str):
                # It takes “=1+1” and “#N/A” for a formula and an error.
                cell.data_type = "s"
    return saved(book.save)


def by_xlsxwriter(rows, **options) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False, **options})
    formats = {kind: book.add_format({"num_format": code}) for kind, code in FORMATS.items()}
    sheet = book.add_worksheet()
    for number, row in enumerate(rows):
        for place, value in enumerate(row):
            if isinstance(value, str):
                sheet.write_string(number, place, value)
            else:
                sheet.write(number, place, value, formats.get(type(value)))
    book.close()
    return out.getvalue()


def by_xlsxwriter_1904(rows) -> bytes:
    return by_xlsxwriter(rows, date_1904=True)


def by_xlsxwriter_inline(rows) -> bytes:
    return by_xlsxwriter(rows, constant_memory=True, in_memory=False)


def by_xlwt(rows) -> bytes:
    book = xlwt.Workbook()
    styles = {kind: xlwt.easyxf(num_format_str=code) for kind, code in FORMATS.items()}
    sheet = book.add_sheet("Data")
    for number, row in enumerate(rows):
        for place, value in enumerate(row):
            if value is not None:
                sheet.write(number, place, value, styles.get(type(value), xlwt.Style.default_style))
    return saved(book.save)


def by_odfpy(rows) -> bytes:
    book = opendocument.OpenDocumentSpreadsheet()
    sheet = table.Table(name="Data")
    for row in rows:
        line = table.TableRow()
        for value in row:
            line.addElement(odf_cell(value))
        sheet.addElement(line)
    book.spreadsheet.addElement(sheet)
    return saved(book.save)


def odf_cell(value) -> table.TableCell:
    if value is None:
        return table.TableCell()
    if isinstance(value, bool):
        return table.TableCell(valuetype="boolean", booleanvalue=str(value).lower())
    if isinstance(value, int | float):
        return table.TableCell(valuetype="float", value=repr(value))
    if isinstance(value, dt.date):
        cell = table.TableCell(valuetype="date", datevalue=value.isoformat())
    elif isinstance(value, dt.time):
        cell = table.TableCell(valuetype="time", timevalue=value.strftime("PT%HH%MM%SS"))
    else:
        cell = table.TableCell(valuetype="string")
        for line in value.split("\n"):
            cell.addElement(paragraph(line))
    return cell


def paragraph(line: str) -> text.P:
    """Spaces and tabs are elements of their own, as white space between words is collapsed."""
    found, pending = text.P(), ""
    for character in line:
        if character in " \t":
            found.addText(pending)
            found.addElement(text.S(c=1) if character == " " else text.Tab())
            pending = ""
        else:
            pending += character
    found.addText(pending)
    return found


def saved(save) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


WRITERS = [by_openpyxl, by_xlsxwriter, by_xlsxwriter_1904, by_xlsxwriter_inline, by_xlwt, by_odfpy]


@pytest.mark.parametrize("write", WRITERS)
@WHOLE
@given(rows=TABLES)
def test_values_come_out_as_they_went_in(write, rows):
    reading = read_here(write([HEAD, *rows]))

    assert reading.header.cells == HEAD
    assert as_table(reading) == {number: row for number, row in enumerate(rows, start=2) if any_value(row)}


@WHOLE
@given(rows=TABLES)
def test_calamine_reads_the_same_from_xls(rows):
    data = by_xlwt([HEAD, *rows])

    ours = as_table(read_here(data))
    theirs = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()

    for number, row in ours.items():
        assert list(map(plain, row)) == [plain(value) for value in theirs[number - 1]]


def plain(value):
    """Without what calamine does not tell: a blank from no text, and a moment at midnight from its day."""
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date()
    return None if value == "" else value


def any_value(row) -> bool:
    return any(value is not None for value in row)


def as_table(reading: Reading) -> dict[int, list]:
    """Row number to the values of the row, blanks at its end included."""
    return {
        number: [python(cell) for cell in cells] + [None] * (WIDTH - len(cells))
        for number, cells, *_ in reading.rows
    }


def python(wire):
    """The value of a cell, exactly of the kind that was written."""
    cell = decode(wire)
    if cell.type == "":
        return None
    if cell.type == "n":
        assert not cell.format
        return wire
    if cell.type == "b":
        return cell.raw == "1"
    if cell.type == "d":
        kind = {"d": dt.date, "dt": dt.datetime, "t": dt.time}[cell.format]
        return kind.fromisoformat(cell.raw)
    assert cell.type == "s"
    return cell.raw


DIALECTS = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;\t|^~"),
        "lineterminator": st.sampled_from(["\n", "\r\n", "\r"]),
        "quoting": st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
    }
)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])


@settings(WHOLE, max_examples=40)
@given(rows=TABLES, dialect=DIALECTS, encoding=ENCODINGS, sep_line=st.booleans(), comma=st.booleans())
def test_any_dialect_of_csv_is_read_as_written(rows, dialect, encoding, sep_line, comma):
    written = [[as_typed(value, comma=comma) for value in row] for row in rows]
    out = io.StringIO(newline="")
    if sep_line:
        out.write(f"sep={dialect['delimiter']}{dialect['lineterminator']}")
    if dialect["lineterminator"] == "\r":
        # Else the module would leave a line feed inside a text without quotes.
        dialect["quoting"] = csv.QUOTE_ALL
    csv.writer(out, **dialect).writerows([HEAD, *written])

    reading = read_here(out.getvalue().encode(encoding), delimiter=None if sep_line else dialect["delimiter"])

    assert reading.header.cells == HEAD
    assert [[cell and decode(cell).raw for cell in cells] for _, cells, *_ in reading.rows] == [
        [value or None for value in row] for row in written if any(row)
    ]


def as_typed(value, *, comma: bool) -> str:
    """As a program exports it where decimals are written with a comma, or with a point."""
    if value is None:
        return ""
    if isinstance(value, float):
        digits = format(Decimal(repr(value)), "f")
        return digits.replace(".", ",") if comma else digits
    return str(value)
