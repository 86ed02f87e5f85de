"""Columns of dates and times, stored in ISO form. A number is a date only where its format says so."""

import contextlib
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

from ingestion.checking import moments, shown
from ingestion.checking.columns import Column, Fault, Faulty
from ingestion.checking.moments import NotAMoment
from ingestion.reading.cells import DATE, DURATION, MARK, TIME, Cell, WireCell

YEAR = re.compile(r"\d{4}", re.ASCII).fullmatch
MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])", re.ASCII).fullmatch
MIDNIGHT = "T00:00:00"
READY = re.compile(MARK + r"d\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d" + MARK + "dt", re.ASCII).fullmatch
ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d", re.ASCII).fullmatch
EXAMPLE = datetime(2024, 5, 31, 14, 30)  # noqa: DTZ001  (shown to people only)


def _ready(cell: WireCell) -> datetime | None:
    """The moment of a workbook that stands in its final form but for the marks, if it is one of the
    calendar.
    """
    with contextlib.suppress(ValueError):
        if isinstance(cell, str) and READY(cell):
            return datetime.fromisoformat(cell[2:-3])
    return None


class MomentColumn(Column):
    """What dates, times and both together share."""

    type_code = ""
    iso_example = ""

    def prepare(self, field: dict[str, Any]) -> None:
        self.declared = "" if self.format in ("default", "any") else self.format
        pattern = self.declared.removeprefix("fmt:")
        self.example = EXAMPLE.strftime(pattern) if pattern else self.iso_example

    def number(self, number: int | float) -> Any:
        raise self.wrong("date_is_number")

    def other(self, cell: Cell) -> Any:
        if cell.type != "d":
            raise self.wrong()
        try:
            return self.moment(cell.raw, cell.format)
        except NotAMoment as error:
            raise self.wrong(error.code) from error

    def text(self, text: str) -> Any:
        try:
            return self.parse(text)
        except NotAMoment as error:
            raise self.wrong(error.code) from error

    def parse(self, text: str) -> Any:
        """The value of a text, or NotAMoment."""
        raise NotImplementedError

    def moment(self, raw: str, number_format: str) -> Any:
        """The value of a date cell in ISO form, or NotAMoment."""
        raise NotImplementedError

    def wrong(self, code: str = "") -> Faulty:
        return Faulty((code or self.type_code, {"example": self.example}))

    def fragment(self, value: Any) -> str:
        return f'"{value.isoformat()}"'


class DateColumn(MomentColumn):
    type_code = "type_date"
    iso_example = "2024-05-31"

    def parse(self, text: str) -> date:
        return moments.parse_date(text, declared=self.declared, order=self.locale.order)

    def moment(self, raw: str, number_format: str) -> date:
        day, _, clock = raw.partition("T")
        # Under a format without a time the cell shows the day only, so the day is what is meant.
        if clock and number_format != DATE and raw != day + MIDNIGHT:
            raise NotAMoment
        return moments.parse_date(day, declared="", order="ymd")


class DatetimeColumn(MomentColumn):
    type_code = "type_datetime"
    iso_example = "2024-05-31T14:30:00"

    def convert(self, cells: Sequence[WireCell]) -> list[str | None]:
        if self.enum is not None:
            return super().convert(cells)
        if self.bounded:
            return [self._bounded(cell) for cell in cells]
        get = self.get
        if not self.declared and isinstance(cells[0], str) and ISO(cells[0]):
            return [self._quick(cell) for cell in cells]
        # Few moments repeat, and those of a workbook are in their final form but for the marks.
        return [f'"{cell[2:-3]}"' if isinstance(cell, str) and READY(cell) else get(cell) for cell in cells]

    def explain(self, cells: Sequence[WireCell]) -> Sequence[Sequence[Fault]]:
        if not self.bounded or self.enum is not None:
            return super().explain(cells)
        return [
            self.faults(cell) if (moment := _ready(cell)) is None else self._limit_faults(moment)
            for cell in cells
        ]

    def _bounded(self, cell: WireCell) -> str | None:
        """As `get`, without an exception for each of the many moments that lie beyond a bound."""
        moment = _ready(cell)
        if moment is None:
            return self.get(cell)
        return None if self._limit_faults(moment) else f'"{cell[2:-3]}"'  # type: ignore[index]

    def _quick(self, cell: WireCell) -> str | None:
        if isinstance(cell, str) and ISO(cell):
            with contextlib.suppress(ValueError):
                datetime.fromisoformat(cell)
                return f'"{cell[:10]}T{cell[11:]}"'
        return self.get(cell)

    def parse(self, text: str) -> datetime:
        return moments.parse_datetime(text, declared=self.declared, order=self.locale.order)

    def moment(self, raw: str, number_format: str) -> datetime:
        try:
            return datetime.fromisoformat(raw if "T" in raw or number_format == TIME else raw + MIDNIGHT)
        except ValueError as error:
            raise NotAMoment from error

    def fragment(self, value: Any) -> str:
        return f'"{moments.iso_datetime(value)}"'

    def _limit_faults(self, value: Any) -> list[Any]:
        # A bound without a zone is compared with the moment as it is stored.
        limits = (self.minimum, self.maximum)
        if any(limit is not None and (limit.tzinfo is None) != (value.tzinfo is None) for limit in limits):
            naive = value.replace(tzinfo=None)
            kept = self.minimum, self.maximum
            self.minimum, self.maximum = (limit and limit.replace(tzinfo=None) for limit in limits)
            try:
                return super()._limit_faults(naive)
            finally:
                self.minimum, self.maximum = kept
        return super()._limit_faults(value)


class TimeColumn(MomentColumn):
    type_code = "type_time"
    iso_example = "14:30:00"

    def parse(self, text: str) -> time:
        return moments.parse_time(text, declared=self.declared)

    def moment(self, raw: str, number_format: str) -> time:
        return moments.parse_time(raw, declared="")

    def other(self, cell: Cell) -> Any:
        if cell.type == "n" and cell.format in (DURATION, TIME):
            return self.text(shown.plain_text(cell))
        return super().other(cell)

    def number(self, number: int | float) -> Any:
        raise self.wrong()


class YearColumn(MomentColumn):
    type_code = "type_year"

    def parse(self, text: str) -> int:
        if not YEAR(text.strip()):
            raise NotAMoment
        return int(text)

    def number(self, number: int | float) -> int:
        return int(self.text(shown.digits(shown.fifteen_digits(repr(number)))))

    def other(self, cell: Cell) -> Any:
        if cell.type == "n" and cell.format != DURATION:
            return self.text(shown.plain_text(cell))
        raise self.wrong()

    def fragment(self, value: Any) -> str:
        return str(value)


class MonthColumn(MomentColumn):
    type_code = "type_yearmonth"

    def number(self, number: int | float) -> Any:
        raise self.wrong()

    def parse(self, text: str) -> str:
        if not MONTH(text.strip()):
            raise NotAMoment
        return text.strip()

    def moment(self, raw: str, number_format: str) -> str:
        return self.parse(raw[:7])

    def fragment(self, value: Any) -> str:
        return f'"{value}"'
