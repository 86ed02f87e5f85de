"""Dates and times written as text: by the declared format, else ISO, else in the order of the locale."""

import re
from datetime import UTC, date, datetime, time

ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII).fullmatch
YEAR_FIRST = re.compile(r"(\d{4})([/.])(\d{1,2})\2(\d{1,2})\.?", re.ASCII).fullmatch
YEAR_LAST = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})", re.ASCII).fullmatch
SHORT_YEAR = re.compile(r"\d{1,2}([/.-])\d{1,2}\1\d{2}", re.ASCII).fullmatch
TIME_TEXT = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,6})?)?", re.ASCII).fullmatch
DATETIME_TEXT = re.compile(
    r"(\S+?)(?:[T]|\s+)(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?", re.ASCII
).fullmatch
MIDNIGHT = re.compile(r"[T ]00:00(?::00(?:\.0+)?)?$")


class NotAMoment(Exception):
    """The text is no such date or time; `code` says what it is instead, when that is known."""

    def __init__(self, code: str = "") -> None:
        super().__init__(code)
        self.code = code


def parse_date(text: str, *, declared: str, order: str) -> date:
    text = text.strip()
    if declared:
        return _declared(text, declared).date()
    text = MIDNIGHT.sub("", text)
    match = ISO_DATE(text)
    if match:
        return _date(match[1], match[2], match[3])
    match = YEAR_FIRST(text)
    if match:
        return _date(match[1], match[3], match[4])
    match = YEAR_LAST(text)
    if match:
        return _in_order(match[1], match[3], match[4], separator=match[2], order=order)
    raise NotAMoment("ambiguous_date" if SHORT_YEAR(text) else "")


def parse_datetime(text: str, *, declared: str, order: str) -> datetime:
    """With an offset the moment in UTC, without one the local time as written."""
    text = text.strip()
    if declared:
        return _in_utc(_declared(text, declared))
    match = DATETIME_TEXT(text)
    if not match:
        raise NotAMoment
    day = parse_date(match[1], declared="", order=order)
    moment = datetime.combine(day, parse_time(match[2].replace(",", "."), declared=""))
    if match[3]:
        offset = "+00:00" if match[3] == "Z" else match[3]
        moment = moment.replace(tzinfo=datetime.strptime(offset, "%z").tzinfo)
    return _in_utc(moment)


def parse_time(text: str, *, declared: str) -> time:
    text = text.strip()
    if declared:
        return _declared(text, declared).time()
    match = TIME_TEXT(text)
    if not match:
        raise NotAMoment
    hours, minutes, seconds, fraction = match.groups()
    microseconds = round(float(fraction or 0) * 1_000_000)
    try:
        return time(int(hours), int(minutes), int(seconds or 0), min(microseconds, 999_999))
    except ValueError as error:
        raise NotAMoment from error


def iso_datetime(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _declared(text: str, pattern: str) -> datetime:
    try:
        return datetime.strptime(text, pattern.removeprefix("fmt:"))  # noqa: DTZ007  (offset only if declared)
    except ValueError as error:
        raise NotAMoment from error


def _in_order(first: str, second: str, year: str, *, separator: str, order: str) -> date:
    """A day and a month in either order: certain when only one order gives a date, and it is the locale's."""
    day_first, month_first = _maybe_date(year, second, first), _maybe_date(year, first, second)
    # Points between the parts are written with the day first everywhere.
    expected = month_first if order == "mdy" and separator != "." else day_first
    if expected is None:
        raise NotAMoment("date_never_was" if _never_was(year, first, second) else "")
    if day_first and month_first and day_first != month_first and separator != ".":
        raise NotAMoment("ambiguous_date")
    return expected


def _date(year: str, month: str, day: str) -> date:
    found = _maybe_date(year, month, day)
    if found is None:
        raise NotAMoment("date_never_was" if _never_was(year, month, day) else "")
    return found


def _maybe_date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _never_was(year: str, one: str, other: str) -> bool:
    return int(year) == 1900 and {int(one), int(other)} == {2, 29}


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment
    except OverflowError as error:
        raise NotAMoment from error
