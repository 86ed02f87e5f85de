import io

import pytest
from python_calamine import CalamineWorkbook

from tests.ingestion.reading.books import failure, package, read
from tests.ingestion.reading.ods_books import (
    MIMETYPE,
    NAMES,
    blank,
    content,
    document,
    number,
    ods,
    row,
    table,
    text,
)

HEAD = row(*map(text, "abcd"))


def of(kind: str, name: str, value: str, more: str = "") -> str:
    return f'<table:table-cell office:value-type="{kind}" office:{name}="{value}" {more}/>'


def formula(inside: str, attributes: str) -> str:
    return f'<table:table-cell table:formula="of:=1/0" {attributes}>{inside}</table:table-cell>'


@pytest.mark.parametrize(
    ("cell", "wire"),
    [
        (number("12.5"), 12.5),
        (number("5"), 5),
        (number("1.0E-3"), 0.001),
        (number("6083", 'table:style-name="ce1"'), "\x7fn6083\x7fz:00000"),
        (number("6083", 'table:style-name="ce6"'), "\x7fn6083\x7fz:00000"),
        (of("percentage", "value", "0.52"), "\x7fn0.52\x7f%"),
        (of("currency", "value", "1.5", 'office:currency="EUR"'), "\x7fn1.5\x7fc:EUR"),
        (of("currency", "value", "1.5", 'table:style-name="ce4"'), "\x7fn1.5\x7fc:CHF"),
        (of("boolean", "boolean-value", "true"), "\x7fb1"),
        (of("boolean", "boolean-value", "false"), "\x7fb0"),
        (of("date", "date-value", "2021-01-02"), "\x7fd2021-01-02\x7fd"),
        (of("date", "date-value", "2021-01-02", 'table:style-name="ce2"'), "\x7fd2021-01-02T00:00:00\x7fdt"),
        (of("date", "date-value", "2021-01-02T10:11:12.5"), "\x7fd2021-01-02T10:11:12.500\x7fdt"),
        (of("date", "date-value", "2021-01-02T00:00:00", 'table:style-name="ce5"'), "\x7fd2021-01-02\x7fd"),
        (of("date", "date-value", "1899-12-29"), "\x7fd1899-12-29\x7fd"),
        (of("date", "date-value", "soon"), "\x7fdsoon"),
        (of("time", "time-value", "PT10H30M00S"), "\x7fd10:30:00\x7ft"),
        (of("time", "time-value", "PT10H30M00.25S"), "\x7fd10:30:00.250\x7ft"),
        (of("time", "time-value", "PT36H"), "\x7fn1.5\x7fdu"),
        (of("time", "time-value", "PT12H", 'table:style-name="ce3"'), "\x7fn0.5\x7fdu"),
        (of("time", "time-value", "-PT12H"), "\x7fn-0.5\x7fdu"),
        (text("a  b\n  c "), "a b c"),
        (text('a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d<text:s/>'), "a   b\tc\nd "),
        (text("one</text:p><text:p>two"), "one\ntwo"),
        (text("<text:span>ri</text:span><text:a>ch</text:a>"), "rich"),
        (
            text(
                "<text:ruby><text:ruby-base>東</text:ruby-base><text:ruby-text>ひ</text:ruby-text></text:ruby>"
            ),
            "東",
        ),
        (text("a&lt;b&amp;ä😀<![CDATA[<c>]]>"), "a<b&ä😀<c>"),
        (text("shown", 'office:string-value="  kept  "'), "  kept  "),
        (text("x</text:p><office:annotation><text:p>a note</text:p></office:annotation><text:p>y"), "x\ny"),
        (text("x<draw:frame><draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame>"), "x"),
        (text("_x000D_"), "_x000D_"),
        (text("#N/A"), "#N/A"),
        (text("\x7fn5"), "\x7fs\x7fn5"),
        ("<table:table-cell><text:p>typed</text:p></table:table-cell>", "typed"),
        (text(""), None),
        (formula("", ""), "\x7ff"),
        (formula("", 'office:value-type="float" office:value="2"'), 2),
        (formula("<text:p>x</text:p>", 'office:value-type="string"'), "x"),
        (
            formula("<text:p>#DIV/0!</text:p>", 'office:value-type="string" calcext:value-type="error"'),
            "\x7fe#DIV/0!",
        ),
        (formula("<text:p>Err:502</text:p>", 'office:value-type="float" office:value="0"'), "\x7feErr:502"),
        (formula("<text:p>#N/A</text:p>", 'office:value-type="string" office:string-value=""'), "\x7fe#N/A"),
        (
            formula("<text:p>#N/A</text:p>", 'office:value-type="string" calcext:value-type="string"'),
            "#N/A",
        ),
    ],
)
def test_cell_is_the_same_as_in_xlsx(cell, wire):
    assert read(ods(HEAD, row(cell, text("end")))).rows == [[2, [wire, "end"]]]


