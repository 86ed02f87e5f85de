"""Serial numbers of spreadsheet programs as dates and times in ISO form."""

import math
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache

from .cells import DATE, DURATION, TIME

EPOCH_1900 = date(1899, 12, 30)
EPOCH_1904 = date(1904, 1, 1)
# 29 February 1900 never was, but has a number in the 1900 system; the days before it are one off.
NEVER_WAS = 60
# 31 December 9999 in the 1900 system.
LAST_SERIAL = 2_958_465
DAY_MILLISECONDS = 86_400_000


def iso(serial: float, number_format: str, *, date1904: bool) -> str | None:
    """The date, time or date with time that a serial shows as; None when there is no such moment."""
    if not math.isfinite(serial) or serial < 0 or serial > LAST_SERIAL + 1 or number_format == DURATION:
        return None
    days, milliseconds = divmod(round(serial * DAY_MILLISECONDS), DAY_MILLISECONDS)
    if number_format == TIME and days == 0:
        return _time_text(milliseconds)
    day = _day_text(days, date1904)
    if day is None or (number_format == DATE and not milliseconds):
        return day
    return f"{day}T{_time_text(milliseconds)}"


def moments(serials: Iterable[float], *, date1904: bool) -> list[str | None]:
    """iso for many dates with times, which hardly ever repeat; None also where iso must look closer."""
    found: list[str | None] = []
    for serial in serials:
        if not 0 <= serial <= LAST_SERIAL:
            found.append(None)
            continue
        days, milliseconds = divmod(round(serial * DAY_MILLISECONDS), DAY_MILLISECONDS)
        seconds, fraction = divmod(milliseconds, 1000)
        day = _day_text(days, date1904)
        found.append(None if fraction or day is None else f"{day}T{_clock(seconds)}")
    return found


@cache
def _day_text(days: int, date1904: bool) -> str | None:
    """Cached: a column of moments has far fewer days than cells."""
    if date1904:
        epoch = EPOCH_1904
    elif days in (0, NEVER_WAS):
        return None
    else:
        # Before the day that never was, the 1900 system counts from 31 December 1899.
        epoch = EPOCH_1900 if days > NEVER_WAS else EPOCH_1900 + timedelta(days=1)
    try:
        return (epoch + timedelta(days=days)).isoformat()
    except OverflowError:
        return None


def _time_text(milliseconds: int) -> str:
    seconds, fraction = divmod(milliseconds, 1000)
    text = _clock(seconds)
    return f"{text}.{fraction:03}" if fraction else text


@cache
def _clock(seconds: int) -> str:
    """At most 86,400 of them."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}"
