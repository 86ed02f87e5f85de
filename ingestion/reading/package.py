"""The zip package around a workbook: refused before anything is unpacked when it is not what it says."""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from .failures import Refused
from .limits import BLOCK_BYTES, DIRECTORY_BYTES, PACKAGE_BYTES, PACKAGE_PARTS, SMALL_PART_BYTES

END_OF_DIRECTORY = struct.Struct("<4s4H2LH")
END_MAGIC = b"PK\x05\x06"
# The 64-bit form of the same record; its counts stand 32 bytes into it.
WIDE_END_MAGIC = b"PK\x06\x06"
WIDE_SIZES = struct.Struct("<2Q")
ENCRYPTED_FLAG = 0x1
# What zipfile raises on a package that does not hold together.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, OverflowError)
DECLARATION = re.compile(rb'\s*<\?xml[^>]*?encoding\s*=\s*["\']([A-Za-z0-9._-]+)["\']')


class Package:
    """The parts of a workbook by name, without regard to case, as Office compares them."""

    def __init__(self, file: BinaryIO) -> None:
        _check_directory(file)
        try:
            self.zip = zipfile.ZipFile(file)
        except (*DAMAGE, ValueError, UnicodeDecodeError) as error:
            raise Refused("damaged_file", reason="its zip directory cannot be read") from error
        infos = self.zip.infolist()
        if len(infos) > PACKAGE_PARTS:
            raise Refused("too_many_parts", parts=len(infos), most=PACKAGE_PARTS)
        size = sum(info.file_size for info in infos)
        if size > PACKAGE_BYTES:
            raise Refused("package_too_large", size=size, most=PACKAGE_BYTES)
        self.parts: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            name = _plain_name(info.filename)
            # Folders, and the second fork that macOS gives each file, are no parts.
            if name.endswith("/") or name.startswith("__macosx/"):
                continue
            if self.parts.setdefault(name, info) is not info:
                raise Refused("damaged_file", reason="two of its parts have the same name")
        self.read_bytes = 0

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.parts

    def size(self, name: str) -> int:
        return self.parts[name.lower()].file_size if name in self else 0

    def small(self, name: str) -> bytes:
        """A part that honest files keep small, whole."""
        if self.size(name) > SMALL_PART_BYTES:
            raise Refused("file_exceeds_limits", limit=f"the size of {name}", most=SMALL_PART_BYTES)
        return b"".join(self.blocks(name))

    def blocks(self, name: str) -> Iterator[bytes]:
        """A part block by block. Reading to the end checks its declared size and checksum."""
        info = self.parts.get(name.lower())
        if info is None:
            raise Refused("damaged_file", reason=f"its part “{name}” is missing")
        if info.flag_bits & ENCRYPTED_FLAG:
            raise Refused("format_encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused("damaged_file", reason=f"its part “{name}” is compressed in an unusual way")
        try:
            with self.zip.open(info) as part:
                first = True
                while block := part.read(BLOCK_BYTES):
                    if first:
                        block = _utf8_only(name, block)
                        first = False
                    self._count(len(block))
                    yield block
        except DAMAGE as error:
            raise Refused("damaged_file", reason=f"its part “{name}” cannot be unpacked") from error

    def _count(self, size: int) -> None:
        self.read_bytes += size
        # Twice, because a part that needs the careful way is opened a second time.
        if self.read_bytes > 2 * PACKAGE_BYTES:
            raise Refused("package_too_large", size=self.read_bytes, most=PACKAGE_BYTES)


def _plain_name(name: str) -> str:
    """Some programs write backslashes, or begin with a slash."""
    return name.replace("\\", "/").lower().lstrip("/")


def _check_directory(file: BinaryIO) -> None:
    """Look at the end record alone: a directory of 200,000 entries is never loaded."""
    size = file.seek(0, 2)
    file.seek(max(0, size - END_OF_DIRECTORY.size - 0xFFFF))
    tail = file.read()
    at = tail.rfind(END_MAGIC)
    if at < 0 or len(tail) - at < END_OF_DIRECTORY.size:
        raise Refused("damaged_file", reason="its zip directory is missing, so it was not copied whole")
    fields = END_OF_DIRECTORY.unpack_from(tail, at)
    entries, directory_size = fields[4], fields[5]
    wide = tail.rfind(WIDE_END_MAGIC, 0, at)
    if wide >= 0 and (entries == 0xFFFF or directory_size == 0xFFFFFFFF):
        entries, directory_size = WIDE_SIZES.unpack_from(tail, wide + 32)
    if entries > PACKAGE_PARTS:
        raise Refused("too_many_parts", parts=entries, most=PACKAGE_PARTS)
    if directory_size > DIRECTORY_BYTES:
        raise Refused("damaged_file", reason="its zip directory is too large")
    file.seek(0)


def _utf8_only(name: str, block: bytes) -> bytes:
    if not name.lower().endswith((".xml", ".rels")):
        return block
    if block.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in block[:64]:
        raise Refused("part_not_utf8", part=name)
    if block.startswith(b"\xef\xbb\xbf"):
        block = block[3:]
    declared = DECLARATION.match(block)
    if declared and declared[1].lower() not in (b"utf-8", b"utf8", b"us-ascii", b"ascii"):
        raise Refused("part_not_utf8", part=name)
    return block
