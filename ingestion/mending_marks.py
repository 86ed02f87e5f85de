"""The columns that we add to files of rows to mend: how they are headed, and found again when sent back.

The heading itself carries the upload, so it survives every spreadsheet program and every format it saves.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from ingestion.checking.shown import cell_text
from ingestion.reading.cells import WireCell
from ingestion.reading.marks import OURS

ROW = "Row in the original file [waybill {upload}]"
GIVE_WAY = "Left to a newer file [waybill]"
NOTES = "What is wrong [waybill]"


@dataclass(frozen=True)
class Marks:
    """`places` are the columns that are ours; `upload` is what the heading claims: anybody may write it."""

    upload: uuid.UUID | None = None
    row_place: int = -1
    give_way_place: int = -1
    places: frozenset[int] = field(default_factory=frozenset)


def row_heading(upload: uuid.UUID) -> str:
    return ROW.format(upload=upload)


def find(cells: Sequence[WireCell]) -> Marks:
    """What of a header is ours. Of several columns with row numbers the first counts."""
    upload, row_place, give_way_place, places = None, -1, -1, set()
    for place, cell in enumerate(cells):
        heading = cell_text(cell).strip() if isinstance(cell, str) else ""
        found = OURS.search(heading)
        if found is None:
            continue
        places.add(place)
        if found[1] and row_place < 0:
            upload, row_place = uuid.UUID(found[1]), place
        elif heading.casefold() == GIVE_WAY.casefold():
            give_way_place = place
    return Marks(upload, row_place, give_way_place, frozenset(places))


def without(cells: Sequence[WireCell], marks: Marks) -> list[WireCell]:
    """The header as its sender knows it: the other columns keep their letters."""
    kept = [None if place in marks.places else cell for place, cell in enumerate(cells)]
    while kept and marks.places and kept[-1] is None:
        kept.pop()
    return kept


def number_of(cell: WireCell) -> int | None:
    """A row number as a spreadsheet program may have saved it: 118, 118.0 or text; None when it is none."""
    if isinstance(cell, int | float):
        return int(cell) if cell == int(cell) and 0 < cell < 2**31 else None
    text = cell_text(cell).strip().removesuffix(".0")
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 10 else None
