"""Reads one sheet of an OpenDocument spreadsheet into frames. Its cells carry their type and value, an error
its text and a formula its last result, so they become the same cells that the xlsx reader makes."""

from collections.abc import Iterator
from typing import Any

from . import choosing
from .endings import workbook_end
from .markup import feed, new_parser
from .ods_glances import OdsGlances
from .ods_rows import NAME, STYLE_NAME, TABLE_ELEMENT, OdsRows
from .ods_styles import TABLE, StyleRows, Styles, read_common_styles
from .opening import Looking
from .package import Package
from .sink import Sink
from .wire import FrameWriter, dump
from .workbook import LONGEST_NAME, Sheet, Workbook

CONTENT = "content.xml"
# Tables that other documents gave; they stand behind the sheets.
LINKED_TABLES = TABLE + "dde-links"
MOST_SHEETS = 10_000


def read_ods(package: Package, writer: FrameWriter, looking: Looking) -> dict[str, Any]:
    styles = Styles()
    read_common_styles(package, styles)
    book = _read_book(package, styles)
    glances = OdsGlances(styles=styles, looking=looking, package=package)
    chosen = choosing.choose(book.sheets, looking, lambda sheet: glances.rows(int(sheet.part)))
    writer.sheet = dump(chosen.sheet.name)
    writer.total = package.size(CONTENT)
    sink = Sink(writer, looking, about=chosen.about)
    rows = OdsRows(int(chosen.sheet.part), styles=styles, sink=sink)
    parser = new_parser(part=CONTENT)
    rows.attach(parser)
    feed(parser, _progress(package, writer), part=CONTENT)
    columns = rows.hidden_columns.letters(sink.width)
    return workbook_end("ods", book, chosen, sink, merged=rows.merged, hidden_columns=columns)


def _read_book(package: Package, styles: Styles) -> Workbook:
    """The sheets in order, each with its place as its part; and the styles that stand before them."""
    book = Workbook()
    rows = StyleRows(styles)
    is_open = True

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal is_open
        if name == TABLE_ELEMENT:
            # The styles are over, and most of what follows is cells.
            parser.EndElementHandler = parser.CharacterDataHandler = None
            if is_open and len(book.sheets) < MOST_SHEETS:
                hidden = attributes.get(STYLE_NAME, "") in styles.hidden_tables
                name = attributes.get(NAME, "")[:LONGEST_NAME]
                book.sheets.append(Sheet(name, str(len(book.sheets)), hidden))
        elif name == LINKED_TABLES:
            is_open = False
        elif not book.sheets:
            rows.start(name, attributes)

    parser = new_parser(part=CONTENT)
    rows.attach(parser)
    parser.StartElementHandler = start
    feed(parser, package.blocks(CONTENT), part=CONTENT)
    return book


def _progress(package: Package, writer: FrameWriter) -> Iterator[bytes]:
    writer.done = 0
    for block in package.blocks(CONTENT):
        yield block
        writer.done += len(block)
