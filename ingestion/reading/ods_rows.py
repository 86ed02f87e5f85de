"""The rows of one table of an OpenDocument spreadsheet, by expat."""

from collections.abc import Callable
from xml.parsers import expat

from .failures import Refused
from .hidden_columns import HiddenColumns
from .limits import CELL_CHARACTERS, GRID_COLUMNS, GRID_ROWS, SENT_CELLS
from .ods_cells import COVERED, FORMULA, OFFICE, TEXT, VALUE_TYPE, CellMaker
from .ods_styles import TABLE, Styles
from .rows import RowOfCells
from .sink import Sink, outside_grid

NAME, STYLE_NAME = TABLE + "name", TABLE + "style-name"
TABLE_ELEMENT = TABLE + "table"
DEFAULT_STYLE = TABLE + "default-cell-style-name"
COLUMNS_REPEATED, ROWS_REPEATED = TABLE + "number-columns-repeated", TABLE + "number-rows-repeated"
VISIBILITY = TABLE + "visibility"
PARAGRAPHS = (TEXT + "p", TEXT + "h")
# Notes, pictures and the reading of a word stand inside a cell, but are not its text.
BESIDE_TEXT = frozenset(
    (OFFICE + "annotation", TABLE + "shapes", TEXT + "ruby-text", TEXT + "note", TABLE_ELEMENT)
)
DRAWING = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0 "
SPACES = {TEXT + "tab": "\t", TEXT + "line-break": "\n"}


class OdsRows:
    def __init__(self, place: int, *, styles: Styles, sink: Sink) -> None:
        self.place = place
        self.sink = sink
        self.row = RowOfCells(sink)
        self.maker = CellMaker(styles)
        self.merged = 0
        self.tables = -1
        self.in_table = False
        self.column_styles: list[tuple[int, str]] = []
        self.hidden_columns = HiddenColumns()
        self.last_row = 0
        self.beside = 0
        self.in_cell = False
        self.in_paragraph = False
        self.starts: dict[str, Callable[[dict[str, str]], None]] = {
            TABLE + "table-column": self._column,
            TABLE + "table-row": self._start_row,
            TABLE + "table-cell": self._start_cell,
            COVERED: self._start_covered,
        }

    def attach(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        # Counted wherever it stands, as the list of the sheets is made.
        self.tables += name == TABLE_ELEMENT
        if self.beside:
            self.beside += 1
        elif self.in_cell:
            self._start_content(name, attributes)
        elif name == TABLE_ELEMENT:
            self.in_table = self.tables == self.place
        elif self.in_table and name in self.starts:
            self.starts[name](attributes)

    def end(self, name: str) -> None:
        if self.beside:
            self.beside -= 1
            self._listen()
        elif self.in_cell:
            if name in PARAGRAPHS:
                self.in_paragraph = False
                self._listen()
            elif name in (TABLE + "table-cell", COVERED):
                self._end_cell()
        elif self.in_table:
            if name == TABLE + "table-row":
                self._end_row()
            elif name == TABLE_ELEMENT:
                self.in_table = False

    def characters(self, data: str) -> None:
        self.length += len(data)
        if self.length > CELL_CHARACTERS:
            raise Refused("file_exceeds_limits", limit="the length of a cell's text")
        self.paragraphs[-1].append(data)

    def _listen(self) -> None:
        """Characters are only wanted inside a paragraph; between the elements they are indentation."""
        wanted = self.in_paragraph and not self.beside
        self.parser.CharacterDataHandler = self.characters if wanted else None

    def _column(self, attributes: dict[str, str]) -> None:
        after = self.column_styles[-1][0] if self.column_styles else 0
        if len(self.column_styles) < GRID_ROWS:
            first = after
            after += count(attributes.get(COLUMNS_REPEATED))
            if attributes.get(VISIBILITY, "visible") != "visible":
                self.hidden_columns.add(first, after - 1)
            self.column_styles.append((after, attributes.get(DEFAULT_STYLE, "")))

    def _start_row(self, attributes: dict[str, str]) -> None:
        self.times = count(attributes.get(ROWS_REPEATED))
        self.hidden = attributes.get(VISIBILITY, "visible") != "visible"
        self.row_style = attributes.get(DEFAULT_STYLE, "")
        self.cells: list[tuple[int, bytes, int]] = []
        self.formulas = 0
        self.column = 0

    def _end_row(self) -> None:
        first = self.last_row + 1
        self.last_row += self.times
        if not self.cells:
            return
        if self.last_row > GRID_ROWS:
            raise outside_grid(f"row {self.last_row}")
        column, _, times = self.cells[-1]
        if self.times * min(column + times, self.sink.width or GRID_COLUMNS) > SENT_CELLS:
            raise Refused("file_exceeds_limits", limit="the number of cells", most=SENT_CELLS)
        self.sink.formulas += self.formulas * self.times
        for number in range(first, self.last_row + 1):
            self.row.begin(number, hidden=self.hidden)
            for column, fragment, times in self.cells:
                self.row.put(column, fragment, times=times)
            self.row.end()

    def _start_covered(self, attributes: dict[str, str]) -> None:
        """A cell under a merged one: what it may still hold nobody sees."""
        self._start_cell({COLUMNS_REPEATED: attributes.get(COLUMNS_REPEATED, "1")})
        self.is_covered = True

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self.in_cell = True
        self.is_covered = False
        self.attributes = attributes
        self.paragraphs: list[list[str]] = []
        self.length = 0
        if TABLE + "number-columns-spanned" in attributes or TABLE + "number-rows-spanned" in attributes:
            spans = (
                count(attributes.get(TABLE + f"number-{way}-spanned")) > 1 for way in ("columns", "rows")
            )
            self.merged += any(spans)

    def _start_content(self, name: str, attributes: dict[str, str]) -> None:
        if name in BESIDE_TEXT or name.startswith(DRAWING):
            self.beside = 1
            self._listen()
        elif name in PARAGRAPHS:
            self.in_paragraph = True
            self.paragraphs.append([])
            self._listen()
        elif self.in_paragraph and name == TEXT + "s":
            # Not to be mistaken for the white space that is collapsed.
            self.characters("\x00" * count(attributes.get(TEXT + "c"), most=CELL_CHARACTERS))
        elif self.in_paragraph and name in SPACES:
            self.paragraphs[-1].append("\x01" if name.endswith("tab") else "\x02")

    def _end_cell(self) -> None:
        self.in_cell = self.in_paragraph = False
        self._listen()
        attributes, column = self.attributes, self.column
        times = count(attributes.get(COLUMNS_REPEATED))
        self.column += times
        if self.is_covered or not (self.paragraphs or VALUE_TYPE in attributes or FORMULA in attributes):
            return
        made = self.maker.cell(attributes, self.paragraphs, lambda: self._inherited_style(column))
        if made is not None:
            self.cells.append((column, made, times))
            self.formulas += times * (FORMULA in attributes)

    def _inherited_style(self, column: int) -> str:
        """The style of a cell that names none."""
        if self.row_style:
            return self.row_style
        return next((style for after, style in self.column_styles if column < after), "")


def count(digits: str | None, *, most: int = 10**9) -> int:
    """How often something is repeated; absent and 0 mean once."""
    if digits is None:
        return 1
    if not (digits.isdecimal() and len(digits) < 12):
        raise Refused("damaged_file", reason=f"something is repeated “{digits[:20]}” times")
    return min(int(digits), most) or 1
