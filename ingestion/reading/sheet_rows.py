"""The rows of a worksheet by expat: what the fast way does not cover, and the last word on what is valid."""

from xml.parsers import expat

from .cells import column_letters
from .failures import Refused
from .hidden_columns import HiddenColumns
from .limits import BARREN_ELEMENTS, CELL_CHARACTERS, GRID_COLUMNS
from .markup import barren, local
from .sink import Sink, column_of, outside_grid
from .text import NeedsCare
from .values import NOT_CALCULATED, NULL, Values, plain_text_fragment

TEXT_TYPES = ("inlineStr", "str")


class SheetRows:
    """Handlers that follow one row, one cell and the text inside it."""

    def __init__(self, part: str, *, values: Values, sink: Sink, after: int = 0) -> None:
        self.part = part
        self.values = values
        self.sink = sink
        # Rows up to this one were read the fast way before.
        self.after = after
        self.merged = 0
        self.passed = 0  # elements that are no rows, cells or parts of these
        self.hidden_columns = HiddenColumns()
        self.in_data = False
        self.row = 0
        self.last = 0
        self.hidden = False
        self.cells: list[bytes] = []
        self.column = -1
        self.in_cell = False
        self.spoken = 0
        self.collect = False
        self.text: list[str] = []
        self.length = 0

    def attach(self, parser: expat.XMLParserType) -> None:
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = local(name)
        if ":" in element:
            # Only in a single row, which is parsed without the namespaces declared around it.
            raise NeedsCare
        if element == "sheetData":
            self.in_data = True
        elif element == "mergeCell":
            self.merged += 1
        elif not self.in_data:
            self._pass()
            if element == "col" and attributes.get("hidden") in ("1", "true"):
                self._hidden_column(attributes)
        elif element == "row":
            self._start_row(attributes)
        elif element == "c":
            self._start_cell(attributes)
        elif self.in_cell:
            self._start_content(element)
        else:
            self._pass()

    def end(self, name: str) -> None:
        element = local(name)
        if element == "sheetData":
            self.in_data = False
        elif not self.in_data:
            return
        elif element == "row":
            if self.row > self.after:
                self.sink.row(self.row, self.cells, hidden=self.hidden)
        elif element == "c" and self.in_cell:
            self._end_cell()
        elif self.collect and element in ("v", "t"):
            self.collect = False
        elif element == "rPh":
            self.spoken -= 1

    def characters(self, data: str) -> None:
        if self.collect:
            self.length += len(data)
            if self.length > CELL_CHARACTERS:
                raise Refused("file_exceeds_limits", limit="the length of a cell's text")
            self.text.append(data)

    def _pass(self) -> None:
        self.passed += 1
        if self.passed > BARREN_ELEMENTS:
            raise barren(self.part)

    def _hidden_column(self, attributes: dict[str, str]) -> None:
        first, last = attributes.get("min", ""), attributes.get("max", "")
        if first.isdecimal() and last.isdecimal():
            self.hidden_columns.add(int(first[:6]) - 1, int(last[:6]) - 1)

    def _start_row(self, attributes: dict[str, str]) -> None:
        digits = attributes.get("r")
        if digits is not None and not (digits.isdecimal() and len(digits) < 10):
            raise Refused("damaged_file", reason=f"a row has the number “{digits[:20]}”")
        self.row = int(digits) if digits else self.last + 1
        self.hidden = attributes.get("hidden") in ("1", "true")
        self.cells = []
        self.column = -1
        self.in_cell = False
        if self.row > self.after:
            self.row = self.sink.next_number(digits)
        self.last = self.row

    def _start_cell(self, attributes: dict[str, str]) -> None:
        reference = attributes.get("r")
        self.in_cell = True
        self.text, self.length, self.spoken, self.collect = [], 0, 0, False
        self.has_value = self.has_inline = self.has_formula = False
        self.type, self.style = attributes.get("t", "n"), attributes.get("s", "0")
        if reference:
            letters = reference.rstrip("0123456789")
            if not (letters.isascii() and letters.isupper() and letters.isalpha() and len(letters) < 5):
                raise Refused("damaged_file", reason=f"a cell has the address “{reference[:20]}”")
            if reference[len(letters) :] != str(self.row):
                raise Refused("damaged_file", reason=f"cell {reference[:20]} stands in row {self.row}")
            column = column_of(letters, row=self.row)
        else:
            column = self.column + 1
        if column <= self.column:
            raise Refused("damaged_file", reason=f"the cells of row {self.row} are not in order")
        if column >= GRID_COLUMNS:
            raise outside_grid(f"row {self.row}, column {column + 1}")
        self.column = column

    def _start_content(self, element: str) -> None:
        if element == "v":
            # Some writers give an inline string a <v> as well; the inline text counts.
            self.has_value = self.collect = not self.has_inline
        elif element == "is":
            self.has_inline = True
            self.text, self.length = [], 0
        elif element == "f":
            self.has_formula = True
        elif element == "rPh":
            self.spoken += 1
        elif element == "t":
            self.collect = self.has_inline and not self.spoken
        else:
            self._pass()

    def _end_cell(self) -> None:
        self.in_cell = False
        if self.row <= self.after:
            return
        value = "".join(self.text)
        self.sink.formulas += self.has_formula
        if not value and not self.has_formula:
            return
        if self.sink.width and self.column >= self.sink.width:
            self.sink.beyond_header(f"{column_letters(self.column)}{self.row}")
            return
        self.cells.extend([NULL] * (self.column - len(self.cells)))
        self.cells.append(self._fragment(value))

    def _fragment(self, value: str) -> bytes:
        if not value:
            return NULL if self.type == "str" else NOT_CALCULATED
        if self.has_inline or self.type in TEXT_TYPES:
            return plain_text_fragment(value)
        style = self.style.encode() if self.style.isdecimal() else b"0"
        try:
            return self.values.converter(self.type.encode(), style)(value.encode())
        except NeedsCare as error:
            # The value is unescaped already: an ampersand in it is one.
            raise Refused("damaged_file", reason=f"a number is written as “{value[:40]}”") from error
