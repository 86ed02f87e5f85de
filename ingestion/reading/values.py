"""From the raw value of a workbook cell to its JSON on the wire, chosen once per cell type and style."""

import re
from collections.abc import Callable, Sequence
from json.encoder import encode_basestring

from .cells import DATE, DATETIME, MARK, TIME
from .dates import iso, moments
from .failures import Refused
from .limits import CELL_CHARACTERS
from .strings import SharedStrings
from .text import NeedsCare, from_markup, unescape_controls

Converter = Callable[[bytes], bytes]
ColumnConverter = Callable[[list[bytes | None]], list[bytes]]

NULL = b"null"
NOT_CALCULATED = f'"{MARK}f"'.encode()
# What may stand in JSON as it stands in the sheet, and cannot overflow a float.
JSON_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[Ee][+-]?[0-9]{1,2})?").fullmatch
NUMBER = re.compile(
    rb"\s*[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[Ee][+-]?[0-9]{1,4})?\s*"
).fullmatch
JSON_NUMBERS = re.compile(
    rb"(?:-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[Ee][+-]?[0-9]{1,2})?,)+"
).fullmatch
BOOLEANS = {b"0": f'"{MARK}b0"'.encode(), b"1": f'"{MARK}b1"'.encode()}
DATE_FORMATS = (DATE, DATETIME, TIME)
# Beside the escapes of XML and JSON: DEL is the mark, _x may begin an escape of its own.
SPECIAL = re.compile(rb'[&"\\\x00-\x1f\x7f]|_x').search
MOST_REMEMBERED = 50_000
LARGEST_WITHOUT_EXPONENT = 1e17


class Values:
    """Makes the converter for each pair of cell type and style, and keeps it."""

    def __init__(self, *, strings: SharedStrings, formats: Sequence[str], date1904: bool) -> None:
        self.strings = strings
        self.formats = formats
        self.date1904 = date1904
        self.columns: dict[tuple[bytes | None, bytes | None], ColumnConverter] = {}
        self.converters: dict[tuple[bytes | None, bytes | None], Converter] = {}

    def converter(self, cell_type: bytes | None, style: bytes | None) -> Converter:
        found = self.converters.get((cell_type, style))
        if found is None:
            found = self.converters[cell_type, style] = self._make(cell_type, style)
        return found

    def column(self, cell_type: bytes | None, style: bytes | None) -> ColumnConverter:
        """The same for all cells of a column at once, None where a cell has no value."""
        found = self.columns.get((cell_type, style))
        if found is None:
            found = self.columns[cell_type, style] = self._make_column(cell_type, style)
        return found

    def _make_column(self, cell_type: bytes | None, style: bytes | None) -> ColumnConverter:
        convert = self.converter(cell_type, style)

        def one_by_one(raw: list[bytes | None]) -> list[bytes]:
            return [convert(value) if value else NULL for value in raw]

        quick = QUICK.get(convert)
        if cell_type == b"s":
            quick = self.strings.fragments
        elif cell_type in (None, b"n") and self._format(style) == DATETIME:
            quick = self._moments
        if quick is None:
            return one_by_one

        def at_once(raw: list[bytes | None]) -> list[bytes]:
            found = None if None in raw or b"" in raw else quick(raw)  # type: ignore[arg-type]
            return one_by_one(raw) if found is None else found

        return at_once

    def _moments(self, raw: list[bytes]) -> list[bytes] | None:
        if not JSON_NUMBERS(b",".join(raw) + b","):
            return None
        shown = moments(map(float, raw), date1904=self.date1904)
        if None in shown:
            return None
        return [f'"{MARK}d{moment}{MARK}{DATETIME}"'.encode() for moment in shown]

    def _make(self, cell_type: bytes | None, style: bytes | None) -> Converter:
        if cell_type in (None, b"n"):
            return self._number_converter(self._format(style))
        if cell_type == b"s":
            return self.strings.fragment
        if cell_type in (b"str", b"inlineStr"):
            return text_fragment
        if cell_type == b"b":
            return _boolean
        if cell_type == b"e":
            return lambda raw: marked("e", raw.decode())
        if cell_type == b"d":
            return lambda raw: marked("d", raw.decode())
        raise Refused("damaged_file", reason=f"a cell has the unknown type “{cell_type.decode()[:20]}”")

    def _format(self, style: bytes | None) -> str:
        number = int(style) if style else 0
        return self.formats[number] if number < len(self.formats) else ""

    def _number_converter(self, number_format: str) -> Converter:
        if not number_format:
            return _number
        if number_format in DATE_FORMATS:
            return self._date_converter(number_format)
        end = MARK + number_format if number_format else ""
        return lambda raw: marked("n", _checked(raw) + end)

    def _date_converter(self, number_format: str) -> Converter:
        seen: dict[bytes, bytes] = {}
        end = f'{MARK}{number_format}"'
        date1904 = self.date1904

        def convert(raw: bytes) -> bytes:
            found = seen.get(raw)
            if found is None:
                digits = raw if JSON_NUMBER(raw) else _checked(raw).encode()
                shown = iso(float(digits), number_format, date1904=date1904)
                value = f"n{digits.decode()}" if shown is None else f"d{shown}"
                found = f'"{MARK}{value}{end}'.encode()
                if len(seen) < MOST_REMEMBERED:
                    seen[raw] = found
            return found

        return convert


