"""The cell on the wire. None: blank. str: text. int, float: a number whose format says nothing more.
A str that begins with MARK holds any other cell: a letter, the raw value, and MARK + format if there is one:
n number, b boolean, e error value, d date or time in ISO form, f formula without a stored value, s text."""

from typing import NamedTuple

# DEL is one byte in JSON, and the checks refuse it in text anyway.
MARK = "\x7f"
NOT_CALCULATED = "\x7ff"
# Formats of n and d: date, date with time, time of day, elapsed time, percent;
# z:TEMPLATE zeros to fill up, c:SYMBOL a currency, g a number in an unusual spelling.
DATE, DATETIME, TIME, DURATION, PERCENT, ZEROS, CURRENCY, PLAIN = "d", "dt", "t", "du", "%", "z:", "c:", "g"

WireCell = str | int | float | None


class Cell(NamedTuple):
    """A cell taken apart: type as in the module's heading, plus '' for blank."""

    type: str
    raw: str
    format: str = ""


def decode(cell: WireCell) -> Cell:
    if cell is None:
        return Cell("", "")
    if not isinstance(cell, str):
        return Cell("n", repr(cell))
    if not cell.startswith(MARK):
        return Cell("s", cell)
    if cell[1:2] == "s":
        return Cell("s", cell[2:])
    raw, _, number_format = cell[2:].partition(MARK)
    return Cell(cell[1:2], raw, number_format)


def text(value: str) -> WireCell:
    """Text for the wire; empty text is a blank cell."""
    if value.startswith(MARK):
        return MARK + "s" + value
    return value or None


def column_letters(index: int) -> str:
    """0 is A, 25 is Z, 26 is AA."""
    letters = ""
    index += 1
    while index:
        index, remainder = divmod(index - 1, 26)
        letters = chr(65 + remainder) + letters
    return letters


def column_index(letters: str) -> int:
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - 64
    return index - 1
