"""Reads a zip package: what is in it decides which reader has it."""

from typing import Any, BinaryIO

from .contents import main_part
from .kinds import Kind
from .ods import read_ods
from .opening import Looking
from .package import Package
from .wire import FrameWriter
from .xlsb import read_xlsb
from .xlsx import read_xlsx


def read_package(
    file: BinaryIO, writer: FrameWriter, looking: Looking, *, spill_bytes: int
) -> dict[str, Any]:
    package = Package(file)
    kind, part = main_part(package)
    if kind == Kind.ODS:
        return read_ods(package, writer, looking)
    if kind == Kind.XLSB:
        return read_xlsb(package, part, writer, looking, spill_bytes=spill_bytes)
    return read_xlsx(package, part, writer, looking, spill_bytes=spill_bytes)
