"""Values that the binary workbooks .xls and .xlsb share."""

import math
import struct

from .values import marked, number_bytes

REAL = struct.Struct("<d")
SIGNED = struct.Struct("<i")
ERRORS = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!",
    0x2A: "#N/A", 0x2B: "#GETTING_DATA",
}  # fmt: skip


def compressed_number(raw: bytes) -> float:
    """Four bytes (RK): an integer of 30 bits or the upper half of a number, perhaps to be divided by 100."""
    (bits,) = SIGNED.unpack(raw)
    value = float(bits >> 2) if bits & 2 else REAL.unpack(b"\x00\x00\x00\x00" + SIGNED.pack(bits & ~3))[0]
    return value / 100 if bits & 1 else value


def digits(value: float) -> bytes | None:
    """The number as it would stand in XML; None for one that is none, which programs show as #NUM!."""
    return number_bytes(value) if math.isfinite(value) else None


def error_fragment(code: int) -> bytes:
    return marked("e", ERRORS.get(code, "#VALUE!"))
