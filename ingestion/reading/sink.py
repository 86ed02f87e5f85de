"""Where the rows of a sheet go: the first one that holds a value is the header, the others become frames.
Counts on the way what the verdict must state."""

from .cells import column_index
from .failures import Refused
from .limits import GRID_COLUMNS, GRID_ROWS
from .values import NULL
from .wire import FrameWriter


class Sink:
    """Takes rows in order, each as a list of JSON cells from column A on."""

    def __init__(self, writer: FrameWriter) -> None:
        self.writer = writer
        self.header_row = 0
        self.width = 0
        self.number = 0
        self.last_row = 0
        self.sent = 0
        self.hidden = 0
        self.formulas = 0
        self.beyond = 0
        self.first_beyond = ""

    def next_number(self, digits: bytes | str | None) -> int:
        """The number of the row that begins: its own, or the one after the row before."""
        number = int(digits) if digits else self.number + 1
        if number > GRID_ROWS:
            raise outside_grid(f"row {number}")
        if number <= self.number:
            raise Refused("damaged_file", reason=f"row {number} comes after row {self.number}")
        self.number = number
        return number

    def row(self, number: int, cells: list[bytes], *, hidden: bool) -> None:
        """A row whose cells may all be blank; those beyond the header are left out already."""
        if cells.count(NULL) == len(cells):
            return
        if not self.width:
            self._header(number, cells)
            return
        self.send(number, b"[%d,[%b]]" % (number, b",".join(cells)), width=len(cells), hidden=hidden)

    def send(self, number: int, row: bytes, *, width: int, hidden: bool) -> None:
        """A data row within the width of the header that holds a value."""
        self.last_row = number
        self.sent += 1
        self.hidden += hidden
        self.writer.row(row, cells=width)

    def send_many(self, rows: list[bytes], *, last: int, width: int) -> None:
        """Visible data rows that all hold a value and have `width` cells; the last is row `last`."""
        self.last_row = last
        self.sent += len(rows)
        self.writer.many(rows, cells=width)

    def beyond_header(self, address: str) -> None:
        self.beyond += 1
        self.first_beyond = self.first_beyond or address

    def blank_rows(self) -> int:
        """Rows without a value between the header and the last row that has one."""
        return max(0, self.last_row - self.header_row - self.sent) if self.last_row else 0

    def _header(self, number: int, cells: list[bytes]) -> None:
        while cells[-1] == NULL:
            cells.pop()
        self.header_row = number
        self.width = len(cells)
        self.writer.header(number, cells)


def column_of(letters: str, *, row: int) -> int:
    index = column_index(letters)
    if index >= GRID_COLUMNS:
        raise outside_grid(f"{letters}{row}")
    return index


def outside_grid(cell: str) -> Refused:
    return Refused("outside_grid", cell=cell, rows=GRID_ROWS, columns=GRID_COLUMNS)
