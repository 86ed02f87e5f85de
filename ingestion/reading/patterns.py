"""The strict expressions of a plain worksheet, shared by the two fast ways of reading it."""

import re

# A cell has seven groups: letters, digits, attributes, value, inline text, formula, value after a formula.
split_cells = re.compile(
    rb'<c(?: r="([A-Z]{1,4})([0-9]{1,9})")?([^<>/]*)(?:>'
    rb'(?:<v>([^<]*)</v>|<is><t(?: xml:space="preserve")?>([^<]*)</t></is>'
    rb"|(<f(?:\s[^<>]*)?(?:/>|>[^<]*</f>))(?:<v>([^<]*)</v>)?)?</c>|/>)"
).split
# split gives a gap, then the groups of a cell, again and again.
STRIDE = 8
LETTERS, DIGITS, ATTRIBUTES, VALUE, TEXT, FORMULA, RESULT = range(1, STRIDE)

HIDDEN = re.compile(rb'\shidden="(?:1|true)"').search
_ATTRIBUTES = re.compile(
    rb'(?: s="([0-9]{1,5})")?(?: t="(n|s|str|inlineStr|b|e|d)")?(?: s="([0-9]{1,5})")?\s*'
).fullmatch


def type_and_style(attributes: bytes) -> tuple[bytes | None, bytes | None] | None:
    """What the attributes of a cell say after its address; None when they say something else."""
    match = _ATTRIBUTES(attributes)
    return (match[2], match[1] or match[3]) if match else None
