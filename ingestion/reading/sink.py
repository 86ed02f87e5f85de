"""Where the rows of a sheet go: the first ones are held back until the header is found among them, then they
and the others become frames. Counts on the way what the verdict must state."""

import json
from typing import Any

from .cells import column_index, column_letters
from .failures import Refused
from .limits import GRID_COLUMNS, GRID_ROWS
from .opening import Looking, Opening
from .values import NULL
from .wire import FrameWriter, dump


class Sink:
    """Takes rows in order, each as a list of JSON cells from column A on; `end` comes after the last.

    `width` is 0 until the header is found. `about` is told to the parent with the header.
    """

    def __init__(
        self, writer: FrameWriter, looking: Looking | None = None, *, about: dict[str, Any] | None = None
    ) -> None:
        self.writer = writer
        self.opening = Opening(looking or Looking())
        self.about = about or {}
        self.header_row = 0
        self.header_end = 0
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
            self._hold_back(number, cells, hidden=hidden)
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
        return max(0, self.last_row - self.header_end - self.sent) if self.last_row else 0

    def end(self) -> None:
        """After the last row. Refuses a header row that was named and is not there."""
        if not self.width and (self.opening.rows or self.opening.looking.header_row):
            self._decide()

    def _hold_back(self, number: int, cells: list[bytes], *, hidden: bool) -> None:
        joined = b"[" + b",".join(cells) + b"]"
        if self.opening.add(number, json.loads(joined), (cells, hidden), size=len(joined)):
            self._decide()

    def _decide(self) -> None:
        rows = self.opening.decide()
        headings = self.opening.headings()
        self.header_row, self.width = self.opening.number, len(headings)
        told = self.opening.told()
        self.header_end = self.header_row + told["depth"] - 1
        self.writer.header(self.header_row, list(map(dump, headings)), told | self.about)
        for number, _, (cells, hidden) in rows:
            for place in range(self.width, len(cells)):
                if cells[place] != NULL:
                    self.beyond_header(f"{column_letters(place)}{number}")
            self.row(number, cells[: self.width], hidden=hidden)


def column_of(letters: str, *, row: int) -> int:
    index = column_index(letters)
    if index >= GRID_COLUMNS:
        raise outside_grid(f"{letters}{row}")
    return index


def outside_grid(cell: str) -> Refused:
    return Refused("outside_grid", cell=cell, rows=GRID_ROWS, columns=GRID_COLUMNS)
