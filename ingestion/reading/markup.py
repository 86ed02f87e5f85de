"""Expat with the doors shut: UTF-8 only, no document type, no unbounded tokens."""

from collections.abc import Iterable
from xml.parsers import expat

from .failures import Refused
from .limits import TOKEN_BYTES

OUT_OF_MEMORY = 1


def new_parser(*, part: str, namespaces: bool = True) -> expat.XMLParserType:
    """A parser whose element names are "namespace local" when namespaces are asked for."""
    parser = expat.ParserCreate("utf-8", " " if namespaces else None)
    parser.buffer_text = True

    def refuse_doctype(*_: object) -> None:
        raise Refused("doctype_refused", part=part)

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.EntityDeclHandler = refuse_doctype
    return parser


def feed(parser: expat.XMLParserType, blocks: Iterable[bytes], *, part: str) -> None:
    """Parse the blocks to the end of the document."""
    fed = 0
    try:
        for block in blocks:
            fed += len(block)
            parser.Parse(block, False)
            if fed - parser.CurrentByteIndex > TOKEN_BYTES:
                raise Refused("file_exceeds_limits", limit="the size of one XML element", most=TOKEN_BYTES)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        if error.code == OUT_OF_MEMORY:
            raise MemoryError from error
        reason = f"its part “{part}” is not well-formed XML (line {error.lineno})"
        raise Refused("damaged_file", reason=reason) from error


def local(name: str) -> str:
    """A name without its namespace, so that Strict and Transitional files read alike."""
    return name.rpartition(" ")[2]
