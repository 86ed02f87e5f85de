"""The encoding of a text file: byte order mark, zero bytes, valid UTF-8, else the organisation's default."""

import codecs
from typing import BinaryIO

from .failures import Refused
from .limits import BLOCK_BYTES

# UTF-32 first: its mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SHOWN = {
    "utf-8-sig": "UTF-8",
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
}


def choose(file: BinaryIO, *, default: str) -> tuple[str, str]:
    """The encoding and the reason for it. Reads the file once to be sure, and leaves it at its start."""
    file.seek(0)
    head = file.read(4096)
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return _sure(file, encoding, "bom")
    wide = _zero_pattern(head)
    if wide:
        return _sure(file, wide, "nul_pattern")
    if _first_error(file, "utf-8") is None:
        return "utf-8", "valid_utf8"
    return _sure(file, codecs.lookup(default).name, "organisation_default")


def shown(encoding: str) -> str:
    return SHOWN.get(encoding, encoding)


def _sure(file: BinaryIO, encoding: str, reason: str) -> tuple[str, str]:
    line = _first_error(file, encoding)
    if line is not None:
        raise Refused("encoding_unknown", encoding=shown(encoding), line=line)
    return encoding, reason


def _zero_pattern(head: bytes) -> str | None:
    """UTF-16 without a mark: Latin text has a zero in nearly every second byte, and none in the others."""
    pairs = len(head) // 2
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd * 2 > pairs and even * 10 < odd:
        return "utf-16-le"
    if even * 2 > pairs and odd * 10 < even:
        return "utf-16-be"
    return None


def _first_error(file: BinaryIO, encoding: str) -> int | None:
    """The line of the first bytes that are not of this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    file.seek(0)
    line = 1
    try:
        while block := file.read(BLOCK_BYTES):
            line += decoder.decode(block).count("\n")
        decoder.decode(b"", True)
    except UnicodeDecodeError as error:
        return line + error.object[: error.start].count(b"\n")
    finally:
        file.seek(0)
    return None
