"""Columns without a heading: those that hold a value are stated in the verdict, since it is left out."""

from collections.abc import Sequence
from typing import Any

from ingestion.checking import messages
from ingestion.checking.header import HeaderMatch
from ingestion.reading.cells import WireCell, column_letters
from ingestion.reading.reader import Row

MOST_LOOKED_AT = 200


class Nameless:
    def __init__(self, headings: Sequence[WireCell], match: HeaderMatch) -> None:
        taken = set(match.places.values())
        places = [place for place, cell in enumerate(headings) if cell is None and place not in taken]
        self.unseen, self.seen = places[:MOST_LOOKED_AT], list[int]()

    def look(self, rows: Sequence[Row]) -> None:
        for place in list(self.unseen):
            if any(len(row[1]) > place and row[1][place] is not None for row in rows):
                self.unseen.remove(place)
                self.seen.append(place)

    def assumptions(self) -> list[dict[str, Any]]:
        names = [column_letters(place) for place in sorted(self.seen)]
        return [messages.assumption("columns_without_heading", columns=names)] if names else []
