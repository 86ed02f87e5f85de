"""Serial numbers of spreadsheet programs as dates and times in ISO form."""

import math
from datetime import date, datetime, timedelta

from .cells import DATE, DURATION, TIME

EPOCH_1900 = datetime(1899, 12, 30)  # noqa: DTZ001  (spreadsheet times have no zone)
EPOCH_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
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
    moment = _moment(days, milliseconds, date1904=date1904)
    if moment is None:
        return None
    if number_format == DATE and not milliseconds:
        return moment.date().isoformat()
    return f"{moment.date().isoformat()}T{_time_text(milliseconds)}"


def _moment(days: int, milliseconds: int, *, date1904: bool) -> datetime | None:
    if date1904:
        epoch = EPOCH_1904
    elif days in (0, NEVER_WAS):
        return None
    else:
        # Before the day that never was, the 1900 system counts from 31 December 1899.
        epoch = EPOCH_1900 if days > NEVER_WAS else EPOCH_1900 + timedelta(days=1)
    try:
        return epoch + timedelta(days=days, milliseconds=milliseconds)
    except OverflowError:
        return None


def _time_text(milliseconds: int) -> str:
    seconds, fraction = divmod(milliseconds, 1000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:03}" if fraction else text


def is_iso_date(text: str) -> bool:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True
