"""Reads a worksheet part: the fast ways where its rows are plain, by expat from the start where not."""

import re
from collections.abc import Iterator

from .limits import TOKEN_BYTES
from .markup import feed, new_parser
from .package import Package
from .plain_rows import ROW_END, PlainRows
from .sheet_rows import SheetRows
from .sink import Sink
from .text import NeedsCare
from .uniform import UniformBlocks
from .values import Values

HEAD = re.compile(rb"<sheetData\s*>")
EMPTY_SHEET = re.compile(rb"<sheetData\s*/>")


class SheetReader:
    def __init__(self, package: Package, part: str, *, values: Values, sink: Sink) -> None:
        self.package = package
        self.part = part
        self.values = values
        self.sink = sink
        self.merged = 0
        self.rows = PlainRows(part, values=values, sink=sink)
        self.uniform = UniformBlocks(values=values, sink=sink)

    def read(self) -> None:
        try:
            for block in self._whole_rows():
                self._read_block(block)
        except NeedsCare:
            self._read_carefully()

    def _read_carefully(self) -> None:
        """The whole part by expat; rows that were sent already are passed over."""
        rows = SheetRows(values=self.values, sink=self.sink, after=self.sink.number)
        parser = new_parser(part=self.part)
        rows.attach(parser)
        feed(parser, self._progress(), part=self.part)
        self.merged = rows.merged

    def _progress(self) -> Iterator[bytes]:
        writer = self.sink.writer
        writer.done = 0
        for block in self.package.blocks(self.part):
            yield block
            writer.done += len(block)

    def _whole_rows(self) -> Iterator[bytes]:
        """The rows in blocks that end with a row; everything before and after them is looked at here."""
        blocks = self._progress()
        rest = self._after_head(blocks)
        if rest is None:
            return
        for block in blocks:
            cut = max(rest.rfind(ROW_END) + len(ROW_END), rest.rfind(b"/><row") + 2)
            if cut >= len(ROW_END):
                yield rest[:cut]
                rest = rest[cut:]
            elif len(rest) > TOKEN_BYTES:
                raise NeedsCare
            rest += block
            if b"</sheetData>" in rest:
                break
        last, end, tail = rest.partition(b"</sheetData>")
        if not end:
            raise NeedsCare
        yield last
        self._read_tail(tail, blocks)

    def _after_head(self, blocks: Iterator[bytes]) -> bytes | None:
        head = b""
        for block in blocks:
            head += block
            if b"<!" in head or len(head) > TOKEN_BYTES:
                raise NeedsCare
            data = HEAD.search(head)
            if data:
                return head[data.end() :]
            if EMPTY_SHEET.search(head):
                self._read_tail(head, blocks)
                return None
        raise NeedsCare

    def _read_tail(self, tail: bytes, blocks: Iterator[bytes]) -> None:
        """To the end of the part, because only there its checksum is compared."""
        merge = b"<mergeCell "
        for block in blocks:
            self.merged += tail.count(merge)
            if b"<!DOCTYPE" in tail:
                raise NeedsCare
            tail = tail[-len(merge) + 1 :] + block
        self.merged += tail.count(merge)
        if not tail.rstrip().endswith(b"</worksheet>"):
            raise NeedsCare

    def _read_block(self, block: bytes) -> None:
        # One letter is found much faster than two, and most sheets hold neither.
        if (b"!" in block and b"<!" in block) or (b"?" in block and b"<?" in block):
            raise NeedsCare
        block.decode()
        if self.rows.pass_blank(block) or (self.sink.width and self.uniform.read(block)):
            return
        self.rows.read(block)
