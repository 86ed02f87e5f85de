"""Text as it is compared: without case and accents, the same for what is stored and for what is asked."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from ingestion.checking.texts import CONTROL, ZERO_WIDTH

# Letters that Unicode does not take apart into a base and a mark.
WHOLE = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th",
})  # fmt: skip
WORD = re.compile(r"\w+")
MARK = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
)
BETWEEN_VALUES = "\n"
POSITIONS_BETWEEN_VALUES = 8
POSITIONS_KEPT = 200
LONGEST_WORD = 100


def fold(text: str) -> str:
    """Spaces of any kind become one space each run; folding twice changes nothing."""
    if text.isascii():
        return " ".join(CONTROL.sub(" ", text).lower().split())
    taken_apart = unicodedata.normalize("NFKD", ZERO_WIDTH.sub("", text).casefold())
    plain = MARK.sub("", taken_apart).casefold().translate(WHOLE)
    return " ".join(CONTROL.sub(" ", unicodedata.normalize("NFC", plain)).split())


def words(folded: str) -> list[str]:
    return [word[:LONGEST_WORD] for word in WORD.findall(folded)]


def texts_of(data: dict[str, Any]) -> list[str]:
    """The values of a record, folded, each for itself: a phrase never runs from one into the next."""
    return [folded for value in _values(data) if (folded := fold(value))]


def placed_words(texts: Iterable[str]) -> str:
    """Each word with the places where it stands, as a tsvector is written: `'word':3,17 'other':4`."""
    found: dict[str, list[str]] = {}
    place = 0
    for text in texts:
        for word in words(text):
            place += 1
            places = found.get(word)
            if places is None:
                found[word] = [str(place)]
            elif len(places) < POSITIONS_KEPT:
                places.append(str(place))
        place += POSITIONS_BETWEEN_VALUES
    return " ".join([f"'{word}':{','.join(places)}" for word, places in found.items()])


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _values(each)
    elif isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif value is not None:
        yield str(value)
