"""Records of a binary workbook part (BIFF12): a number, a length, and that many bytes."""

import struct
from collections.abc import Iterator

from .failures import Refused
from .glancing import Beginning
from .limits import CELL_CHARACTERS, TOKEN_BYTES
from .package import Package

LENGTH = struct.Struct("<I")
# A text that is absent, as against one that is empty.
NO_TEXT = 0xFFFFFFFF


def records(package: Package | Beginning, part: str) -> Iterator[tuple[int, bytes]]:
    """Number and content of each record of a part, in order, without reading it whole."""
    rest = b""
    for block in package.blocks(part):
        data = rest + block
        at, size = 0, len(data)
        while True:
            start = at
            try:
                number, length = data[at], data[at + 1]
                at += 2
                if number & 0x80:
                    number, length = number & 0x7F | length << 7, data[at]
                    at += 1
                if length & 0x80:
                    length, at = _long_length(data, at)
            except IndexError:
                at = start
                break
            if at + length > size:
                at = start
                break
            yield number, data[at : at + length]
            at += length
        rest = data[at:]
        if len(rest) > TOKEN_BYTES:
            raise Refused("file_exceeds_limits", limit="the size of one record", most=TOKEN_BYTES)
    if rest:
        raise Refused("damaged_file", reason=f"its part “{part}” ends in the middle of a record")


def _long_length(data: bytes, at: int) -> tuple[int, int]:
    """A length of up to four bytes, seven bits in each; `at` stands behind the first."""
    length = data[at - 1] & 0x7F
    for shift in (7, 14, 21):
        byte = data[at]
        at += 1
        length |= (byte & 0x7F) << shift
        if not byte & 0x80:
            break
    return length, at


def wide_text(record: bytes, at: int) -> tuple[str, int]:
    """The text at this place of a record, and where it ends."""
    (length,) = LENGTH.unpack_from(record, at)
    at += LENGTH.size
    if length == NO_TEXT:
        return "", at
    if length > CELL_CHARACTERS:
        raise Refused("file_exceeds_limits", limit="the length of a cell's text")
    end = at + 2 * length
    if end > len(record):
        raise Refused("damaged_file", reason="a text is longer than its record")
    return record[at:end].decode("utf-16-le", "surrogatepass"), end
