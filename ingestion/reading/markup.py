"""Expat with the doors shut: UTF-8 only, no document type, no unbounded tokens."""

from collections.abc import Iterable
from xml.parsers import expat

from .failures import Refused
from .limits import BARREN_BYTES, BARREN_LINES, TOKEN_BYTES

OUT_OF_MEMORY = 1
# A tag in so many bytes is next to none.
BYTES_PER_TAG = 32_768


def new_parser(*, part: str, namespaces: bool = True) -> expat.XMLParserType:
    """A parser whose element names are "namespace local" when namespaces are asked for."""
    parser = expat.ParserCreate("utf-8", " " if namespaces else None)
    parser.buffer_text = True

    def refuse_doctype(*_: object) -> None:
        raise Refused("doctype_refused", part=part)

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.EntityDeclHandler = refuse_doctype
    aside = 0

    def count(*texts: str) -> None:
        nonlocal aside
        aside += sum(map(len, texts)) + len("<!---->")
        if aside > BARREN_BYTES:
            raise barren(part)

    parser.CommentHandler = parser.ProcessingInstructionHandler = count
    return parser


def feed(parser: expat.XMLParserType, blocks: Iterable[bytes], *, part: str) -> None:
    """Parse the blocks to the end of the document."""
    document = Document(parser, part=part)
    for block in blocks:
        document.feed(block)
    document.end()


class Document:
    """A document that comes in blocks; what is wrong with it is damage of the file."""

    def __init__(self, parser: expat.XMLParserType, *, part: str) -> None:
        self.parser = parser
        self.part = part
        self.fed = 0
        self.barren_bytes = 0
        self.barren_lines = 0

    def feed(self, block: bytes) -> None:
        self.fed += len(block)
        self._look(block)
        self._parse(block, False)
        if self.fed - self.parser.CurrentByteIndex > TOKEN_BYTES:
            raise Refused("file_exceeds_limits", limit="the size of one XML element", most=TOKEN_BYTES)

    def end(self) -> None:
        self._parse(b"", True)

    def _look(self, block: bytes) -> None:
        """Refuse stretches of white space, however few elements stand in them: expat is slowest at lines."""
        tags = block.count(b"<")
        if tags * BYTES_PER_TAG < len(block):
            self.barren_bytes += len(block)
        self.barren_lines += max(0, block.count(b"\n") + block.count(b"\r") - 2 * tags)
        if self.barren_bytes > BARREN_BYTES or self.barren_lines > BARREN_LINES:
            raise barren(self.part)

    def _parse(self, block: bytes, is_last: bool) -> None:
        try:
            self.parser.Parse(block, is_last)
        except expat.ExpatError as error:
            if error.code == OUT_OF_MEMORY:
                raise MemoryError from error
            reason = f"its part “{self.part}” is not well-formed XML (line {error.lineno})"
            raise Refused("damaged_file", reason=reason) from error


def barren(part: str) -> Refused:
    return Refused("barren_part", part=part)


def local(name: str) -> str:
    """A name without its namespace, so that Strict and Transitional files read alike."""
    return name.rpartition(" ")[2]
