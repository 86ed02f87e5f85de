"""Notes under the data, such as “Source: …” or “Total”: told from rows by a rule that rather keeps a note as
a row, which is then refused and said, than takes a row for a note.

A note stands at the very end, after a blank row, and holds one or two texts that read like words of a person
(several words, a colon, or a word for a total), while every row of the data holds at least three values.
"""

from collections.abc import Iterable, Sequence

from ingestion.reading.cells import MARK, WireCell, decode
from ingestion.reading.loosely import loose
from ingestion.reading.reader import Row

MOST_NOTES = 20
NOTE_CELLS = 2
TOTALS = frozenset(
    ("total", "totals", "sum", "summe", "gesamt", "gesamtsumme", "totale", "totaal", "somme", "suma")
)


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

    def end(self) -> tuple[list[Row], list[Row]]:
        """The data and the notes among the last rows."""
        start = len(self.held)
        while start and _is_note(self.held[start - 1]):
            start -= 1
        while start < len(self.held) and not self._follows_blank_row(start):
            start += 1
        data, notes = self.held[:start], self.held[start:]
        self._look(data)
        if self.has_sparse_rows or not self.last:
            return self.held, []
        return data, notes

    def _look(self, rows: Sequence[Row]) -> None:
        if rows:
            self.last = rows[-1][0]
        if not self.has_sparse_rows:
            self.has_sparse_rows = any(len(row[1]) - row[1].count(None) <= NOTE_CELLS for row in rows)

    def _follows_blank_row(self, place: int) -> bool:
        before = self.held[place - 1][0] if place else self.last
        return bool(before) and self.held[place][0] > before + 1


def described(notes: Iterable[Row]) -> list[str]:
    return [f"row {row[0]}: " + " ".join(_texts(row[1])) for row in notes]


def _is_note(row: Row) -> bool:
    filled = [cell for cell in row[1] if cell is not None]
    if len(filled) > NOTE_CELLS or not all(map(_is_words, filled)):
        return False
    return any(_reads_like_a_note(text) for text in _texts(filled))


def _is_words(cell: WireCell) -> bool:
    return isinstance(cell, str) and not cell.startswith(MARK) and any(map(str.isalpha, cell))


def _reads_like_a_note(text: str) -> bool:
    return ":" in text or len(text.split()) > 1 or loose(text) in TOTALS


def _texts(cells: Iterable[WireCell]) -> list[str]:
    return [decode(cell).raw.strip() for cell in cells if cell is not None]
