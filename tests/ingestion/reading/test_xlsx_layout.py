import pytest

from tests.ingestion.reading.books import (
    MAIN,
    OFFICE,
    REL,
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

HEAD = header("a", "b")


def row(number: int, *values: int, attributes: str = "") -> str:
    cells = "".join(
        f'<c r="{chr(65 + place)}{number}"><v>{value}</v></c>' for place, value in enumerate(values)
    )
    return f'<row r="{number}"{attributes}>{cells}</row>'


def test_strict_workbook_is_read():
    data = book(HEAD + row(2, 1, 2), namespace=STRICT, office=STRICT_OFFICE)

    assert read(data).rows == [[2, [1, 2]]]


def test_elements_with_a_prefix_are_read():
    xml = sheet(HEAD + row(2, 1, 2)).replace("xmlns=", "xmlns:x=")
    for name in ("worksheet", "sheetData", "row", "c", "v", "is", "t"):
        xml = (
            xml.replace(f"<{name} ", f"<x:{name} ")
            .replace(f"<{name}>", f"<x:{name}>")
            .replace(f"</{name}>", f"</x:{name}>")
        )

    assert read(package(parts(xml))).rows == [[2, [1, 2]]]


def test_cells_without_addresses_follow_each_other():
    rows = HEAD + "<row><c><v>1</v></c><c><v>2</v></c></row><row><c/><c><v>3</v></c></row>"

    assert read(book(rows)).rows == [[2, [1, 2]], [3, [None, 3]]]


def test_pretty_printed_sheet_is_read():
    rows = (HEAD + row(2, 1, 2)).replace("<", "\n  <").replace("\n  </", "</")

    assert read(book(rows)).rows == [[2, [1, 2]]]


def test_blank_leading_rows_and_columns_keep_their_places():
    rows = '<row r="3"><c r="C3" t="str"><v>a</v></c></row><row r="5"><c r="C5"><v>1</v></c></row>'

    reading = read(book(rows))

    assert (reading.header.row, reading.header.cells) == (3, [None, None, "a"])
    assert reading.rows == [[5, [None, None, 1]]]
    assert reading.assumed["header_row"]["row"] == 3
    assert reading.end.blank_rows == 1


def test_reading_goes_on_after_a_gap():
    blanks = (
        "".join(f'<row r="{number}"/>' for number in range(3, 300)) + '<row r="300"><c r="A300" s="1"/></row>'
    )

    reading = read(book(HEAD + row(2, 1) + blanks + row(602, 2) + '<row r="700" s="1"/>'))

    assert reading.rows == [[2, [1]], [602, [2]]]
    assert (reading.end.rows, reading.end.blank_rows, reading.end.last_row) == (2, 599, 602)


@pytest.mark.parametrize("dimension", ["A1", "A1:XFD1048576", "B7:B7", ""])
def test_dimension_is_never_believed(dimension):
    before = f'<dimension ref="{dimension}"/>'

    assert read(book(HEAD + row(2, 1, 2), before=before)).rows == [[2, [1, 2]]]


def test_hidden_rows_are_read_and_counted():
    rows = (
        HEAD + row(2, 1, attributes=' hidden="1"') + row(3, 2) + row(4, 3, attributes=' x="1" hidden="true"')
    )

    reading = read(book(rows))

    assert [number for number, _ in reading.rows] == [2, 3, 4]
    assert reading.assumed["hidden_rows_read"] == {"count": 2}


def test_merged_ranges_are_counted():
    after = '<mergeCells count="2"><mergeCell ref="A2:A3"/><mergeCell ref="B2:B3"/></mergeCells>'

    assert read(book(HEAD + row(2, 1), after=after)).assumed["merged_ranges"] == {"count": 2}


def test_cells_beyond_the_header_are_left_out_and_counted():
    rows = (
        HEAD + row(2, 1, 2, 3) + row(3, 4) + '<row r="4"><c r="XFD4"><v>9</v></c></row>' + row(5, 5, 6, 7, 8)
    )

    reading = read(book(rows))

    assert reading.rows == [[2, [1, 2]], [3, [4]], [5, [5, 6]]]
    assert reading.assumed["cells_beyond_header"] == {"count": 4, "first": "C2"}
    assert reading.end.blank_rows == 1


def test_first_visible_worksheet_is_read_and_named():
    sheets = (
        '<sheets><sheet name="Old" sheetId="2" state="hidden" r:id="rId8"/>'
        '<sheet name="Chart" sheetId="3" r:id="rId7"/><sheet name="Data &amp; more" sheetId="1" r:id="rId1"/>'
        '<sheet name="Notes" sheetId="4" r:id="rId8"/></sheets>'
    )
    rels = REL.format(id="rId7", kind=f"{OFFICE}/chartsheet", target="chartsheets/sheet1.xml")
    rels += REL.format(id="rId8", kind=f"{OFFICE}/worksheet", target="worksheets/sheet2.xml")
    entries = parts(sheet(HEAD + row(2, 1)), book=sheets, more_rels=rels)
    entries["xl/worksheets/sheet2.xml"] = sheet(header("x") + row(2, 9))

    first = read(package(entries))
    asked = read(package(entries), sheet="Notes")

    assert (first.header.sheet, first.rows) == ("Data & more", [[2, [1]]])
    assert first.assumed["sheet_read"]["others"] == ["Old", "Notes"]
    assert asked.rows == [[2, [9]]]
    assert failure(package(entries), sheet="Absent").code == "no_such_sheet"


def test_workbook_with_hidden_sheets_only_is_refused():
    sheets = '<sheets><sheet name="Old" sheetId="1" state="veryHidden" r:id="rId1"/></sheets>'

    assert failure(book(HEAD, book=sheets)).code == "no_visible_sheet"


@pytest.mark.parametrize("rows", ["", '<row r="1"/>', '<row r="4" s="1"><c r="A4" s="1"/></row>'])
def test_sheet_without_values_is_refused(rows):
    assert failure(book(rows)).code == "no_rows"


def test_self_closed_sheet_data_is_refused():
    xml = f'<worksheet xmlns="{MAIN}"><sheetData/></worksheet>'

    assert failure(package(parts(xml))).code == "no_rows"


def test_header_without_rows_is_read():
    reading = read(book(HEAD))

    assert reading.rows == []
    assert (reading.end.rows, reading.end.blank_rows) == (0, 0)


def test_comment_in_the_sheet_is_no_obstacle():
    rows = "".join(row(number, number, 1) for number in range(2, 9_000))
    rows += "<!-- <row r='1'> --></sheetData><sheetData>" + row(9_000, 1, 2)

    reading = read(book(HEAD + rows))

    assert [number for number, _ in reading.rows] == list(range(2, 9_001))


@pytest.mark.parametrize(
    "rows",
    [
        row(3, 1) + row(2, 1),
        row(2, 1) + row(2, 1),
        '<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>1</v></c></row>',
        '<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>1</v></c></row>',
        '<row r="2"><c r="A3"><v>1</v></c></row>',
        '<row r="2"><c r="a2"><v>1</v></c></row>',
        '<row r="2"><c r="A2" t="zz"><v>1</v></c></row>',
        '<row r="x"><c r="A2"><v>1</v></c></row>',
        '<row r="2"><c r="A2"><v>1</c></row>',
        '<row r="2"><c r="A2"><v>1</v></c>',
        '<row r="2"><c r="A2" t="inlineStr"><is><t>&nbsp;</t></is></c></row>',
        '<row r="2"><c r="A2" t="inlineStr"><is><t>&#0;</t></is></c></row>',
    ],
)
def test_sheet_that_contradicts_itself_is_damage(rows):
    assert failure(book(HEAD + rows)).code == "damaged_file"


def test_wide_blocks_cut_rows_and_characters_anywhere():
    text = "äöü€😀" * 40
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{text}{n}</t></is></c></row>' for n in range(2, 3_000)
    )

    assert [row[1] for row in read(book(HEAD + rows)).rows] == [[f"{text}{n}"] for n in range(2, 3_000)]


def test_stored_package_and_shared_header_are_read():
    rows = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>' + row(2, 1)
    data = package(parts(sheet(rows), strings=shared("<t>id</t>")), compression=0)

    assert read(data).header.cells == ["id"]
