"""How names are compared without regard to their look. Pure: the reader's child imports it too."""

import re
import unicodedata

ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
NOT_WORD = re.compile(r"[\W_]+")


def loose(text: str) -> str:
    """Letters and digits only, without regard to case, spaces, punctuation and Unicode form."""
    return NOT_WORD.sub("", ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text))).casefold()


def comparable(text: str) -> str:
    """The loose form, or the text itself where it has neither letters nor digits, as in “€”."""
    return loose(text) or text.strip()
