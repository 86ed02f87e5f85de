"""The row that is being read, for formats that give their cells one by one."""

from .cells import column_letters
from .failures import Refused
from .limits import GRID_COLUMNS
from .sink import Sink, outside_grid
from .values import NULL


class RowOfCells:
    """Takes cells from left to right and hands whole rows to the sink."""

    def __init__(self, sink: Sink) -> None:
        self.sink = sink
        self.number = 0
        self.hidden = False
        self.cells: list[bytes] = []

    def begin(self, number: int, *, hidden: bool) -> None:
        """Rows are numbered from 1 and come in order."""
        self.end()
        self.number = self.sink.next_number(str(number))
        self.hidden = hidden
        self.cells = []

    def put(self, column: int, fragment: bytes, *, times: int = 1) -> None:
        """A value in this column, from 0, and in the next ones when it stands there several times."""
        cells = self.cells
        if column < len(cells):
            raise Refused("damaged_file", reason=f"the cells of row {self.number} are not in order")
        if column + times > GRID_COLUMNS:
            raise outside_grid(f"row {self.number}, column {column + times}")
        width = self.sink.width
        if width and column + times > width:
            self._leave_out(max(column, width), column + times)
            times = width - column
            if times <= 0:
                return
        if column > len(cells):
            cells.extend([NULL] * (column - len(cells)))
        if times == 1:
            cells.append(fragment)
        else:
            cells.extend([fragment] * times)

    def end(self) -> None:
        if self.number:
            self.sink.row(self.number, self.cells, hidden=self.hidden)
            self.number = 0

    def _leave_out(self, first: int, after: int) -> None:
        self.sink.beyond_header(f"{column_letters(first)}{self.number}")
        self.sink.beyond += after - first - 1
