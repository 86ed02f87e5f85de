"""Text in the XML of a workbook: the escapes of XML, and those that Office adds of its own (_x000D_)."""

import re

ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6})|(\w+));|&")
CONTROL = re.compile(r"_x([0-9A-Fa-f]{4})_")
CONTROL_BYTES = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]").search


class NeedsCare(Exception):
    """The fast way does not cover this; expat decides."""


def from_markup(raw: bytes) -> str:
    text = raw.decode()
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if CONTROL_BYTES(text):
        raise NeedsCare
    return REFERENCE.sub(_character, text) if "&" in text else text


def unescape_controls(text: str) -> str:
    """_x000D_ is a carriage return; _x005F_ an underscore, so that _x005F_x000D_ is the text _x000D_."""
    return CONTROL.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name in ENTITIES:
        return ENTITIES[name]
    if not (decimal or hexadecimal):
        raise NeedsCare
    code = int(decimal) if decimal else int(hexadecimal, 16)
    # The characters that XML forbids are expat's to refuse.
    if (
        (code < 32 and code not in (9, 10, 13))
        or 0xD800 <= code < 0xE000
        or code > 0x10FFFF
        or code | 1 == 0xFFFF
    ):
        raise NeedsCare
    return chr(code)
