"""Spans of time as text: ISO 8601 as XML Schema has it, or hours and minutes as spreadsheets show them."""

import re
from dataclasses import dataclass
from decimal import Decimal

from ingestion.checking.shown import EXACT, digits

SECONDS_PER_DAY = 86_400
MONTHS_PER_YEAR = 12
# Of the Gregorian calendar, on average: 146,097 days in 400 years.
SECONDS_PER_MONTH = Decimal(146_097 * SECONDS_PER_DAY) / 4800
# P1Y2M3DT4H5M6.7S, and weeks, which stand alone.
ISO = re.compile(
    r"(-)?P(?=.)(?:(\d{1,9})W|(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})D)?"
    r"(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?)",
    re.ASCII,
).fullmatch
CLOCK = re.compile(r"(-)?(\d{1,9}):([0-5]\d)(?::([0-5]\d(?:[.,]\d{1,9})?))?", re.ASCII).fullmatch


class NotADuration(Exception):
    """The text is no span of time."""


@dataclass(frozen=True, slots=True)
class Duration:
    """Months and seconds, which no calendar turns into each other; both negative for a span backwards.

    Compared with others a month counts its average length, so that every two can be compared.
    """

    months: int
    seconds: Decimal

    @property
    def length(self) -> Decimal:
        return self.months * SECONDS_PER_MONTH + self.seconds

    def __lt__(self, other: "Duration") -> bool:
        return self.length < other.length

    def __gt__(self, other: "Duration") -> bool:
        return self.length > other.length

    def __str__(self) -> str:
        """The canonical form: equal spans have the same text. 36 hours are P1DT12H, 18 months P1Y6M."""
        years, months = divmod(abs(self.months), MONTHS_PER_YEAR)
        days, rest = divmod(abs(self.seconds), SECONDS_PER_DAY)
        hours, rest = divmod(rest, 3600)
        minutes, seconds = divmod(rest, 60)
        day_part = _parts((years, "Y"), (months, "M"), (days, "D"))
        time_part = _parts((hours, "H"), (minutes, "M"), (seconds, "S"))
        if not day_part and not time_part:
            return "PT0S"
        sign = "-" if self.months < 0 or self.seconds < 0 else ""
        return f"{sign}P{day_part}{'T' if time_part else ''}{time_part}"


def parse(text: str) -> Duration:
    """“P1DT12H” and “36:00:00” are the same; “1:30” is one hour and a half, never minutes."""
    text = text.strip()
    match = CLOCK(text)
    if match:
        sign, hours, minutes, seconds = match.groups()
        return _signed(sign, 0, int(hours) * 3600 + int(minutes) * 60 + _decimal(seconds))
    match = ISO(text)
    if not match:
        raise NotADuration
    sign, *rest = match.groups()
    weeks, years, months, days, hours, minutes = (int(part or 0) for part in rest[:6])
    whole = (weeks * 7 + days) * SECONDS_PER_DAY + hours * 3600 + minutes * 60
    return _signed(sign, years * MONTHS_PER_YEAR + months, whole + _decimal(rest[6]))


def of_days(days: Decimal) -> Duration:
    """A number of days, as a cell under [h]:mm holds it, to the millisecond: what follows is noise."""
    return Duration(0, EXACT.multiply(days, Decimal(SECONDS_PER_DAY)).quantize(Decimal("0.001")))


def _signed(sign: str | None, months: int, seconds: Decimal) -> Duration:
    return Duration(-months, -seconds) if sign else Duration(months, seconds)


def _decimal(seconds: str | None) -> Decimal:
    return Decimal((seconds or "0").replace(",", "."))


def _parts(*parts: tuple[int | Decimal, str]) -> str:
    return "".join(f"{digits(Decimal(count))}{letter}" for count, letter in parts if count)
