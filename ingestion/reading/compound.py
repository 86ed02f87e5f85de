"""The compound file (OLE2) around an old Office document: sectors in chains, a directory of streams.
Every chain is followed no further than the file has sectors, so that one that bites its tail ends."""

import struct
from array import array
from typing import BinaryIO

from .failures import Refused
from .limits import DIRECTORY_BYTES

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
HEADER_BYTES = 512
HEADER = struct.Struct("<30x2H10x2I4x5I")
NUMBERS_IN_HEADER = 109
ENTRY_BYTES = 128
ENTRY = struct.Struct("<64sHB49xIQ")
STREAM, ROOT = 2, 5
# Sector numbers from here on are marks: end of chain, free, and the table's own.
LAST_SECTOR = 0xFFFFFFFA


class Compound:
    """The streams of the file by their lower-case names, wherever in the tree of folders they stand."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = file.seek(0, 2)
        file.seek(0)
        head = file.read(HEADER_BYTES)
        if len(head) < HEADER_BYTES or not head.startswith(MAGIC):
            raise damaged("its first sector is incomplete")
        (shift, small_shift, _, directory, self.cutoff, small_table, _, more_tables, _) = HEADER.unpack_from(
            head
        )
        if shift not in (9, 12) or small_shift != 6:
            raise damaged("its sectors have an unknown size")
        self.sector_bytes, self.small_bytes = 1 << shift, 1 << small_shift
        self.sectors = self.size // self.sector_bytes
        self.table = self._table(head, more_tables)
        self.streams: dict[str, tuple[int, int]] = {}
        self.root = (0, 0)
        self._read_directory(directory)
        self.small_table = _numbers(b"".join(self._chain(small_table)))

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.streams

    def stream(self, name: str) -> bytes:
        start, size = self.streams[name.lower()]
        if size > self.size:
            raise damaged(f"its stream “{name}” is longer than the file")
        if size < self.cutoff:
            data = self._small_stream(start, size)
        else:
            data = b"".join(self._chain(start, most=size))
        if len(data) < size:
            raise damaged(f"its stream “{name}” is cut off")
        return data[:size]

    def _table(self, head: bytes, more: int) -> "array[int]":
        """Which sector follows which. It lies in sectors of its own, listed in the header and behind."""
        listed = _numbers(head[HEADER_BYTES - 4 * NUMBERS_IN_HEADER :])
        for _ in range(self.sectors):
            if more >= LAST_SECTOR:
                break
            numbers = _numbers(self._sector(more))
            more = numbers.pop()
            listed.extend(numbers)
        table = array("I")
        for number in listed:
            if number < LAST_SECTOR:
                table.extend(_numbers(self._sector(number)))
            if len(table) > self.sectors:
                break
        return table

    def _read_directory(self, start: int) -> None:
        data = b"".join(self._chain(start, most=DIRECTORY_BYTES))
        for at in range(0, len(data) - ENTRY_BYTES + 1, ENTRY_BYTES):
            name, length, kind, first, size = ENTRY.unpack_from(data, at)
            if self.sector_bytes == HEADER_BYTES:
                # Files with small sectors may leave rubbish in the upper half.
                size &= 0xFFFFFFFF
            if kind == ROOT:
                self.root = first, size
            elif kind == STREAM:
                shown = name[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
                self.streams.setdefault(shown.lower(), (first, size))

    def _chain(self, start: int, *, most: int | None = None) -> list[bytes]:
        """The sectors of a chain; `most` bytes of it are enough."""
        found: list[bytes] = []
        left = self.size if most is None else most
        sector = start
        while sector < LAST_SECTOR and left > 0:
            if len(found) > self.sectors:
                raise damaged("a chain of its sectors runs in a circle")
            found.append(self._sector(sector))
            left -= self.sector_bytes
            if sector >= len(self.table):
                raise damaged("a chain of its sectors leads nowhere")
            sector = self.table[sector]
        return found

    def _small_stream(self, start: int, size: int) -> bytes:
        """Short streams share the sectors of one long one."""
        shared = b"".join(self._chain(*self.root[:1], most=min(self.root[1], self.size)))
        found: list[bytes] = []
        while start < LAST_SECTOR and len(found) * self.small_bytes < size:
            if start >= len(self.small_table):
                raise damaged("a chain of its sectors leads nowhere")
            found.append(shared[start * self.small_bytes : (start + 1) * self.small_bytes])
            start = self.small_table[start]
        return b"".join(found)

    def _sector(self, number: int) -> bytes:
        if number >= self.sectors:
            raise damaged("it was not copied whole")
        self.file.seek((number + 1) * self.sector_bytes)
        data = self.file.read(self.sector_bytes)
        # The last sector of the file may be cut short.
        return data.ljust(self.sector_bytes, b"\x00")


def damaged(reason: str) -> Refused:
    return Refused("damaged_file", reason=reason)


def _numbers(data: bytes) -> "array[int]":
    numbers = array("I")
    numbers.frombytes(data[: len(data) // 4 * 4])
    return numbers
