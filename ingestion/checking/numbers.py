"""Numbers written as text, by what the field declares, else by the locale and only where it is certain."""

import re
from dataclasses import dataclass
from decimal import Decimal

from ingestion.checking.locales import Locale

LONGEST_NUMBER = 60
# Beyond this a JSON number could not be read back by other programs.
LARGEST_EXPONENT = 308
PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII).fullmatch
AROUND = re.compile(r"^[^\d.,+-]+|[^\d.,]+$", re.ASCII)
SPACES = str.maketrans("", "", " \u00a0\u202f\u2009")


class NotANumber(Exception):
    """The text is no number, or (ambiguous) it is two."""

    def __init__(self, *, ambiguous: bool = False) -> None:
        super().__init__(ambiguous)
        self.ambiguous = ambiguous


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """decimal and group as declared, None where the locale decides; bare: the number must stand alone."""

    decimal: str | None
    group: str | None
    bare: bool
    locale: Locale

    def parse(self, text: str) -> Decimal:
        text = text.strip()
        if len(text) > LONGEST_NUMBER or not _western(text):
            raise NotANumber
        if not self.bare:
            text = AROUND.sub("", text)
        if self.decimal is None and self.group is None:
            return _decimal(self._by_locale(text))
        if self.group:
            text = text.replace(self.group, "")
        return _decimal(text.replace(self.decimal or ".", "."))

    def _by_locale(self, text: str) -> str:
        decimal, group = self.locale.decimal, self.locale.group
        if group in ("’", " "):
            text = text.translate(SPACES).replace("’", "").replace("'", "")
            group = "," if decimal == "." else "."
        if group not in text:
            return text.replace(decimal, ".")
        whole, point, fraction = text.partition(decimal)
        groups = whole.lstrip("+-").split(group)
        if _well_grouped(groups) and group not in fraction:
            if not point and len(groups) == 2:
                raise NotANumber(ambiguous=True)
            return whole.replace(group, "") + ("." + fraction if point else "")
        if group == "." and not point:
            # "1.5" where the comma is usual: no group of thousands, so it can only be a fraction.
            return text
        raise NotANumber


def _well_grouped(groups: list[str]) -> bool:
    return 1 <= len(groups[0]) <= 3 and groups[0] != "0" and all(len(group) == 3 for group in groups[1:])


def _western(text: str) -> bool:
    """No digits of other scripts, which Decimal would read."""
    return text.isascii() or not any(character.isdigit() and not character.isascii() for character in text)


def _decimal(text: str) -> Decimal:
    if not PLAIN(text):
        raise NotANumber
    number = Decimal(text)
    if number and abs(number.adjusted()) > LARGEST_EXPONENT:
        raise NotANumber
    return number
