"""Columns that hold a text anywhere, in any case, found by an index of trigrams without reading most of
it.
"""

import re

from django.db.models import Q, Value
from django.db.models.functions import Concat
from django.db.models.lookups import IContains

TELLING = 6
DIGITS = re.compile(f"[0-9]{{3,{TELLING}}}")


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
    """Three to six digits in a row, or else the few characters with the most of them; all of a text without
    any."""
    in_a_row = max(DIGITS.findall(text), key=len, default="")
    if in_a_row:
        return in_a_row
    if len(text) <= TELLING or not any(map(str.isdigit, text)):
        return text
    parts = [text[start : start + TELLING] for start in range(len(text) - TELLING + 1)]
    return max(parts, key=lambda part: sum(map(str.isdigit, part)))
