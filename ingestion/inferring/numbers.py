"""Which way of writing numbers a column follows, told by what only one way can explain."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from ingestion.checking.locales import Locale
from ingestion.inferring.notes import Note, note
from ingestion.inferring.seen import Seen, takes
from ingestion.reading.cells import CURRENCY, PERCENT

SYMBOLS = ("%", "‰", "€", "$", "£", "¥", "₺", "₴", "zł", "Kč", "Ft", "kr", "lei",
           "EUR", "USD", "CHF", "GBP", "PLN", "CZK", "SEK", "NOK", "DKK")  # fmt: skip
AFFIX = "|".join(map(re.escape, SYMBOLS))
AROUND = re.compile(
    rf"(?:({AFFIX})\s*)?([^A-Za-z%€$£¥]*?\d[^A-Za-z%€$£¥]*?(?:[eE][+-]?\d+)?)\s*({AFFIX})?"
).fullmatch
GROUPS = ("", ",", ".", " ", "\u00a0", "\u202f", "'", "’")
CONVENTIONS = [(decimal, group) for group in GROUPS for decimal in ".," if group != decimal]
LONGEST_NUMBER = 40


@dataclass(frozen=True, slots=True)
class Found:
    """`decimal` is set when only one reading explains the column; `is_open` when a person must say."""

    field: dict[str, Any]
    notes: list[Note]
    decimal: str | None = None
    is_open: bool = False


def find(seen: Seen, locale: Locale, *, tag: str, decimal: str | None) -> Found | list[Note]:
    """The field of a column of numbers, or why it is none. `decimal` is the sign of other columns."""
    texts = seen.texts()
    if any(taken.type not in "sn" for taken in seen.decoded()):
        return []
    parts = [AROUND(text) for text in texts]
    if not all(parts):
        return []
    symbols = sorted({symbol for part in parts if part for symbol in (part[1], part[3]) if symbol})
    currencies = {taken.format for taken in seen.decoded() if taken.format.startswith(CURRENCY)}
    if len(symbols) > 1 or len(currencies) > 1:
        listed = ", ".join(symbols or sorted(each.removeprefix(CURRENCY) for each in currencies))
        return [note("several_symbols", symbols=listed)]
    readings = _readings([part[2] for part in parts if part])
    if not readings:
        return []
    notes = [note("symbol", symbols=symbols[0])] if symbols else []
    if any(taken.format == PERCENT for taken in seen.decoded()) and not symbols:
        notes.append(note("percent"))
    chosen, more, is_open = _choose(readings, locale, tag, decimal, texts)
    field = _field(seen, locale, chosen, bare=not symbols)
    if field is None:
        return []
    certain = chosen[0] if len(readings) == 1 and _uses_decimal(texts, chosen[0]) else None
    return Found(field, notes + more, certain, is_open)


def _readings(numbers: Sequence[str]) -> list[tuple[str, str]]:
    """One convention for each different set of values that the texts may stand for."""
    different: dict[tuple[Decimal, ...], tuple[str, str]] = {}
    for convention in CONVENTIONS:
        values = []
        for text in numbers:
            value = _value(text, *convention)
            if value is None:
                break
            values.append(value)
        else:
            different.setdefault(tuple(values), convention)
    return list(different.values())


def _choose(
    readings: list[tuple[str, str]], locale: Locale, tag: str, decimal: str | None, texts: list[str]
) -> tuple[tuple[str, str], list[Note], bool]:
    if len(readings) == 1:
        return readings[0], [], False
    wanted = decimal or locale.decimal
    chosen = next((each for each in readings if each[0] == wanted), readings[0])
    if decimal == chosen[0]:
        return chosen, [note("numbers_as_elsewhere", chosen=decimal)], False
    example = next(text for text in texts if "," in text or "." in text)
    return chosen, [note("numbers_either_way", example=example, chosen=chosen[0], locale=tag)], True


def _field(seen: Seen, locale: Locale, convention: tuple[str, str], *, bare: bool) -> dict[str, Any] | None:
    """The shortest declaration that takes every cell and reads each text as the convention does."""
    decimal, group = convention
    loose: dict[str, Any] = {} if bare else {"bareNumber": False}
    texts = seen.texts()
    is_plain = all(text.lstrip("+-").isdigit() for text in texts)
    whole = dict(loose) | ({"groupChar": group} if group else {})
    if not _uses_decimal(texts, decimal) and takes({"type": "integer", **whole}, seen, locale):
        return {"type": "integer", **whole}
    if (is_plain or (decimal == locale.decimal and not group)) and takes(
        {"type": "number", **loose}, seen, locale
    ):
        return {"type": "number", **loose}
    declared = whole | {"decimalChar": decimal}
    return {"type": "number", **declared} if takes({"type": "number", **declared}, seen, locale) else None


def _uses_decimal(texts: Sequence[str], decimal: str) -> bool:
    return any(decimal in text for text in texts)


def _value(text: str, decimal: str, group: str) -> Decimal | None:
    if len(text) > LONGEST_NUMBER or not _pattern(decimal, group)(text):
        return None
    plain = text.replace(group, "") if group else text
    try:
        return Decimal(plain.replace(decimal, "."))
    except InvalidOperation:
        return None


@cache
def _pattern(decimal: str, group: str) -> Any:
    point = re.escape(decimal)
    grouped = rf"[1-9]\d{{0,2}}(?:{re.escape(group)}\d{{3}})+|" if group else ""
    return re.compile(
        rf"[+-]?(?:(?:{grouped}\d+)(?:{point}\d+)?|{point}\d+)(?:[eE][+-]?\d{{1,3}})?", re.ASCII
    ).fullmatch
