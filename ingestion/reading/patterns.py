"""The strict expressions of a plain worksheet, shared by the two fast ways of reading it."""

import re

HIDDEN = re.compile(rb'\shidden="(?:1|true)"').search
split_cells = re.compile(
    rb'<c(?: r="([A-Z]{1,4})([0-9]{1,9})")?(?: s="([0-9]{1,5})")?(?: t="([A-Za-z]+)")?(?: s="([0-9]{1,5})")?'
    rb"(?:/>|>"
    rb"(<f(?:\s[^<>]*)?(?:/>|>[^<]*</f>))?"
    rb'(?:<v>([^<]*)</v>|<is><t(?: xml:space="preserve")?>([^<]*)</t></is>)?</c>)'
).split
# split gives a gap, then the eight groups of a cell, again and again.
STRIDE = 9
