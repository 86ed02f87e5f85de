"""The first rows of a sheet, held back until it is decided which of them holds the headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .cells import MARK, WireCell, column_index
from .failures import Refused
from .limits import GRID_COLUMNS
from .looking import LOOK_ROWS, FirstRow, Found, Names, find_header, said_header, shown
from .loosely import comparable

# Rows of eight million characters are allowed; sixty of them are not held back.
HELD_BYTES = 4_000_000
PREVIEW_ROWS = 30
PREVIEW_COLUMNS = 50
PREVIEW_CHARACTERS = 120
MOST_NAMED = 20
LETTERS = re.compile("[A-Za-z]{1,3}").fullmatch


@dataclass(frozen=True, slots=True)
class Looking:
    """How the data are to be found: what was said, and the names of the fields, loosely spelt.

    `names` None: the first row that holds a value is the header; empty: the row that looks most like one.
    `letters` are columns that a mapping names, which count although nothing may stand over them.
    """

    names: Names | None = None
    sheet: str | None = None
    usual_sheet: str = ""
    header_row: int = 0
    header_rows: int = 0
    letters: Sequence[str] = ()

    @classmethod
    def of(cls, options: dict[str, Any]) -> "Looking":
        expected = options.get("expected")
        names: dict[str, int] | None = None if expected is None else {}
        for place, spellings in enumerate(expected or ()):
            for name in spellings:
                assert names is not None  # noqa: S101
                names.setdefault(comparable(name), place)
        return cls(
            names=names,
            sheet=options.get("sheet"),
            usual_sheet=options.get("usual_sheet", ""),
            header_row=options.get("header_row", 0),
            header_rows=options.get("header_rows", 0),
            letters=options.get("letters", ()),
        )


class Held(NamedTuple):
    """A row as it came: its cells, and whatever the caller wants back with it."""

    number: int
    cells: Sequence[WireCell]
    given: Any


@dataclass
class Opening:
    """`add` rows that hold a value until it says that they are enough, then `decide` once."""

    looking: Looking
    first: list[FirstRow] = field(default_factory=list)
    rows: list[Held] = field(default_factory=list)
    size: int = 0
    last: int = 0
    number: int = 0  # of the (upper) heading row
    above: list[int] = field(default_factory=list)
    found: Found | None = None

    def add(self, number: int, cells: Sequence[WireCell], given: Any, *, size: int) -> bool:
        self.last = number
        if len(self.first) < PREVIEW_ROWS:
            self.first.append(FirstRow(number, [preview(cell) for cell in cells[:PREVIEW_COLUMNS]]))
        if number >= self.looking.header_row:
            self.rows.append(Held(number, cells, given))
            self.size += size
        if self.looking.names is None and not self.looking.header_row:
            return True
        return len(self.rows) >= LOOK_ROWS or self.size > HELD_BYTES

    def decide(self) -> list[Held]:
        """The rows below the header, to be taken as data. Refuses a row that was named and is not there."""
        looking, rows = self.looking, [FirstRow(row.number, row.cells) for row in self.rows]
        if looking.header_row:
            found = None
            if rows and rows[0].number == looking.header_row:
                found = said_header(rows, looking.names or {}, depth=looking.header_rows)
            if found is None:
                row = looking.header_row + (1 if rows and rows[0].number == looking.header_row else 0)
                raise Refused("no_such_header_row", row=row, last=self.last)
        elif looking.names is None:
            found = Found(0, 1, list(rows[0].cells), 0, True)
        else:
            found = find_header(rows, looking.names, depth=looking.header_rows)
        self.found = found
        self.number = self.rows[found.at].number
        passed = self.first if looking.header_row else self.rows[: found.at]
        self.above = [row.number for row in passed if row.number < self.number]
        data, self.rows = self.rows[found.at + found.depth :], []
        return data

    def headings(self) -> list[WireCell]:
        """To the last one, or to the last column that was named by its letters."""
        assert self.found is not None  # noqa: S101
        cells = list(self.found.cells)
        while cells and cells[-1] is None:
            cells.pop()
        known = {shown(cell) for cell in cells}
        for letters in self.looking.letters:
            if letters not in known and LETTERS(letters):
                place = column_index(letters.upper())
                if place < GRID_COLUMNS:
                    cells.extend([None] * (place + 1 - len(cells)))
        return cells

    def assumptions(self) -> list[list[Any]]:
        """Code and detail of what was decided here, for the verdict."""
        told = self.told()
        why = {"reason": f"header_{self._reason()}", "score": told["score"]}
        found: list[list[Any]] = [["header_row", {"row": self.number, **why}]]
        if told["depth"] == 2:
            found = [["header_rows", {"row": self.number, "last": self.number + 1, **why}]]
        if told["above"]:
            rows = told["above"]
            found.append(["rows_above_left_out", {"count": len(rows), "rows": rows[:MOST_NAMED]}])
        return found

    def _reason(self) -> str:
        if self.looking.header_row:
            return "said"
        if self.looking.names is None:
            return "first"
        return "names" if self.found and self.found.score else "look"

    def told(self) -> dict[str, Any]:
        """What the parent is told of it, beside the headings."""
        assert self.found is not None  # noqa: S101
        return {
            "depth": self.found.depth,
            "score": self.found.score,
            "sure": self.found.sure,
            "said": bool(self.looking.header_row),
            "above": self.above,
            "rows": self.first,
        }


def preview(cell: WireCell) -> WireCell:
    """Short enough to be shown; what is marked is short by itself, long texts apart."""
    if not isinstance(cell, str) or len(cell) <= PREVIEW_CHARACTERS:
        return cell
    return cell[:PREVIEW_CHARACTERS] if cell[0] != MARK or cell[1:2] in "sed" else cell
