"""What a person typed into the search box, taken apart. Any text is valid; only quotes are syntax.

- Three characters and more are found wherever they stand, inside of words too.
- One or two are found as a word; the last as the beginning of one.
- What stands between quotes is found as those whole words, in that order, in one value.
"""

import re
from dataclasses import dataclass, field

from ingestion.search import folding

LONGEST_TEXT = 200
MOST_TERMS = 16
SHORTEST_PART = 3
PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
# Typographic quotes are what office programs and phones make of the plain ones.
QUOTES = str.maketrans(dict.fromkeys("“”„‟«»", '"'))


@dataclass
class Asked:
    """`parts` stand anywhere; `phrases` are words in a row; `whole` are words, `starts` beginnings of words.

    `starts` and `whole` may repeat what a part says: they narrow by the index of words what the index of
    letters cannot. `matches_nothing`: something was typed of which nothing can be looked for.
    """

    parts: list[str] = field(default_factory=list)
    phrases: list[list[str]] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    is_blank: bool = True

    @property
    def matches_nothing(self) -> bool:
        return not self.is_blank and not (self.parts or self.phrases or self.whole or self.starts)


def read(text: str) -> Asked:
    pieces = PIECE.findall(text[:LONGEST_TEXT].translate(QUOTES))[:MOST_TERMS]
    asked = Asked(is_blank=not text.strip())
    for number, (quoted, plain) in enumerate(pieces, start=1):
        if quoted:
            _phrase(asked, folding.fold(quoted))
        elif plain:
            _term(asked, folding.fold(plain), is_last=number == len(pieces))
    return asked


def _phrase(asked: Asked, folded: str) -> None:
    words = folding.words(folded)
    if words:
        asked.phrases.append(words)
    if len(folded) >= SHORTEST_PART and len(words) != 1:
        asked.parts.append(folded)


def _term(asked: Asked, folded: str, *, is_last: bool) -> None:
    if len(folded) >= SHORTEST_PART:
        asked.parts.append(folded)
        _narrow(asked, folded)
        return
    words = folding.words(folded)
    asked.whole += words[:-1] if is_last else words
    asked.starts += words[-1:] if is_last else []


def _narrow(asked: Asked, folded: str) -> None:
    """In “ab-12/7” the 12 is a whole word and the 7 begins one; only of the first it is not known."""
    words = folding.words(folded)
    if len(words) < 2 or any(len(word) == folding.LONGEST_WORD for word in words):
        return
    asked.whole += words[1:-1]
    asked.starts.append(words[-1])
