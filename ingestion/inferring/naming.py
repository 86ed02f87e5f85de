"""Names of fields from the headings of a file, so that each heading finds its own field again."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from ingestion.checking import texts

SPELT = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
LONGEST = 60


def usable(headings: Sequence[str]) -> list[int]:
    """Places of columns that can become fields: with a heading, and one that no other column is like."""
    like = Counter(_like(heading) for heading in headings)
    return [place for place, heading in enumerate(headings) if heading.strip() and like[_like(heading)] == 1]


def names(headings: Sequence[str], places: Sequence[int]) -> list[str]:
    """A name for each of the usable headings.

    A name is never like the heading of another column, or it would be found under that one. A heading
    without letters and digits is its own name: nothing but itself can be matched with it.
    """
    given: list[str] = []
    taken: set[str] = set()
    for place in places:
        heading = headings[place]
        others = taken | {texts.loose(each) for other, each in enumerate(headings) if other != place}
        name = identifier(heading) or heading
        number = 2
        while (texts.loose(name) or name) in others:
            name = f"{identifier(heading) or 'field'}_{number}"
            number += 1
        taken.add(texts.loose(name) or name)
        given.append(name)
    return given


def identifier(text: str) -> str:
    """Letters and digits of any script, without the marks of Latin ones, joined by underscores."""
    plain = unicodedata.normalize("NFKC", texts.ZERO_WIDTH.sub("", text)).casefold().translate(SPELT)
    bare = "".join(
        character
        for character in unicodedata.normalize("NFD", plain)
        if not "\u0300" <= character <= "\u036f"
    )
    joined = re.sub(r"[\W_]+", "_", unicodedata.normalize("NFC", bare)).strip("_")
    return joined[:LONGEST].strip("_")


def _like(heading: str) -> str:
    return texts.loose(heading) or heading
