"""A cell as the spreadsheet program shows it, for people and for text columns."""

from decimal import Context, Decimal

from ingestion.checking import texts
from ingestion.reading.cells import DURATION, PERCENT, ZEROS, Cell, WireCell, decode

SECONDS_PER_DAY = 86_400
# The usual context rounds to 28 digits; numbers in text may have 60.
EXACT = Context(prec=100)
HUNDRED = Decimal(100)


def cell_text(cell: WireCell) -> str:
    """The cell as a bounded text that may be stored."""
    if cell is None:
        return ""
    if isinstance(cell, str) and cell[:1] != "\x7f":
        return texts.shown(cell)
    return texts.shown(plain_text(decode(cell)))


def plain_text(cell: Cell) -> str:
    if cell.type == "b":
        return "TRUE" if cell.raw == "1" else "FALSE"
    if cell.type == "n":
        return number_text(cell)
    return cell.raw


def number_text(cell: Cell) -> str:
    """Number cells: zeros filled up, percent and elapsed time as shown; else the digits alone."""
    number = fifteen_digits(cell.raw)
    if cell.format.startswith(ZEROS) and number >= 0:
        return fill_template(cell.format[len(ZEROS) :], number)
    if cell.format == PERCENT:
        return digits(EXACT.multiply(number, HUNDRED)) + "%"
    if cell.format == DURATION and number >= 0:
        seconds = round(number * SECONDS_PER_DAY)
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return digits(number)


def fill_template(template: str, number: Decimal) -> str:
    """6083 in 00000 is 06083; 123456789 in 000-00-0000 is 123-45-6789."""
    left = list(str(int(number.to_integral_value())).rjust(template.count("0"), "0"))
    filled = [left.pop() if place == "0" else place for place in reversed(template)]
    return "".join(left) + "".join(reversed(filled))


def fifteen_digits(raw: str) -> Decimal:
    """Spreadsheet programs keep and show 15 digits; what follows is noise of binary fractions."""
    return Decimal(f"{float(raw):.15g}")


def digits(number: Decimal) -> str:
    """The shortest exact text of a number, without an exponent where a person would write none."""
    if not number:
        return "0"
    number = EXACT.normalize(number)
    return format(number, "f") if -30 <= number.adjusted() <= 30 else str(number)
