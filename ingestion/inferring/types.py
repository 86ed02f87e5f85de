"""The type of one column: the narrowest that takes every cell of it, or text with the reason why."""

import dataclasses
import re
from typing import Any

from ingestion.checking.fields import FORMATS
from ingestion.checking.locales import Locale
from ingestion.inferring import moments, numbers, words
from ingestion.inferring.notes import Note, note
from ingestion.inferring.seen import Seen, refused, shown, takes
from ingestion.reading.cells import DURATION, ZEROS, Cell

ZERO_FIRST = re.compile(r"\+?0\d[\d /-]*|\+\d[\d /-]*", re.ASCII).fullmatch
LONG_DIGITS = re.compile(r"[\d -]*\d[\d -]*", re.ASCII).fullmatch
DIGITS_KEPT = 15
NEARLY = 0.8
ENUM_VALUES, ENUM_TIMES, ENUM_ROWS, ENUM_LENGTH = 20, 5, 20, 60


@dataclasses.dataclass(slots=True)
class Hints:
    """What other columns of the file are sure of."""

    decimal: str | None = None
    order: str | None = None


@dataclasses.dataclass(slots=True)
class Choice:
    """`seen` is the column without the words for a missing value."""

    field: dict[str, Any]
    seen: Seen
    notes: list[Note] = dataclasses.field(default_factory=list)
    decimal: str | None = None
    order: str | None = None
    is_open: bool = False


def choose(seen: Seen, locale: Locale, *, tag: str, hints: Hints) -> Choice:
    if not seen.cells:
        return Choice({"type": "string"}, seen, [note("no_values")])
    found = _narrow(seen, locale, tag, hints)
    if isinstance(found, Choice):
        return found
    tokens = words.missing(seen, words.MISSING)
    rest = seen.without(tokens)
    if tokens and rest.cells:
        narrowed = _narrow(rest, locale, tag, hints)
        if isinstance(narrowed, Choice):
            return _with_missing(narrowed, tokens)
    return _text(seen, locale, found)


def _narrow(seen: Seen, locale: Locale, tag: str, hints: Hints) -> Choice | list[Note]:
    """A type other than plain text, or what is to be said of the text."""
    boolean = words.boolean(seen, locale)
    if boolean and takes(boolean, seen, locale):
        return Choice(boolean, seen)
    stays = _stays_text(seen)
    if stays:
        return stays
    moment = moments.early(seen, locale)
    if moment:
        return Choice(moment.field, seen, moment.notes)
    if any(taken.format == DURATION for taken in seen.decoded()):
        return _duration(seen, locale)
    number = numbers.find(seen, locale, tag=tag, decimal=hints.decimal)
    if isinstance(number, numbers.Found):
        notes = [*number.notes, *_zero_or_one(seen)]
        return Choice(number.field, seen, notes, decimal=number.decimal, is_open=number.is_open)
    if number:
        return number
    moment = moments.find(seen, locale, tag=tag, order=hints.order)
    if moment:
        return Choice(moment.field, seen, moment.notes, order=moment.order, is_open=moment.is_open)
    for written in ("uuid", "email", "uri"):
        if takes({"type": "string", "format": written}, seen, locale):
            return Choice({"type": "string", "format": written}, seen)
    return []


def _stays_text(seen: Seen) -> list[Note]:
    """Digits that are no number: they would lose their zeros, or their end."""
    decoded = list(seen.decoded())
    if any(taken.type not in "sn" for taken in decoded):
        return []
    zeros = next((taken for taken in decoded if _begins_with_zero(taken)), None)
    if zeros and all(taken.type == "n" or LONG_DIGITS(taken.raw.strip().lstrip("+")) for taken in decoded):
        return [note("leading_zeros", example=shown(_cell(seen, zeros)))]
    for cell, taken in zip(seen.cells, decoded, strict=True):
        digits = taken.raw.strip()
        if taken.type == "s" and digits.isdecimal() and digits.isascii() and len(digits) > DIGITS_KEPT:
            return [note("many_digits", example=shown(cell))]
    return []


def _begins_with_zero(taken: Cell) -> bool:
    return taken.format.startswith(ZEROS) or (taken.type == "s" and bool(ZERO_FIRST(taken.raw.strip())))


def _cell(seen: Seen, taken: Cell) -> Any:
    return next(cell for cell, each in zip(seen.cells, seen.decoded(), strict=True) if each == taken)


def _duration(seen: Seen, locale: Locale) -> Choice | list[Note]:
    for kind in ("duration", "time"):
        if kind in FORMATS and takes({"type": kind}, seen, locale):
            return Choice({"type": kind}, seen)
    return []


def _zero_or_one(seen: Seen) -> list[Note]:
    return [note("zero_or_one")] if len(seen.cells) == 2 and {"0", "1"} == {*map(shown, seen.cells)} else []


def _with_missing(choice: Choice, tokens: list[str]) -> Choice:
    choice.field = {**choice.field, "missingValues": ["", *tokens]}
    choice.notes.append(note("missing_tokens", tokens=", ".join(f"“{token}”" for token in tokens)))
    return choice


def _text(seen: Seen, locale: Locale, notes: list[Note]) -> Choice:
    """Text, with the few values that it has, when they are few; or with what keeps it from being more."""
    tokens = words.missing(seen, words.MISSING_IN_TEXT)
    rest = seen.without(tokens)
    if not rest.cells or not all(any(map(str.isalnum, shown(cell))) for cell in rest.cells):
        tokens, rest = [], seen
    choice = Choice({"type": "string"}, rest, list(notes) or _nearly(rest, locale))
    values = _few(rest)
    if values and not notes:
        choice.field["constraints"] = {"enum": values}
        choice.notes = [note("enum_guessed", count=len(values))]
    return _with_missing(choice, tokens) if tokens else choice


def _few(seen: Seen) -> list[str]:
    """The texts of a column that has few of them, each often; none otherwise."""
    count = len(seen.cells)
    if count < 2 or count > ENUM_VALUES or seen.values < max(ENUM_ROWS, ENUM_TIMES * count):
        return []
    values = [taken.raw for taken in seen.decoded() if taken.type == "s"]
    if len(values) < count or any(len(value) > ENUM_LENGTH for value in values):
        return []
    return sorted(values)


def _nearly(seen: Seen, locale: Locale) -> list[Note]:
    """Most of the values are of a narrower type: the others may be mistakes."""
    for kind in ("integer", "number", "date", "datetime"):
        faulty = refused({"type": kind}, seen, locale)
        share = 1 - sum(seen.cells[cell] for cell in faulty) / seen.values
        if faulty and share >= NEARLY:
            first = min(faulty, key=lambda cell: seen.first[cell])
            example, row = shown(first), seen.first[first]
            return [note("nearly", share=int(share * 100), type=kind, example=example, row=row)]
    return []
