"""The encoding of a text file: byte order mark, zero bytes, valid UTF-8, else the organisation's default."""

import codecs
import re
from dataclasses import dataclass
from typing import Any, BinaryIO

from .failures import Refused
from .limits import BLOCK_BYTES
from .wide import zero_pattern

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
    "utf-32-le": "UTF-32",
    "utf-32-be": "UTF-32",
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
}
LINE_END = re.compile(r"\r\n?|\n")
# A decoder that lets bytes pass which are not UTF-8 shows each as one of these characters.
NOT_UTF8 = re.compile("[\udc80-\udcff]")
BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where bytes stand that cannot be decoded: line and character from 1, and the first of the bytes."""

    line: int
    column: int
    byte: str

    def detail(self) -> dict[str, Any]:
        return {"line": self.line, "column": self.column, "byte": self.byte}


def choose(file: BinaryIO, *, default: str) -> tuple[str, str, dict[str, Any]]:
    """The encoding, the reason for it, and what else is to be said of it.
    Reads the file once to be sure, and leaves it at its start."""
    file.seek(0)
    head = file.read(4096)
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return _sure(file, encoding, "bom")
    wide = zero_pattern(head)
    if wide:
        return _sure(file, wide, "nul_pattern")
    wrong = _first_error(file, "utf-8")
    if wrong is None:
        return "utf-8", "valid_utf8", {}
    _refuse_mixture(file, wrong)
    encoding, reason, _ = _sure(file, codecs.lookup(default).name, "organisation_default")
    return encoding, reason, {"not_utf8": wrong.detail()}


def shown(encoding: str) -> str:
    return SHOWN.get(encoding, encoding)


def _sure(file: BinaryIO, encoding: str, reason: str) -> tuple[str, str, dict[str, Any]]:
    wrong = _first_error(file, encoding)
    if wrong is not None:
        raise Refused("encoding_unknown", encoding=shown(encoding), **wrong.detail())
    return encoding, reason, {}


def _refuse_mixture(file: BinaryIO, wrong: Place) -> None:
    """In a text of one encoding with one byte per letter hardly any two letters happen to be valid UTF-8.
    Where most are, it is UTF-8 with strange bytes in it, and the default would spoil all its letters."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    good = bad = 0
    file.seek(0)
    while block := file.read(BLOCK_BYTES):
        text = decoder.decode(block)
        if not text.isascii():
            bad += len(NOT_UTF8.findall(text))
            good += len(BEYOND_ASCII.findall(text))
    file.seek(0)
    if good > bad:
        raise Refused("encoding_mixed", **wrong.detail())


def _first_error(file: BinaryIO, encoding: str) -> Place | None:
    """The first bytes that are not of this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    file.seek(0)
    line, before, ended_with_return = 1, 0, False
    try:
        while True:
            block = file.read(BLOCK_BYTES)
            text = decoder.decode(block, not block)
            if not block:
                return None
            ends = text.count("\n") + text.count("\r") - text.count("\r\n")
            line += ends - (ended_with_return and text.startswith("\n"))
            ended_with_return = text.endswith("\r") if text else ended_with_return
            before = len(_last_line(text)) + (0 if ends else before)
    except UnicodeDecodeError as error:
        # What the decoder kept from the block before stands at the start of this one.
        good = bytes(error.object[: error.start]).decode(error.encoding, "replace")
        ends = len(LINE_END.findall(good))
        column = len(_last_line(good)) + (0 if ends else before) + 1
        ends -= ended_with_return and good.startswith("\n")
        return Place(line + ends, column, f"0x{error.object[error.start]:02X}")
    finally:
        file.seek(0)


def _last_line(text: str) -> str:
    return text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]
