"""From the attributes and the text of an OpenDocument cell to its JSON on the wire."""

import re
from collections.abc import Callable, Sequence

from .cells import CURRENCY, DATE, DATETIME, DURATION, MARK, PERCENT, TIME
from .ods_styles import TABLE, URN, Styles
from .strings import SharedStrings
from .values import BOOLEANS, NOT_CALCULATED, NULL, Converter, Values, literal_fragment, marked, number_bytes

OFFICE, TEXT = f"{URN}office:1.0 ", f"{URN}text:1.0 "
COVERED = TABLE + "covered-table-cell"
FORMULA, VALUE_TYPE = TABLE + "formula", OFFICE + "value-type"
VALUE = OFFICE + "value"
# LibreOffice says here what the standard has no word for.
TRUE_TYPE = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0 value-type"
ERROR = re.compile(
    r"#(?:N/A|DIV/0!|REF!|NAME\?|VALUE!|NUM!|NULL!)|(?:Err|Fehler|Erreur|Błąd):[0-9]{3}"
).fullmatch
DAY = re.compile(
    r"(-?[0-9]{4,6}-[0-9]{2}-[0-9]{2})(?:T([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]+))?)?Z?"
).fullmatch
ELAPSED = re.compile(
    r"(-)?P(?:([0-9]{1,7})D)?(?:T(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9}(?:[.,][0-9]{1,18})?)S)?)?"
).fullmatch
WHITE_SPACE = re.compile(r"[ \t\r\n]+")
# Placeholders for the spaces, tabs and line breaks that the text names as elements.
NAMED_SPACES = str.maketrans("\x00\x01\x02", " \t\n")
DAY_SECONDS = 86_400


class CellMaker:
    """Keeps what it learned about each style."""

    def __init__(self, styles: Styles) -> None:
        self.styles = styles
        self.formats: list[str] = []
        self.values = Values(strings=SharedStrings(), formats=self.formats, date1904=False)
        self.converters: dict[str, Converter] = {}
        self.meanings: dict[str, str] = {}

    def cell(
        self, attributes: dict[str, str], paragraphs: Sequence[list[str]], inherited: Callable[[], str]
    ) -> bytes | None:
        """None for a cell without a value. `inherited` gives the style of the column or row."""
        cell_type = attributes.get(VALUE_TYPE)
        if FORMULA in attributes:
            if cell_type is None and not paragraphs:
                return NOT_CALCULATED
            error = self._error(attributes, paragraphs)
            if error:
                return marked("e", error)
        if cell_type is None or cell_type == "string":
            given = attributes.get(OFFICE + "string-value")
            text = shown(paragraphs) if given is None else given
            return literal_fragment(text) if text else None
        style = attributes.get(TABLE + "style-name") or inherited()
        if cell_type == "float" or cell_type == "percentage" or cell_type == "currency":
            return self._number(cell_type, attributes, style)
        if cell_type == "boolean":
            return BOOLEANS[b"1" if attributes.get(OFFICE + "boolean-value") == "true" else b"0"]
        if cell_type == "date":
            return date_fragment(attributes.get(OFFICE + "date-value", ""), self._meaning(style))
        if cell_type == "time":
            return time_fragment(attributes.get(OFFICE + "time-value", ""), self._meaning(style))
        text = shown(paragraphs)
        return literal_fragment(text) if text else None

    def _error(self, attributes: dict[str, str], paragraphs: Sequence[list[str]]) -> str:
        """The error that a formula came to. A text that merely looks like one is typed as text."""
        true_type = attributes.get(TRUE_TYPE)
        text = shown(paragraphs) or attributes.get(OFFICE + "string-value", "")
        if true_type == "error":
            return text or "#VALUE!"
        return text if true_type is None and ERROR(text) else ""

    def _number(self, cell_type: str, attributes: dict[str, str], style: str) -> bytes | None:
        digits = attributes.get(VALUE, "")
        if not digits:
            return None
        if cell_type == "percentage":
            meaning = PERCENT
        elif cell_type == "currency":
            symbol = attributes.get(OFFICE + "currency", "")
            meaning = CURRENCY + symbol[:20] if symbol else self._meaning(style)
        else:
            meaning = self._meaning(style)
        convert = self.converters.get(meaning)
        if convert is None:
            self.formats.append(meaning)
            convert = self.values.converter(None, b"%d" % (len(self.formats) - 1))
            self.converters[meaning] = convert
        return convert(digits.encode())

    def _meaning(self, style: str) -> str:
        found = self.meanings.get(style)
        if found is None:
            found = self.meanings[style] = self.styles.meaning(style)
        return found


def shown(paragraphs: Sequence[list[str]]) -> str:
    """The text of a cell: white space is collapsed, as it is shown, but for the spaces named as such."""
    if len(paragraphs) == 1 and len(paragraphs[0]) == 1:
        text = paragraphs[0][0]
        if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
            return text
    lines = (WHITE_SPACE.sub(" ", "".join(pieces)).strip(" ") for pieces in paragraphs)
    return "\n".join(lines).translate(NAMED_SPACES)


def date_fragment(value: str, meaning: str) -> bytes:
    found = DAY(value)
    if found is None:
        return marked("d", value[:40]) if value else NULL
    day, clock, fraction = found.groups()
    milliseconds = (fraction or "").ljust(3, "0")[:3]
    if milliseconds.strip("0"):
        clock = f"{clock}.{milliseconds}"
    if meaning == DATETIME or (clock and meaning != DATE):
        return marked("d", f"{day}T{clock or '00:00:00'}{MARK}{DATETIME}")
    return marked("d", (day if clock in (None, "00:00:00") else f"{day}T{clock}") + MARK + DATE)


def time_fragment(value: str, meaning: str) -> bytes:
    """A time of day; or, under such a format or from 24 hours on, an elapsed time as days."""
    found = ELAPSED(value)
    if found is None or value.endswith(("P", "T")):
        return marked("d", value[:40]) if value else NULL
    sign, days, hours, minutes, seconds = found.groups()
    whole = int(days or 0) * DAY_SECONDS + int(hours or 0) * 3600 + int(minutes or 0) * 60
    milliseconds = whole * 1000 + round(float((seconds or "0").replace(",", ".")) * 1000)
    if sign or meaning == DURATION or milliseconds >= DAY_SECONDS * 1000:
        digits = number_bytes((-1 if sign else 1) * milliseconds / (DAY_SECONDS * 1000))
        return marked("n", digits.decode() + MARK + DURATION)
    rest, milliseconds = divmod(milliseconds, 1000)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return marked("d", (f"{clock}.{milliseconds:03}" if milliseconds else clock) + MARK + TIME)