def test_calamine_agrees_but_for_what_it_hides():
    data = ods(HEAD, row(number("6083", 'table:style-name="ce1"'), text("x"), formula(
        "<text:p>#N/A</text:p>", 'office:value-type="string" calcext:value-type="error"'
    )))  # fmt: skip

    theirs = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()

    # The zeros that the person sees, and the error, are lost to it.
    assert theirs[1][:3] in ([6083.0, "x", "#N/A"], [6083.0, "x", ""])
    assert read(data).rows == [[2, ["\x7fn6083\x7fz:00000", "x", "\x7fe#N/A"]]]


def test_style_of_column_or_row_counts_where_the_cell_has_none():
    columns = '<table:table-column table:number-columns-repeated="2"/>'
    columns += '<table:table-column table:default-cell-style-name="ce1" table:number-columns-repeated="2"/>'
    rows = row(number(1), number(2), number(3), number(4, 'table:style-name="ce3"'))
    rows += row(number(5), attributes='table:default-cell-style-name="ce1"')

    assert read(ods(HEAD, rows, columns=columns)).rows == [
        [2, [1, 2, "\x7fn3\x7fz:00000", "\x7fn4\x7fdu"]],
        [3, ["\x7fn5\x7fz:00000"]],
    ]


def test_styles_of_the_whole_document_are_known():
    common = f'<office:document-styles {NAMES}><office:styles><number:number-style style:name="N9">'
    common += '<number:number number:min-integer-digits="3"/></number:number-style>'
    common += '<style:style style:name="Id" style:family="table-cell" style:data-style-name="N9"/>'
    common += "</office:styles></office:document-styles>"
    xml = content(table(HEAD, row(number(7, 'table:style-name="Id"'))))

    assert read(document(xml, **{"styles.xml": common})).rows == [[2, ["\x7fn7\x7fz:000"]]]


def test_repeated_cells_and_rows_stand_in_each_place():
    rows = row(blank(16_384), attributes='table:number-rows-repeated="3"')
    rows += row(number(1, 'table:number-columns-repeated="2"'), attributes='table:number-rows-repeated="2"')
    rows += row(blank(3), number(2)) + row(blank(16_384), attributes='table:number-rows-repeated="1048569"')

    reading = read(ods(HEAD, rows))

    assert reading.rows == [[5, [1, 1]], [6, [1, 1]], [7, [None, None, None, 2]]]
    assert (reading.end.blank_rows, reading.end.last_row) == (3, 7)


def test_places_hidden_rows_merges_and_formulas_are_kept():
    covered = text("hidden").replace("table:table-cell", "table:covered-table-cell")
    rows = row(attributes='table:number-rows-repeated="2"')
    rows += row(blank(2), text("id"), text("n"))
    rows += row(blank(2), text("m", 'table:number-columns-spanned="2"'), covered)
    rows += row(blank(2), number(1), attributes='table:visibility="filter"')
    rows += row(blank(3), formula("", 'office:value-type="float" office:value="2"'), number(9))

    reading = read(ods(rows))

    assert (reading.header.row, reading.header.cells) == (3, [None, None, "id", "n"])
    assert reading.rows == [[4, [None, None, "m"]], [5, [None, None, 1]], [6, [None, None, None, 2]]]
    assert reading.end.format == "ods"
    assert reading.assumed["hidden_rows_read"] == {"count": 1}
    assert reading.assumed["merged_ranges"] == {"count": 1}
    assert reading.assumed["formulas_by_stored_value"] == {"count": 1}
    assert reading.assumed["cells_beyond_header"] == {"count": 1, "first": "E6"}


def test_first_visible_sheet_is_read_and_another_on_demand():
    linked = f"<table:dde-links>{table(HEAD, name='Elsewhere')}</table:dde-links>"
    tables = [table(row(text(name)), row(text(name)), name=name, style=style) for name, style in SHEETS]
    data = document(content(*tables, linked))

    assert (read(data).header.sheet, read(data).rows) == ("Data", [[2, ["Data"]]])
    assert read(data).assumed["sheet_read"]["others"] == ["Old", "Notes"]
    assert read(data, sheet="Notes").rows == [[2, ["Notes"]]]
    assert failure(data, sheet="Absent").code == "no_such_sheet"


SHEETS = (("Old", "ta2"), ("Data", "ta1"), ("Notes", "ta1"))


def test_pretty_printed_content_is_read():
    xml = content(table(HEAD, row(number(1), text("x")))).replace("<table:", "\n   <table:")

    assert read(document(xml)).rows == [[2, [1, "x"]]]


def test_document_without_its_mimetype_first_is_known_by_its_manifest():
    manifest = f'<m:manifest xmlns:m="{NAMES[7:20]}"><m:file-entry m:media-type="{MIMETYPE}"/></m:manifest>'
    xml = content(table(HEAD, row(number(1))))

    assert read(package({"content.xml": xml, "META-INF/manifest.xml": manifest})).rows == [[2, [1]]]


def test_empty_document_is_refused():
    assert failure(ods()).code == "no_rows"
    assert failure(document(content())).code == "no_visible_sheet"
    assert failure(package({"mimetype": MIMETYPE})).code == "damaged_file"
