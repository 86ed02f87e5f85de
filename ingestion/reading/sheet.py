"""Reads a worksheet part: the fast ways where its rows are plain, by expat from the start where not."""

import re
from collections.abc import Iterator
from xml.parsers import expat

from .glancing import Beginning
from .limits import TOKEN_BYTES
from .markup import Document, feed, new_parser
from .package import Package
from .plain_rows import ROW_END, PlainRows
from .sheet_rows import SheetRows
from .sink import Sink
from .text import NeedsCare
from .uniform import UniformBlocks
from .values import Values

HEAD = re.compile(rb"<sheetData\s*>")
DATA_END = b"</sheetData>"
EMPTY_SHEET = re.compile(rb"<sheetData\s*/>")


class SheetReader:
    """Rows of plain markup are taken out of the document; a parser sees what stands before and after them."""

    def __init__(self, package: Package | Beginning, part: str, *, values: Values, sink: Sink) -> None:
        self.package = package
        self.part = part
        self.sink = sink
        self.values = values
        self.careful = SheetRows(part, values=values, sink=sink)
        self.plain = PlainRows(part, values=values, sink=sink)
        self.uniform = UniformBlocks(values=values, sink=sink)

    @property
    def merged(self) -> int:
        return self.careful.merged

    def hidden_columns(self, width: int) -> list[str]:
        """Letters of the hidden columns under the header."""
        return self.careful.hidden_columns.letters(width)

    def read(self) -> None:
        try:
            self._read_quickly(self._progress())
        except NeedsCare:
            # Rows that were sent already are passed over.
            self.careful = SheetRows(self.part, values=self.values, sink=self.sink, after=self.sink.number)
            feed(self._parser(), self._progress(), part=self.part)

    def _progress(self) -> Iterator[bytes]:
        writer = self.sink.writer
        writer.done = 0
        for block in self.package.blocks(self.part):
            yield block
            writer.done += len(block)

    def _parser(self) -> expat.XMLParserType:
        parser = new_parser(part=self.part)
        self.careful.attach(parser)
        return parser

    def _read_quickly(self, blocks: Iterator[bytes]) -> None:
        document = Document(self._parser(), part=self.part)
        rest = _head(blocks)
        data = HEAD.search(rest)
        if data:
            document.feed(rest[: data.end()])
            rest = self._read_rows(rest[data.end() :], blocks)
            self.careful.after = self.sink.number
        document.feed(rest)
        # To the end of the part, because only there its checksum is compared.
        for block in blocks:
            document.feed(block)
        document.end()

    def _read_rows(self, rest: bytes, blocks: Iterator[bytes]) -> bytes:
        """The rows in blocks that end with a row; gives what follows them."""
        while DATA_END not in rest:
            cut = max(rest.rfind(ROW_END) + len(ROW_END), rest.rfind(b"/><row") + 2)
            if cut >= len(ROW_END):
                self._read_block(rest[:cut])
                rest = rest[cut:]
            elif len(rest) > TOKEN_BYTES:
                raise NeedsCare
            block = next(blocks, None)
            if block is None:
                raise NeedsCare
            rest += block
        rows, end, tail = rest.partition(DATA_END)
        self._read_block(rows)
        return end + tail

    def _read_block(self, block: bytes) -> None:
        # One letter is found much faster than two, and most sheets hold neither.
        if (b"!" in block and b"<!" in block) or (b"?" in block and b"<?" in block):
            raise NeedsCare
        block.decode()
        if self.plain.pass_blank(block) or (self.sink.width and self.uniform.read(block)):
            return
        self.plain.read(block)


def _head(blocks: Iterator[bytes]) -> bytes:
    """Everything up to the rows and what came with it."""
    head = b""
    for block in blocks:
        head += block
        if b"<!" in head or len(head) > TOKEN_BYTES:
            raise NeedsCare
        if HEAD.search(head) or EMPTY_SHEET.search(head):
            return head
    raise NeedsCare
