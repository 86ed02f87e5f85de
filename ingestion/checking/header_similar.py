"""How much a heading is like the name of a field. Never enough to take one for the other: a person is asked.

The bounds were found by looking at pairs, which stand in the test: typing errors, other languages' spellings,
turned words and added units lie above ASK, mere relatives below.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from ingestion.reading.loosely import loose

# From here on a heading is offered for a field; from the second on it is asked about, even if the field could
# be left out.
OFFER = 0.6
ASK = 0.75
MOST_COMPARED = 200
WORD = re.compile(r"[^\W\d_]+|\d+")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def likeness(heading: str, name: str) -> float:
    """0 to 1. Names that differ in a number are never alike: “Line 1” is not “Line 2”."""
    left, right = _words(heading), _words(name)
    if _numbers(left) != _numbers(right):
        return 0.0
    one, other = loose(heading), loose(name)
    if not one or not other:
        return 0.0
    letters = SequenceMatcher(None, one, other, autojunk=False).ratio()
    # Short words are alike by chance: of “age” and “page” three letters in four are the same.
    if min(len(one), len(other)) < 4:
        letters = min(letters, ASK - 0.01)
    return max(letters, _shared_words(left, right))


def pairs(
    headings: Sequence[tuple[int, str]], fields: Sequence[tuple[str, Iterable[str]]]
) -> list[tuple[float, str, int]]:
    """The best partner for each field among the headings (place, text), no heading twice, best first."""
    found = []
    for field, names in fields[:MOST_COMPARED]:
        known = [name for name in names if name]
        for place, heading in headings[:MOST_COMPARED]:
            score = max((likeness(heading, name) for name in known), default=0.0)
            if score >= OFFER:
                found.append((score, field, place))
    chosen, fields_taken, places_taken = [], set[str](), set[int]()
    for score, field, place in sorted(found, key=lambda entry: (-entry[0], entry[2])):
        if field not in fields_taken and place not in places_taken:
            chosen.append((score, field, place))
            fields_taken.add(field)
            places_taken.add(place)
    return chosen


def _words(text: str) -> list[str]:
    spaced = CAMEL.sub(" ", unicodedata.normalize("NFKC", text)).casefold().replace("_", " ")
    return WORD.findall(spaced)


def _numbers(words: Sequence[str]) -> list[str]:
    return sorted(word for word in words if word.isdigit())


def _shared_words(left: Sequence[str], right: Sequence[str]) -> float:
    if len(left) < 2 and len(right) < 2:
        return 0.0
    one, other = set(left), set(right)
    return 2 * len(one & other) / (len(one) + len(other))
