"""What a person is told about a field that was inferred: a code, and a sentence made from its detail."""

from dataclasses import dataclass
from typing import Any

# code: (sentence, whether a person should look before saving)
SENTENCES: dict[str, tuple[str, bool]] = {
    "no_values": ("The sample holds no value here, so nothing is known about its type.", True),
    "dates_either_way": (
        "Nothing in the sample says whether the day or the month comes first. The {chosen} was taken to come"
        " first, as usual in the locale {locale}.",
        True,
    ),
    "dates_as_elsewhere": ("That the {chosen} comes first was taken from another column.", False),
    "numbers_either_way": (
        "“{example}” may be a thousand or a fraction. “{chosen}” was taken for the decimal sign, as usual in"
        " the locale {locale}.",
        True,
    ),
    "numbers_as_elsewhere": ("The decimal sign “{chosen}” was taken from another column.", False),
    "two_digit_year": ("Years are written with two digits: 69 to 99 are read as 1969 to 1999.", True),
    "leading_zeros": ("Values begin with zeros, such as {example}, so they stay text.", False),
    "many_digits": ("Values have 16 digits or more, such as {example}, so they stay text.", False),
    "zero_or_one": ("Every value is 0 or 1: it may be meant as yes or no.", True),
    "nearly": (
        "{share} % of the values fit the type {type}. The others keep it text, such as “{example}” in row"
        " {row}.",
        True,
    ),
    "missing_tokens": ("{tokens} is taken for a blank cell.", True),
    "several_symbols": ("Amounts carry different symbols ({symbols}), so the values stay text.", True),
    "symbol": ("The symbol {symbols} around the number is left out.", False),
    "percent": ("Percentages of cells are stored as fractions: 52% as 0.52.", False),
    "enum_guessed": ("Only {count} values occur; others will be refused.", True),
    "unreadable_cells": (
        "Cells that no type can take, such as {example} in row {row}: {count} of them.",
        True,
    ),
    "few_values": ("Fewer than {most} values were seen.", False),
}


@dataclass(frozen=True, slots=True)
class Note:
    code: str
    message: str
    look: bool

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "look": self.look}


def note(code: str, **detail: Any) -> Note:
    sentence, look = SENTENCES[code]
    return Note(code, sentence.format_map(detail), look)
