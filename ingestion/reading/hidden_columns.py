"""Which columns of a sheet are hidden: read like the others, and named in the verdict."""

from .cells import column_letters

# Programs write one for each run of columns.
MOST_RANGES = 200


class HiddenColumns:
    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []

    def add(self, first: int, last: int) -> None:
        """Places from 0, both included."""
        if len(self.ranges) < MOST_RANGES:
            self.ranges.append((first, last))

    def letters(self, width: int) -> list[str]:
        """Of those under a header of this width."""
        return [
            column_letters(place)
            for place in range(width)
            if any(first <= place <= last for first, last in self.ranges)
        ]
