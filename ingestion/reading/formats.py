"""Number formats: what a format code says about the value beyond its digits."""

import re

from .cells import CURRENCY, DATE, DATETIME, DURATION, PERCENT, TIME, ZEROS

# The built-in codes that carry meaning. 27-36 and 50-58 are dates in the East Asian versions.
BUILT_IN: dict[int, str] = {
    9: PERCENT,
    10: PERCENT,
    14: DATE,
    15: DATE,
    16: DATE,
    17: DATE,
    18: TIME,
    19: TIME,
    20: TIME,
    21: TIME,
    22: DATETIME,
    45: TIME,
    46: DURATION,
    47: TIME,
    **dict.fromkeys([*range(27, 32), 36, *range(50, 55), 57, 58], DATE),
    **dict.fromkeys([*range(32, 36), 55, 56], TIME),
}
QUOTED = re.compile(r'"[^"]*"?|\\.|_.|\*.')
BRACKETS = re.compile(r"\[([^\]]*)\]")
ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.I)
CURRENCY_BRACKET = re.compile(r"\[\$([^\]-]+)(?:-[0-9A-Fa-f]+)?\]")
CURRENCY_SIGN = re.compile(
    r"[$€£¥₹₽₺₩₴₫₪]|(?<![A-Za-z])(?:EUR|USD|CHF|GBP|PLN|CZK|HUF|SEK|NOK|DKK|RON|JPY)(?![A-Za-z])"
)
LITERAL_ZEROS = re.compile(r'(?:0|\\.|"[^"]*"|[-/ ()])+')
LONGEST_CODE = 255


def classify(code: str) -> str:
    """The wire format of a number format code; "" when it says nothing that the digits do not."""
    code = code[:LONGEST_CODE]
    # Only the first section counts: the others are for negative numbers, zero and text.
    section = QUOTED.sub(lambda match: match[0].replace(";", ","), code).split(";")[0]
    if not section or section.lower() == "general" or section == "@":
        return ""
    if ELAPSED.search(QUOTED.sub("", section)):
        return DURATION
    currency = CURRENCY_BRACKET.search(section) or CURRENCY_SIGN.search(section)
    bare = BRACKETS.sub("", QUOTED.sub("", section))
    when = _when(bare)
    if when:
        return when
    if "%" in bare:
        return PERCENT
    if currency and re.search(r"[0#?]", bare):
        return CURRENCY + (currency[1] if currency.re is CURRENCY_BRACKET else currency[0]).strip()
    return _zeros(section)


def _when(bare: str) -> str:
    lowered = re.sub(r"general|am/pm|a/p", lambda match: "h" if "/" in match[0] else "", bare.lower())
    has_time = bool(re.search(r"[hs]", lowered))
    has_date = bool(re.search(r"[ydeg]", lowered)) and not re.search(r"[0#?]e[+-]", lowered)
    if not (has_time or has_date) and "m" in lowered and not re.search(r"[0#?]", lowered):
        # A lone month ("mmm") is a date; minutes never stand alone.
        has_date = True
    if has_date:
        return DATETIME if has_time else DATE
    return TIME if has_time else ""


def _zeros(section: str) -> str:
    section = BRACKETS.sub("", section)
    if section.count("0") < 2 or not LITERAL_ZEROS.fullmatch(section):
        return ""
    template = re.sub(r'\\(.)|"([^"]*)"', lambda match: match[1] or match[2], section)
    # A zero inside a literal could not be told from a place for a digit.
    return ZEROS + template if template.count("0") == QUOTED.sub("", section).count("0") else ""