def text_fragment(raw: bytes) -> bytes:
    """Text as it stands in the XML, escapes and all."""
    if SPECIAL(raw) is None:
        if len(raw) > CELL_CHARACTERS:
            raise Refused("file_exceeds_limits", limit="the length of a cell's text")
        return b'"' + raw + b'"' if raw else NULL
    return plain_text_fragment(from_markup(raw))


def plain_text_fragment(value: str) -> bytes:
    """Text that expat has taken out of the XML already."""
    return literal_fragment(unescape_controls(value))


def literal_fragment(value: str) -> bytes:
    """Text of a format without escapes of its own, which says nothing else than what it shows."""
    if len(value) > CELL_CHARACTERS:
        raise Refused("file_exceeds_limits", limit="the length of a cell's text")
    if value.startswith(MARK):
        value = f"{MARK}s{value}"
    return encode_basestring(value).encode("utf-8", "surrogatepass") if value else NULL


def _number(raw: bytes) -> bytes:
    if JSON_NUMBER(raw):
        return raw
    return marked("n", _checked(raw) + MARK + "g")


def _checked(raw: bytes) -> str:
    """The digits, when they are a number at all."""
    if not NUMBER(raw):
        if b"&" in raw:
            raise NeedsCare
        written = raw[:40].decode("utf-8", "replace")
        raise Refused("damaged_file", reason=f"a number is written as “{written}”")
    return raw.strip().decode()


def _boolean(raw: bytes) -> bytes:
    found = BOOLEANS.get(raw.strip().replace(b"true", b"1").replace(b"false", b"0"))
    if found is None:
        raise Refused("damaged_file", reason="a truth value is neither 0 nor 1")
    return found


def number_bytes(value: float) -> bytes:
    """A binary number in the digits that a program would write into XML."""
    if value.is_integer() and abs(value) < LARGEST_WITHOUT_EXPONENT:
        return b"%d" % int(value)
    return repr(value).encode()


def marked(kind: str, value: str) -> bytes:
    return encode_basestring(MARK + kind + value).encode()


def _plain_texts(raw: list[bytes]) -> list[bytes] | None:
    if SPECIAL(b"".join(raw)) or max(map(len, raw)) > CELL_CHARACTERS:
        return None
    return list(map(b'"%b"'.__mod__, raw))


def _plain_numbers(raw: list[bytes]) -> list[bytes] | None:
    return raw if JSON_NUMBERS(b",".join(raw) + b",") else None


def _plain_booleans(raw: list[bytes]) -> list[bytes] | None:
    return list(map(BOOLEANS.__getitem__, raw)) if BOOLEANS.keys() >= set(raw) else None


# A whole column at once, or None when one of its values needs more.
QUICK: dict[Converter, Callable[[list[bytes]], list[bytes] | None]] = {
    text_fragment: _plain_texts,
    _number: _plain_numbers,
    _boolean: _plain_booleans,
}
