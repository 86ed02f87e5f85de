"""The same workbook read by us, by openpyxl and by calamine must hold the same values."""

import datetime
import io
import random

import openpyxl
import pytest
import xlsxwriter
from python_calamine import CalamineWorkbook

from ingestion.reading.cells import decode
from tests.benchmarks.make_workbook import make_workbook
from tests.ingestion.reading.books import read

TEXTS = [
    "plain",
    "ä€😀",
    " spaces ",
    'quote " and \\',
    "a&b<c>d",
    "two\nlines",
    "_x000D_",
    "0012",
    "=1+1",
    "tab\there",
]
DAY = datetime.datetime(2001, 3, 4)  # noqa: DTZ001


def random_rows(seed: int) -> list[list]:
    source = random.Random(seed)
    makers = [
        lambda: None,
        lambda: source.choice(TEXTS),
        lambda: source.randrange(-(10**12), 10**12),
        lambda: round(source.uniform(-1000, 1000), source.randrange(1, 9)),
        lambda: source.random() < 0.5,
        lambda: DAY + datetime.timedelta(days=source.randrange(9_000), seconds=source.randrange(86_400)),
        lambda: (DAY + datetime.timedelta(days=source.randrange(9_000))).date(),
        lambda: datetime.time(source.randrange(24), source.randrange(60), source.randrange(60)),
    ]
    rows = [["id", *(f"column {place}" for place in range(1, 9))]]
    for number in range(1, 250):
        # Long runs of the same shape, and rows of any shape between them.
        chosen = [*makers[1:8], makers[1]] if number % 50 > 10 else source.choices(makers, k=8)
        rows.append([f"R{number}", *(make() for make in chosen)])
    return rows


def by_openpyxl(rows: list[list]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    # Without this openpyxl writes text that begins with = as a formula.
    for cells in book.active.iter_rows():
        for cell in cells:
            if cell.data_type == "f":
                cell.data_type = "s"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def by_xlsxwriter(rows: list[list], *, inline: bool) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(
        out, {"constant_memory": inline, "in_memory": not inline, "strings_to_formulas": False}
    )
    formats = {
        datetime.datetime: book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"}),
        datetime.date: book.add_format({"num_format": "dd.mm.yyyy"}),
        datetime.time: book.add_format({"num_format": "hh:mm:ss"}),
    }
    sheet = book.add_worksheet("Data")
    for number, row in enumerate(rows):
        for place, value in enumerate(row):
            sheet.write(number, place, value, formats.get(type(value)))
    book.close()
    return out.getvalue()


def as_python(cell, expected):
    """Our cell as the type that the library gives."""
    taken = decode(cell)
    if taken.type == "":
        return None
    if taken.type == "n":
        return float(taken.raw)
    if taken.type == "b":
        return taken.raw == "1"
    if taken.type == "d" and isinstance(expected, datetime.time):
        return datetime.time.fromisoformat(taken.raw)
    if taken.type == "d":
        return datetime.datetime.fromisoformat(taken.raw)
    return taken.raw


def comparable(value):
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime.combine(value, datetime.time())
    return value or None


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("writer", ["openpyxl", "xlsxwriter shared", "xlsxwriter inline"])
def test_values_are_those_that_were_written(writer, seed):
    rows = random_rows(seed)
    if writer == "openpyxl":
        # It does not escape what looks like an escape, so the file really holds a carriage return.
        rows = [["0D" if value == "_x000D_" else value for value in row] for row in rows]
        data = by_openpyxl(rows)
    else:
        data = by_xlsxwriter(rows, inline="inline" in writer)

    found = read(data).rows

    assert len(found) == len(rows) - 1
    for number, cells in found:
        expected = rows[number - 1] + [None] * 8
        for place, cell in enumerate(cells):
            assert as_python(cell, expected[place]) == comparable(expected[place]), (number, place)


@pytest.mark.parametrize("seed", range(2))
def test_libraries_read_the_same_values(seed):
    data = by_xlsxwriter(random_rows(seed), inline=bool(seed))

    ours = dict(read(data).rows)
    sheet = openpyxl.load_workbook(io.BytesIO(data), read_only=True).active
    theirs = list(CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python())

    for number, row in enumerate(sheet.iter_rows(min_row=2, values_only=True), start=2):
        for place, value in enumerate(row):
            cell = ours[number][place] if place < len(ours[number]) else None
            calamine = theirs[number - 1][place]
            assert as_python(cell, value) == _escaped(comparable(value)), (number, place)
            assert as_python(cell, calamine) == comparable(calamine), (number, place)


def _escaped(value):
    """openpyxl leaves the escape of an escape as it is."""
    return value.replace("_x005F_", "_") if isinstance(value, str) else value


def test_benchmark_workbook_is_read_whole(tmp_path):
    for inline in (True, False):
        data = make_workbook(tmp_path, rows=2_000, inline=inline).read_bytes()

        reading = read(data)

        assert reading.end.rows == 2_000
        sheet = openpyxl.load_workbook(io.BytesIO(data), read_only=True).active
        for (_, cells), row in zip(reading.rows, sheet.iter_rows(min_row=2, values_only=True), strict=True):
            assert [as_python(cell, value) for cell, value in zip(cells, row, strict=True)] == list(
                map(comparable, row)
            )
