"""Reads the shared strings: a strict expression for plain items, expat for a block that has others."""

import re
from collections.abc import Iterator

from .failures import Refused
from .limits import BARREN_ELEMENTS, CELL_CHARACTERS, TOKEN_BYTES
from .markup import barren, feed, local, new_parser
from .package import Package
from .strings import SharedStrings
from .text import NeedsCare
from .values import plain_text_fragment, text_fragment

split_items = re.compile(rb'<si>\s*<t(?: xml:space="preserve")?>([^<]*)</t>\s*</si>\s*').split
HEAD = re.compile(rb"\s*(?:<\?xml[^>]*\?>)?\s*<sst(?:\s[^<>]*)?>\s*")
TAIL = re.compile(rb"\s*(?:<extLst>.*</extLst>\s*)?</sst>\s*", re.S)
END = b"</si>"
# Of runs with fonts of their own, on the average.
ELEMENTS_PER_ITEM = 100


def read_strings(package: Package, part: str, strings: SharedStrings) -> None:
    try:
        for block in _whole_items(package.blocks(part)):
            _read_block(block, strings, part=part)
    except NeedsCare:
        strings.clear()
        _read_carefully(package.blocks(part), strings, part=part)


def _whole_items(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The part cut after the ends of items, without its head and tail."""
    rest = b""
    started = False
    for block in blocks:
        rest += block
        if not started:
            head = HEAD.match(rest)
            if head is None:
                raise NeedsCare
            rest = rest[head.end() :]
            started = True
        cut = rest.rfind(END) + len(END)
        if cut >= len(END):
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > TOKEN_BYTES:
            raise NeedsCare
    if not started or not TAIL.fullmatch(rest):
        raise NeedsCare


def _read_block(block: bytes, strings: SharedStrings, *, part: str) -> None:
    if b"<!" in block or b"<?" in block:
        raise NeedsCare
    pieces = split_items(block)
    block.decode()
    if not any(pieces[::2]):
        strings.extend(list(map(text_fragment, pieces[1::2])))
    else:
        _read_carefully([b"<sst>" + block + b"</sst>"], strings, part=part)


def _read_carefully(blocks: Iterator[bytes] | list[bytes], strings: SharedStrings, *, part: str) -> None:
    parser = new_parser(part=part, namespaces=not isinstance(blocks, list))
    collector = Collector(strings, part=part)
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.characters
    feed(parser, blocks, part=part)
    collector.flush()


class Collector:
    """Joins the runs of each item and leaves out how they are spoken (rPh)."""

    def __init__(self, strings: SharedStrings, *, part: str) -> None:
        self.strings = strings
        self.part = part
        self.items = 0
        self.elements = 0
        self.fragments: list[bytes] = []
        self.runs: list[str] = []
        self.length = 0
        self.spoken = 0
        self.in_text = False

    def start(self, name: str, _: dict[str, str]) -> None:
        element = local(name)
        if element == "si":
            self.runs, self.length = [], 0
            self.items += 1
        elif element == "rPh":
            self.spoken += 1
        self.in_text = element == "t" and not self.spoken
        self.elements += 1
        if self.elements > BARREN_ELEMENTS + ELEMENTS_PER_ITEM * self.items:
            raise barren(self.part)

    def end(self, name: str) -> None:
        element = local(name)
        self.in_text = False
        if element == "rPh":
            self.spoken -= 1
        elif element == "si":
            self.fragments.append(plain_text_fragment("".join(self.runs)))
            if len(self.fragments) >= 10_000:
                self.flush()

    def characters(self, data: str) -> None:
        if self.in_text:
            self.length += len(data)
            if self.length > CELL_CHARACTERS:
                raise Refused("file_exceeds_limits", limit="the length of a cell's text")
            self.runs.append(data)

    def flush(self) -> None:
        self.strings.extend(self.fragments)
        self.fragments = []
