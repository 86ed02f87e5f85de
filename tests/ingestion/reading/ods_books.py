"""Content of OpenDocument spreadsheets, written as LibreOffice and Excel write it."""

from tests.ingestion.reading.books import package

URN = "urn:oasis:names:tc:opendocument:xmlns:"
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
NAMES = " ".join(
    f'xmlns:{prefix}="{URN}{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"),
        ("number", "datastyle"), ("draw", "drawing"),
    )
) + ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'  # fmt: skip
MANIFEST = f'<manifest:manifest xmlns:manifest="{URN}manifest:1.0"/>'
# ce1: 00000, ce2: date with time, ce3: elapsed time, ce4: 000-00-0000, ce5: date, ta2: hidden
STYLES = """
<number:number-style style:name="N1"><number:number number:decimal-places="0" number:min-integer-digits="5"/>
</number:number-style>
<number:date-style style:name="N2"><number:year/><number:text>-</number:text><number:month/><number:day/>
<number:text> </number:text><number:hours/><number:minutes/></number:date-style>
<number:time-style style:name="N3" number:truncate-on-overflow="false"><number:hours/></number:time-style>
<number:currency-style style:name="N4"><number:number number:decimal-places="2"/>
<number:currency-symbol>CHF</number:currency-symbol></number:currency-style>
<number:date-style style:name="N5"><number:day/><number:month/><number:year/></number:date-style>
<style:style style:name="ce1" style:family="table-cell" style:data-style-name="N1"/>
<style:style style:name="ce2" style:family="table-cell" style:data-style-name="N2"/>
<style:style style:name="ce3" style:family="table-cell" style:data-style-name="N3"/>
<style:style style:name="ce4" style:family="table-cell" style:data-style-name="N4"/>
<style:style style:name="ce5" style:family="table-cell" style:data-style-name="N5"/>
<style:style style:name="ce6" style:family="table-cell" style:parent-style-name="ce1"/>
<style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/>
</style:style>
<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/>
</style:style>
"""


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def text(value: str, attributes: str = "") -> str:
    start = f'<table:table-cell office:value-type="string" {attributes}>'
    return f"{start}<text:p>{value}</text:p></table:table-cell>"


def number(value: float | str, attributes: str = "") -> str:
    return f'<table:table-cell office:value-type="float" office:value="{value}" {attributes}/>'


def blank(times: int) -> str:
    return f'<table:table-cell table:number-columns-repeated="{times}"/>'


def table(*rows: str, name: str = "Data", style: str = "ta1", columns: str = "") -> str:
    return (
        f'<table:table table:name="{name}" table:style-name="{style}">{columns}{"".join(rows)}</table:table>'
    )


def content(*tables: str, doctype: str = "", styles: str = STYLES) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{doctype}<office:document-content {NAMES}>'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:spreadsheet>"
        f"{''.join(tables)}</office:spreadsheet></office:body></office:document-content>"
    )


def ods(*rows: str, **options) -> bytes:
    return document(content(table(*rows, **options)))


def document(content_xml: str, **more: str) -> bytes:
    parts = {"mimetype": MIMETYPE, "content.xml": content_xml, "META-INF/manifest.xml": MANIFEST, **more}
    return package(parts, compression=0)
