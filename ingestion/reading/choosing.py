"""Which sheet of a workbook is read: the one that is named; else, of the visible ones, the one whose headings
name fields. Several that do so about equally well are a doubt, unless one of them is the usual one. Hidden
sheets are read only when they are named."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from .failures import Refused
from .looking import FirstRow, Found, find_header
from .opening import Looking, preview

MOST_LOOKED_AT = 50
MOST_NAMED = 20
PREVIEW_ROWS = 5
PREVIEW_COLUMNS = 20
# Of the best sheet's score: from there on another is about as good.
ALIKE = 0.75

ONLY, NAMED, MATCHING, USUAL, FIRST, DOUBT = "only", "named", "matching", "usual", "first", "doubt"


class Listed(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def hidden(self) -> bool: ...


S = TypeVar("S", bound=Listed)


@dataclass(frozen=True)
class Chosen(Generic[S]):
    """`about` is what the parent is told: why this sheet, and what was seen of each."""

    sheet: S
    about: dict[str, Any]


@dataclass(frozen=True)
class Look(Generic[S]):
    sheet: S
    rows: Sequence[FirstRow]
    found: Found | None

    @property
    def score(self) -> int:
        return self.found.score if self.found else 0

    @property
    def has_data(self) -> bool:
        return self.found is not None and self.found.at + self.found.depth < len(self.rows)


def choose(sheets: Sequence[S], looking: Looking, glance: Callable[[S], Sequence[FirstRow]]) -> Chosen[S]:
    """`glance` gives the first rows of a sheet that hold a value; it is called when there is a choice."""
    if looking.sheet is not None:
        return _chosen(_named(sheets, looking.sheet), NAMED, sheets, [])
    visible = [sheet for sheet in sheets if not sheet.hidden]
    if not visible:
        raise Refused("no_visible_sheet")
    if len(visible) == 1 or looking.names is None:
        return _chosen(visible[0], ONLY if len(visible) == 1 else FIRST, sheets, [])
    looks = [_look(sheet, glance(sheet), looking) for sheet in visible[:MOST_LOOKED_AT]]
    sheet, why = _decide(looks, looking.usual_sheet)
    return _chosen(sheet, why, sheets, looks)


def assumption(chosen: Chosen[S], sheets: Sequence[S]) -> list[Any]:
    """As it stands in the verdict: what was read, why, and what was not."""
    others = [sheet.name for sheet in sheets if sheet.name != chosen.sheet.name]
    detail = {"sheet": chosen.sheet.name, "others": others[:50], "other_count": len(others)}
    return ["sheet_read", detail | {"reason": f"sheet_{chosen.about['sheet_chosen']}"}]


def _named(sheets: Sequence[S], name: str) -> S:
    for sheet in sheets:
        if sheet.name == name:
            return sheet
    names = ", ".join(f"“{sheet.name}”" for sheet in sheets[:MOST_NAMED])
    raise Refused("no_such_sheet", sheet=name, sheets=names or "none")


def _look(sheet: S, rows: Sequence[FirstRow], looking: Looking) -> Look[S]:
    found = find_header(rows, looking.names or {}, depth=looking.header_rows) if rows else None
    return Look(sheet, rows, found)


def _decide(looks: Sequence[Look[S]], usual: str) -> tuple[S, str]:
    best = max(look.score for look in looks)
    if not best:
        filled = [look for look in looks if look.rows] or looks[:1]
        known = [look for look in filled if look.sheet.name == usual]
        return (known or filled)[0].sheet, USUAL if known else FIRST
    good = [look for look in looks if look.score >= best * ALIKE]
    good = [look for look in good if look.has_data] or good
    if len(good) == 1:
        return good[0].sheet, MATCHING
    for look in good:
        if look.sheet.name == usual:
            return look.sheet, USUAL
    return max(good, key=lambda look: look.score).sheet, DOUBT


def _chosen(sheet: S, why: str, sheets: Sequence[S], looks: Sequence[Look[S]]) -> Chosen[S]:
    by_name = {look.sheet.name: look for look in looks}
    seen = []
    for other in sheets[:MOST_LOOKED_AT]:
        look = by_name.get(other.name)
        rows = [
            [row.number, [preview(cell) for cell in row.cells[:PREVIEW_COLUMNS]]]
            for row in (look.rows[:PREVIEW_ROWS] if look else ())
        ]
        score = look.score if look else 0
        seen.append({"name": other.name, "hidden": other.hidden, "rows": rows, "score": score})
    return Chosen(sheet, {"sheet_chosen": why, "sheets": seen})
