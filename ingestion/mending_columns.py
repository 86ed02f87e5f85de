"""Which column of a file of mended rows is which: as it was in the file that they were refused in.

A person may have said so there, and need not say it again: the headings are the same.
"""

from collections import Counter
from collections.abc import Sequence

from ingestion.checking.shown import cell_text
from ingestion.models import Upload
from ingestion.reading.cells import WireCell, column_letters


def inherited(mended: Upload, cells: Sequence[WireCell]) -> tuple[dict[str, str | None], bool]:
    """A mapping for the header `cells`, and whether all of its columns are still there: then nothing needs to
    be asked. A column without a heading of its own is the one of the same letters."""
    now = Counter(cell_text(cell) for cell in cells)
    mapping: dict[str, str | None] = {}
    is_whole = bool(mended.places)
    for field, place in mended.places.items():
        if place is None:
            mapping[field] = None
            continue
        heading = mended.headers[place] if place < len(mended.headers) else ""
        stands_there = place < len(cells) and cell_text(cells[place]) == heading
        if heading and now[heading] == 1:
            mapping[field] = heading
        elif stands_there or (not heading and place < len(cells)):
            mapping[field] = column_letters(place)
        else:
            is_whole = False
    return _needed(mapping), is_whole


def _needed(mapping: dict[str, str | None]) -> dict[str, str | None]:
    """A heading that is the name itself is found without being said."""
    return {field: heading for field, heading in mapping.items() if heading != field}


def beneath(said: dict[str, str | None], known: dict[str, str | None]) -> dict[str, str | None]:
    """`said` of this very file counts more than what is `known` of the first one."""
    taken = {heading for heading in said.values() if heading is not None}
    return {**{field: heading for field, heading in known.items() if heading not in taken}, **said}
