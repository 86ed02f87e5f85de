"""Which way of writing dates and times a column follows, told by what only one way can explain."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingestion.checking.locales import Locale
from ingestion.inferring.notes import Note, note
from ingestion.inferring.seen import Seen, takes

DAYS = (
    "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y", "%Y/%m/%d", "%d/%m/%y", "%m/%d/%y",
    "%d.%m.%y", "%d-%m-%y", "%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")
# Order and separator leave nothing open in these: the type's own reading takes them.
CERTAIN = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}\b.*|\d{1,2}\.\d{1,2}\.\d{4}\b.*", re.DOTALL | re.ASCII
).fullmatch
COMPACT = re.compile(r"(?:19|20)\d{6}", re.ASCII).fullmatch
HEADED_DATE = re.compile(r"dat(?:e|um|a|o)|fecha|giorno|\bday\b|\btag\b", re.IGNORECASE).search
HEADED_YEAR = re.compile(r"year|jahr|ann[eé]e|\ban\b|anno|a[nñ]o|\bjaar|\brok\b|\bår", re.IGNORECASE).search
YEARS = (1800, 2200)


@dataclass(frozen=True, slots=True)
class Found:
    """`order` is set when only one order of day and month explains the column; `is_open` when a person must
    say."""

    field: dict[str, Any]
    notes: list[Note]
    order: str | None = None
    is_open: bool = False


def find(seen: Seen, locale: Locale, *, tag: str, order: str | None) -> Found | None:
    """The field of a column of moments. `order` is that of other columns: "dmy" or "mdy"."""
    if any(taken.type not in ("s", "d", "n") for taken in seen.decoded()):
        return None
    texts = seen.texts()
    if all(map(CERTAIN, texts)):
        for kind in ("date", "datetime"):
            if takes({"type": kind}, seen, locale):
                return Found({"type": kind}, [])
    for kind, patterns in (
        ("date", DAYS),
        ("datetime", tuple(f"{day} {clock}" for day in DAYS for clock in CLOCKS)),
    ):
        found = _by_pattern(kind, patterns, seen, locale, tag=tag, order=order) if texts else None
        if found:
            return found
    for field in _plain(seen):
        if takes(field, seen, locale):
            return Found(field, [])
    return None


def early(seen: Seen, locale: Locale) -> Found | None:
    """What looks like a number and is none, by the word of its heading: years, and days written together."""
    if HEADED_YEAR(seen.heading) and takes({"type": "year"}, seen, locale) and _years(seen):
        return Found({"type": "year"}, [])
    texts = seen.texts()
    compact = {"type": "date", "format": "%Y%m%d"}
    if texts and HEADED_DATE(seen.heading) and all(map(COMPACT, texts)) and takes(compact, seen, locale):
        return Found(compact, [])
    return None


def _years(seen: Seen) -> bool:
    written = [taken.raw for taken in seen.decoded()]
    return all(YEARS[0] <= float(raw) <= YEARS[1] for raw in written)


def _plain(seen: Seen) -> list[dict[str, Any]]:
    plain: list[dict[str, Any]] = [
        {"type": "time"},
        {"type": "yearmonth"},
        {"type": "datetime"},
        {"type": "date"},
    ]
    if seen.texts():
        plain += [{"type": "time", "format": clock} for clock in CLOCKS]
    return plain


def _by_pattern(
    kind: str, patterns: tuple[str, ...], seen: Seen, locale: Locale, *, tag: str, order: str | None
) -> Found | None:
    """Patterns that read the texts as the same moments are one reading; the first of them is declared."""
    texts = seen.texts()
    readings: dict[tuple[datetime, ...], str] = {}
    for pattern in patterns:
        moments = _read(texts, pattern)
        if moments and takes({"type": kind, "format": pattern}, seen, locale):
            readings.setdefault(moments, pattern)
    if not readings:
        return None
    chosen = next(iter(readings.values()))
    notes: list[Note] = []
    is_open = len(readings) > 1
    if is_open:
        wanted = order or ("mdy" if locale.order == "mdy" else "dmy")
        chosen = next((each for each in readings.values() if order_of(each) == wanted), chosen)
        is_open = order is None or order_of(chosen) != order
        code = "dates_either_way" if is_open else "dates_as_elsewhere"
        notes.append(note(code, chosen="month" if order_of(chosen) == "mdy" else "day", locale=tag))
    if "%y" in chosen:
        notes.append(note("two_digit_year"))
    certain = order_of(chosen) if len(readings) == 1 and "/" in chosen else None
    return Found({"type": kind, "format": chosen}, notes, certain, is_open)


def _read(texts: list[str], pattern: str) -> tuple[datetime, ...]:
    try:
        return tuple(datetime.strptime(text, pattern) for text in texts)  # noqa: DTZ007 (compared only)
    except ValueError:
        return ()


def order_of(pattern: str) -> str:
    return "mdy" if pattern.startswith(("%m", "%b", "%B")) else "dmy"
