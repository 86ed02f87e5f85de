"""What stands in one column of the sample: its distinct cells, how often, and where first."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ingestion.checking import texts
from ingestion.checking.fields import build_field
from ingestion.checking.locales import Locale
from ingestion.checking.shown import cell_text
from ingestion.reading.cells import Cell, WireCell, decode
from ingestion.reading.reader import Row


@dataclass(slots=True)
class Seen:
    """`cells` and `first` know each cell that is not blank: how often it is there, and in which row first.
    `faulty` are cells that no type takes, such as error values, with the code of their fault."""

    place: int
    heading: str
    cells: dict[WireCell, int] = field(default_factory=dict)
    first: dict[WireCell, int] = field(default_factory=dict)
    faulty: dict[WireCell, str] = field(default_factory=dict)
    blanks: int = 0

    @property
    def values(self) -> int:
        return sum(self.cells.values())

    def without(self, tokens: Iterable[str]) -> "Seen":
        """The same column, as if texts that are one of the tokens were blank."""
        gone = set(tokens)
        kept = {cell: count for cell, count in self.cells.items() if _token(cell) not in gone}
        blanks = self.blanks + self.values - sum(kept.values())
        return Seen(self.place, self.heading, kept, self.first, self.faulty, blanks)

    def texts(self) -> list[str]:
        """The distinct texts, without outer spaces."""
        return [taken.raw.strip() for taken in self.decoded() if taken.type == "s"]

    def decoded(self) -> Iterator[Cell]:
        return map(decode, self.cells)


def look(place: int, heading: str, rows: Iterable[Row]) -> Seen:
    found = Seen(place, heading)
    plain = build_field({"name": "x", "type": "string"})
    for row in rows:
        cell: WireCell = row[1][place] if place < len(row[1]) else None
        if is_blank(cell):
            found.blanks += 1
        elif cell in found.cells:
            found.cells[cell] += 1
        elif cell not in found.faulty:
            faults = plain.faults(cell)
            found.first[cell] = row[0]
            if faults:
                found.faulty[cell] = faults[0][0]
            else:
                found.cells[cell] = 1
    return found


def is_blank(cell: WireCell) -> bool:
    return cell is None or (isinstance(cell, str) and texts.is_blank(cell))


def takes(field: dict[str, Any], seen: Seen, locale: Locale) -> bool:
    """Would a field of this kind take every cell?"""
    column = build_field({"name": "x", **field}, locale=locale)
    return all(column.get(cell) is not None for cell in seen.cells)


def refused(field: dict[str, Any], seen: Seen, locale: Locale) -> list[WireCell]:
    column = build_field({"name": "x", **field}, locale=locale)
    return [cell for cell in seen.cells if column.get(cell) is None]


def shown(cell: WireCell) -> str:
    return texts.shown(cell_text(cell), most=80)


def _token(cell: WireCell) -> str | None:
    taken = decode(cell)
    return taken.raw.strip() if taken.type == "s" else None
