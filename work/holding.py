"""Columns that hold a text anywhere, in any case, found by an index of trigrams without reading most of
it.
"""

from django.db.models import Q, Value
from django.db.models.functions import Concat
from django.db.models.lookups import IContains

TELLING = 6


def holds(column: str, text: str, *, by_index: bool = True) -> Q:
    """For `filter`. Of a long text with digits only the most telling part is looked up, and the rows found
    are compared with the whole: an index reads a list for each three letters, and those of a word that is in
    every row are as long as the table.
    """
    whole = Q(IContains(Concat(column, Value("")), text))  # an expression that no index knows
    if not by_index:
        return whole
    part = telling_part(text)
    looked_up = Q(**{f"{column}__icontains": part})
    return looked_up if part == text else looked_up & whole


def telling_part(text: str) -> str:
    """The few characters with the most digits; all of a text without any."""
    starts = range(len(text) - TELLING + 1)
    if len(text) <= TELLING or not any(map(str.isdigit, text)):
        return text
    return max(
        (text[start : start + TELLING] for start in starts), key=lambda part: sum(map(str.isdigit, part))
    )
