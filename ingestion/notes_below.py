"""What stands below the data: notes, such as “Source: …”, and rows of totals.

A note is told from a row by a rule that rather keeps a note as a row, which is then refused and said, than
takes a row for a note: it stands at the very end, after a blank row, and holds one or two texts that read
like words of a person (several words, a colon, or a label of a total), while every row of the data holds at
least three values.

What looks like a total is only found here; whether it is one is decided in `ingestion.totals_below`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ingestion import total_words
from ingestion.checking import texts
from ingestion.checking.shown import cell_text
from ingestion.reading.cells import DATE, DATETIME, MARK, TIME, WireCell, decode
from ingestion.reading.reader import Row

MOST_NOTES = 20
NOTE_CELLS = 2
# A number with what may stand beside it in text: a sign, a currency, a unit. Or a dash for none.
NUMBER = re.compile(r"[^\d\w]{0,4}(?:[A-Za-z]{3}\s*)?\d[\d.,'’ \u00a0\u202f]*\D{0,12}").fullmatch
NOTHING = frozenset("-–—")


class Ending(NamedTuple):
    """The last rows: `data`, then what looks like totals, and other rows among these; notes."""

    data: list[Row]
    totals: list[Row]
    others: list[Row]
    notes: list[Row]


class Tail:
    """Keeps the last rows back until it is known that they are the last."""

    def __init__(self, *, width: int) -> None:
        self.held: list[Row] = []
        self.last = 0
        # In a narrow table notes cannot be told from rows.
        self.has_sparse_rows = width <= NOTE_CELLS

    def pass_on(self, rows: list[Row]) -> list[Row]:
        """The rows before the last ones, in order."""
        rows = self.held + rows
        passed, self.held = rows[:-MOST_NOTES], rows[-MOST_NOTES:]
        self._look(passed)
        return passed

    def end(self) -> Ending:
        """The last rows, each as what it is."""
        first = self._first_below()
        data, below = self.held[:first], self.held[first:]
        self._look(data)
        notes = self._notes()
        rest = below[: len(below) - len(notes)]
        totals = [row for row in rest if looks_like_a_total(row)]
        others = [row for row in rest if not looks_like_a_total(row)]
        self._look(others)
        if self.has_sparse_rows or not self.last:
            totals += [row for row in notes if looks_like_a_total(row)]
            others += [row for row in notes if not looks_like_a_total(row)]
            notes = []
        return Ending(data, totals, others, notes)

    def _first_below(self) -> int:
        """Where the totals and notes at the end begin."""
        start = len(self.held)
        while start and (_is_note(self.held[start - 1]) or looks_like_a_total(self.held[start - 1])):
            start -= 1
        return start

    def _notes(self) -> list[Row]:
        start = len(self.held)
        while start and _is_note(self.held[start - 1]):
            start -= 1
        while start < len(self.held) and not self._follows_blank_row(start):
            start += 1
        return self.held[start:]

    def _look(self, rows: Sequence[Row]) -> None:
        if rows:
            self.last = rows[-1][0]
        if not self.has_sparse_rows:
            self.has_sparse_rows = any(len(row[1]) - row[1].count(None) <= NOTE_CELLS for row in rows)

    def _follows_blank_row(self, place: int) -> bool:
        before = self.held[place - 1][0] if place else self.last
        return bool(before) and self.held[place][0] > before + 1


def looks_like_a_total(row: Row) -> bool:
    """A label of a total comes first, and all else are numbers."""
    filled = [cell for cell in row[1] if not _is_blank(cell)]
    if not filled or not _is_text(filled[0]) or not total_words.is_label(decode(filled[0]).raw):
        return False
    return all(map(_is_number, filled[1:]))


def described(rows: Iterable[Row]) -> list[str]:
    return [f"row {row[0]}: " + " ".join(_texts(row[1])) for row in rows]


def _is_note(row: Row) -> bool:
    filled = [cell for cell in row[1] if cell is not None]
    if len(filled) > NOTE_CELLS or not all(map(_is_words, filled)):
        return False
    return any(_reads_like_a_note(text) for text in _texts(filled))


def _is_words(cell: WireCell) -> bool:
    return isinstance(cell, str) and not cell.startswith(MARK) and any(map(str.isalpha, cell))


def _reads_like_a_note(text: str) -> bool:
    return ":" in text or len(text.split()) > 1 or total_words.is_label(text)


def _texts(cells: Iterable[WireCell]) -> list[str]:
    return [cell_text(cell).strip() for cell in cells if not _is_blank(cell)]


def _is_blank(cell: WireCell) -> bool:
    return cell is None or (isinstance(cell, str) and texts.is_blank(cell))


def _is_text(cell: WireCell) -> bool:
    return isinstance(cell, str) and decode(cell).type == "s"


def _is_number(cell: WireCell) -> bool:
    """Also one that could not be calculated: its cell holds a formula."""
    taken = decode(cell)
    if taken.type == "s":
        text = taken.raw.strip()
        return text in NOTHING or NUMBER(text) is not None
    return taken.type in ("n", "f", "e") and taken.format not in (DATE, DATETIME, TIME)
