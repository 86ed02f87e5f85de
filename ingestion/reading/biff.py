"""Records of a workbook stream (BIFF 5 and 8): a type, a length of 16 bits, and that many bytes.
Long contents go on in records of their own, and texts are cut there in a way of their own."""

import struct
from collections.abc import Iterator

from .failures import Refused

HEAD = struct.Struct("<2H")
SHORT, LONG = struct.Struct("<H"), struct.Struct("<I")
CONTINUE = 0x3C
IS_WIDE, HAS_READING, HAS_RUNS = 0x01, 0x04, 0x08
BIFF5, BIFF8 = 0x0500, 0x0600


def records(data: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Type, place and length of the content of each record from `at` on."""
    size = len(data)
    while at + HEAD.size <= size:
        kind, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > size:
            raise cut_off()
        yield kind, at, length
        at += length


def cut_off() -> Refused:
    return Refused("damaged_file", reason="one of its records is cut off, so it was not copied whole")


class Text:
    """How texts are written: with a flag and in UTF-16 from BIFF 8 on, in the workbook's code page before."""

    def __init__(self, version: int, encoding: str) -> None:
        self.version = version
        self.encoding = encoding

    def read(self, data: bytes, at: int, end: int, *, length_bytes: int = 2) -> str:
        """The text that begins with its length at `at` and must end before `end`."""
        if at + length_bytes > end:
            raise cut_off()
        length = data[at] if length_bytes == 1 else SHORT.unpack_from(data, at)[0]
        at += length_bytes
        if self.version < BIFF8:
            return data[at : min(end, at + length)].decode(self.encoding, "replace")
        if at >= end:
            return ""
        flags = data[at]
        at += 1 + 2 * bool(flags & HAS_RUNS) + 4 * bool(flags & HAS_READING)
        wide = flags & IS_WIDE
        if at + (length << wide) > end:
            raise cut_off()
        return decode(data[at : at + (length << wide)], wide)


def decode(raw: bytes, wide: int) -> str:
    return raw.decode("utf-16-le", "surrogatepass") if wide else raw.decode("latin-1")


def shared_texts(pieces: list[bytes]) -> Iterator[str]:
    """The texts of the shared table (SST)."""
    (left,) = LONG.unpack_from(pieces[0], 4)
    texts = Texts(pieces)
    texts.at = 8
    while left and texts.at_something():
        left -= 1
        yield texts.text()


class Texts:
    """Texts one after the other in a record and those that continue it."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces
        self.piece = 0
        self.at = 0

    def at_something(self) -> bool:
        """Step over the ends of records; False behind the last one."""
        while self.at >= len(self.pieces[self.piece]):
            if self.piece + 1 >= len(self.pieces):
                return False
            self.piece, self.at = self.piece + 1, 0
        return True

    def text(self) -> str:
        length, flags = struct.unpack("<HB", self._take(3))
        runs = SHORT.unpack(self._take(2))[0] if flags & HAS_RUNS else 0
        reading = LONG.unpack(self._take(4))[0] if flags & HAS_READING else 0
        text = self._characters(length, flags & IS_WIDE)
        self._skip(4 * runs + reading)
        return text

    def _characters(self, length: int, wide: int) -> str:
        """A text that is cut goes on behind a flag that says anew how wide its characters are."""
        found = []
        while length:
            if self.at >= len(self.pieces[self.piece]):
                if not self.at_something():
                    raise cut_off()
                wide = self.pieces[self.piece][0] & IS_WIDE
                self.at = 1
            piece = self.pieces[self.piece]
            here = min(length, (len(piece) - self.at) >> wide)
            if not here:
                raise cut_off()
            found.append(decode(piece[self.at : self.at + (here << wide)], wide))
            self.at += here << wide
            length -= here
        return "".join(found)

    def _take(self, size: int) -> bytes:
        if not self.at_something() or self.at + size > len(self.pieces[self.piece]):
            raise cut_off()
        self.at += size
        return self.pieces[self.piece][self.at - size : self.at]

    def _skip(self, size: int) -> None:
        while size and self.at_something():
            step = min(size, len(self.pieces[self.piece]) - self.at)
            self.at += step
            size -= step
        if size:
            raise cut_off()
