"""The first rows of sheets that may be the one to read; no more than the beginning of a sheet is read."""

import contextlib
import io
from collections.abc import Callable, Iterator
from dataclasses import replace

from .failures import Refused
from .looking import FirstRow
from .opening import Looking
from .package import Package
from .sink import Sink
from .wire import FrameWriter

GLANCE_BYTES = 1_000_000
GLANCE_ROWS = 20_000


class Enough(Exception):
    """A glance has seen what it wanted."""


class Glance(Sink):
    """Takes the first rows of a sheet that hold a value, and raises Enough then."""

    def __init__(self, looking: Looking) -> None:
        super().__init__(FrameWriter(io.BytesIO(), total=0), replace(looking, header_row=0))

    def next_number(self, digits: bytes | str | None) -> int:
        number = super().next_number(digits)
        if number > GLANCE_ROWS:
            raise Enough
        return number

    def rows(self) -> list[FirstRow]:
        return [FirstRow(row.number, row.cells) for row in self.opening.rows]

    def _decide(self) -> None:
        raise Enough


class Beginning:
    """A package, of which no more than the beginning of a part is read."""

    def __init__(self, package: Package) -> None:
        self.package = package

    def blocks(self, name: str) -> Iterator[bytes]:
        size = 0
        for block in self.package.blocks(name):
            yield block
            size += len(block)
            if size > GLANCE_BYTES:
                raise Enough


def glance(looking: Looking, read: Callable[[Sink], None]) -> list[FirstRow]:
    """What `read` brings of a sheet. A damaged one has the rows before its damage; if it is chosen, the
    reading says what is wrong with it."""
    sink = Glance(looking)
    with contextlib.suppress(Enough, Refused, UnicodeDecodeError):
        read(sink)
    return sink.rows()
