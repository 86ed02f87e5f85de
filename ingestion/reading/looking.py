"""Finds the heading row among the first rows of a sheet. Pure: rows in, a finding out, nothing is read here.

The row that has our own heading of rows to mend is the header; else the one with the most names of fields,
the first of equals. Where a column's heading stands in
two rows (a group above, its parts below), both count together: as “group part”, or as the part alone where
only that is a field's name. Without any known name, the row that looks like headings is a guess.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .cells import MARK, WireCell, decode
from .loosely import comparable
from .marks import names_an_upload

LOOK_ROWS = 60
# So many known names in one row are no coincidence, however wide it is.
SURE_MATCHES = 3
LONGEST_HEADING = 120
ROWS_BELOW = 10

Names = Mapping[str, int]  # loose form of a name: the field it belongs to


class FirstRow(NamedTuple):
    number: int
    cells: Sequence[WireCell]


@dataclass(frozen=True, slots=True)
class Found:
    """`at` is the place of the (upper) heading row among the rows given, `score` how many fields it names."""

    at: int
    depth: int
    cells: list[WireCell]
    score: int
    sure: bool


def find_header(rows: Sequence[FirstRow], names: Names, *, depth: int = 0) -> Found:
    """The heading row of the sheet, of which `rows` are the first that hold a value; at least one. `depth` is
    1 or 2 where it was said in how many rows a heading stands."""
    for at, row in enumerate(rows):
        if any(names_an_upload(shown(cell)) for cell in row.cells):
            return Found(at, 1, list(row.cells), _beyond_all(names), True)
    usual = _usual_width(rows)

    def rank(found: Found) -> tuple[int, bool, int]:
        return found.score, _covers(found.cells, usual), -found.at

    best = max((_single(rows, at, names, usual) for at in range(len(rows))), key=rank)
    doubles = [_double(rows, at, names, usual) for at in range(len(rows) - 1)] if depth != 1 else []
    double = max(filter(None, doubles), key=rank, default=None)
    if double is not None and (depth == 2 or double.score > best.score):
        best = double
    if best.score:
        return best
    at, sure = _by_look(rows, usual)
    cells = _double_by_look(rows[at : at + 2 + ROWS_BELOW], usual) if depth != 1 else None
    return Found(at, 2, cells, 0, True) if cells else Found(at, 1, list(rows[at].cells), 0, sure)


def said_header(rows: Sequence[FirstRow], names: Names, *, depth: int) -> Found | None:
    """The heading that a person named, which is the first of `rows`; None: it has no second row."""
    if depth != 2:
        cells = list(rows[0].cells)
        return Found(0, 1, cells, len(_matched(cells, names)), True)
    if len(rows) < 2 or rows[1].number != rows[0].number + 1:
        return None
    cells = joined(rows[0].cells, rows[1].cells, names)
    return Found(0, 2, cells, len(_matched(cells, names)), True)


def _beyond_all(names: Names) -> int:
    """More than any other sheet of the workbook can score, or come near to."""
    return 2 * (len(set(names.values())) + 1)


def _double(rows: Sequence[FirstRow], at: int, names: Names, usual: int) -> Found | None:
    upper, lower = rows[at], rows[at + 1]
    if lower.number != upper.number + 1 or not all(map(_is_text, lower.cells)):
        return None
    cells = joined(upper.cells, lower.cells, names)
    score = len(_matched(cells, names))
    return Found(at, 2, cells, score, _is_sure(at, cells, score, names, usual)) if score > 1 else None


def joined(upper: Sequence[WireCell], lower: Sequence[WireCell], names: Names) -> list[WireCell]:
    """The headings of a header in two rows. A group reaches over the blank cells to its right, as long as
    there are parts below it."""
    group, cells = "", list[WireCell]()
    for place in range(max(len(upper), len(lower))):
        above = shown(upper[place]) if place < len(upper) else ""
        below = shown(lower[place]) if place < len(lower) else ""
        group = above or (group if below else "")
        both = f"{group} {below}".strip()
        known = below and comparable(below) in names and comparable(both) not in names
        cells.append((below if known else both) or None)
    return cells


def shown(cell: WireCell) -> str:
    """A heading as text; numbers and dates may be headings."""
    return "" if cell is None else decode(cell).raw.strip()


def _single(rows: Sequence[FirstRow], at: int, names: Names, usual: int) -> Found:
    cells = list(rows[at].cells)
    score = len(_matched(cells, names))
    return Found(at, 1, cells, score, _is_sure(at, cells, score, names, usual))


def _matched(cells: Sequence[WireCell], names: Names) -> set[int]:
    return {names[name] for cell in cells if (name := comparable(shown(cell))) in names}


def _is_sure(at: int, cells: Sequence[WireCell], score: int, names: Names, usual: int) -> bool:
    """Three names, half of the fields or half of the headings; a single one only over the width of the table,
    and, when there are more fields, at the top of the sheet in a row of nothing but different texts."""
    filled = [cell for cell in cells if cell is not None]
    if score > 1 and (score >= SURE_MATCHES or score * 2 >= min(len(set(names.values())), len(filled))):
        return True
    if score == 1 and _covers(cells, usual) and len(set(names.values())) <= 2:
        return True
    return score > 0 and at == 0 and _covers(cells, usual) and _looks_like_headings(filled)


def _usual_width(rows: Sequence[FirstRow]) -> int:
    counts = Counter(_filled(row.cells) for row in rows)
    return max(counts, key=lambda width: (counts[width], width))


def _covers(cells: Sequence[WireCell], usual: int) -> bool:
    return _filled(cells) * 2 >= usual


def _by_look(rows: Sequence[FirstRow], usual: int) -> tuple[int, bool]:
    """The first row of different texts over the width of the table, and whether the rows below it are unlike
    it, as data are."""
    for at, row in enumerate(rows):
        filled = [cell for cell in row.cells if cell is not None]
        if _covers(row.cells, usual) and _looks_like_headings(filled):
            return at, at + 1 < len(rows) and _differs(row, rows[at + 1 : at + 1 + ROWS_BELOW])
    return 0, False


def _double_by_look(rows: Sequence[FirstRow], usual: int) -> list[WireCell] | None:
    """The headings, when the first of `rows` are groups and the second their parts: a group before the
    last reaches over a blank cell, which no title does, and the rows below look like data.
    """
    if len(rows) < 3 or rows[1].number != rows[0].number + 1:
        return None
    upper, lower = rows[0].cells, rows[1].cells
    parts = [cell for cell in lower if cell is not None]
    starts = [place for place, cell in enumerate(upper) if cell is not None]
    reaches = any(
        upper[place] is None and place < len(lower) and lower[place] is not None
        for place in range(starts[0], starts[-1])
    )
    if not reaches or not _covers(lower, usual) or not all(map(_is_heading, parts)):
        return None
    cells = joined(upper, lower, {})
    headings = [cell for cell in cells if cell is not None]
    is_header = _looks_like_headings(headings) and _differs(FirstRow(rows[1].number, cells), rows[2:])
    return cells if is_header and all(_filled(row.cells) <= len(headings) for row in rows[2:]) else None


def _differs(row: FirstRow, below: Sequence[FirstRow]) -> bool:
    """Whether a column under a heading holds values that no heading would be."""
    return any(
        cell is not None and not _is_heading(cell) and place < len(row.cells) and row.cells[place] is not None
        for other in below
        for place, cell in enumerate(other.cells)
    )


def _looks_like_headings(filled: Sequence[WireCell]) -> bool:
    names = {comparable(shown(cell)) for cell in filled}
    return len(names) == len(filled) and all(map(_is_heading, filled))


def _is_heading(cell: WireCell) -> bool:
    if not isinstance(cell, str) or cell.startswith(MARK):
        return False
    return len(cell) <= LONGEST_HEADING and "@" not in cell and any(character.isalpha() for character in cell)


def _is_text(cell: WireCell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.startswith(MARK))


def _filled(cells: Sequence[WireCell]) -> int:
    return sum(cell is not None for cell in cells)
