"""Columns of spans of time, stored in their canonical ISO form."""

import re
from typing import Any

from ingestion.checking import durations, shown
from ingestion.checking.columns import Column, Faulty
from ingestion.checking.durations import Duration, NotADuration
from ingestion.reading.cells import DURATION, TIME, Cell

CLOCK = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?", re.ASCII).fullmatch
# Longer ones are errors of a formula; decimal arithmetic is exact far beyond them.
MOST_DAYS = 10**9


class DurationColumn(Column):
    """Text as ISO 8601 or h:mm:ss; cells by their format. A bare number says no unit."""

    def text(self, text: str) -> Duration:
        try:
            return durations.parse(text)
        except NotADuration as error:
            raise self._wrong() from error

    def number(self, number: int | float) -> Any:
        raise self._wrong()

    def other(self, cell: Cell) -> Duration:
        if cell.type == "n" and cell.format in (DURATION, TIME):
            days = shown.fifteen_digits(cell.raw)
            if days.is_finite() and abs(days) < MOST_DAYS:
                return durations.of_days(days)
        # Under a time of day the cell shows hours and minutes; of a day it shows nothing.
        if cell.type == "d" and cell.format == TIME and CLOCK(cell.raw):
            return self.text(cell.raw)
        raise self._wrong()

    def fragment(self, value: Any) -> str:
        return f'"{value}"'

    def _wrong(self) -> Faulty:
        return Faulty(("type_duration", {}))
