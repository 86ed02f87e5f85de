"""Reads one sheet of an Excel 97–2003 workbook, or of Excel 5 and 95, into frames.
Its records hold what the XML of an xlsx holds: raw numbers, formats, errors, hidden rows."""

import codecs
import struct
from typing import Any, BinaryIO

from . import choosing
from .biff import BIFF5, BIFF8, CONTINUE, SHORT, Text, records, shared_texts
from .compound import Compound
from .endings import workbook_end
from .failures import Refused
from .glancing import glance
from .opening import Looking
from .sink import Sink
from .strings import SharedStrings
from .styles import MOST_STYLES, meanings
from .values import Values, literal_fragment
from .wire import FrameWriter, dump
from .workbook import LONGEST_NAME, Sheet, Workbook
from .xls_rows import BEGIN, END, XlsRows

CODE_PAGE, DATE_MODE, PASSWORD, SHEET, SHARED_TEXTS = 0x42, 0x22, 0x2F, 0x85, 0xFC
FORMAT, CELL_FORMAT = 0x41E, 0xE0
WORKBOOK_GLOBALS, WORKSHEET = 0x0005, 0x0010
STRINGS_AT_ONCE = 10_000
# What Excel calls the code pages that Python knows by other names.
ENCODINGS = {367: "ascii", 1200: "utf-16-le", 10000: "mac_roman", 32768: "mac_roman", 32769: "cp1252"}


def read_compound(
    file: BinaryIO, writer: FrameWriter, looking: Looking, *, spill_bytes: int
) -> dict[str, Any]:
    """A compound file is an old workbook, a new one that is encrypted, or some other document."""
    compound = Compound(file)
    if "EncryptedPackage" in compound:
        raise Refused("format_encrypted")
    for name in ("Workbook", "Book"):
        if name in compound:
            return read_xls(compound.stream(name), writer, looking, spill_bytes=spill_bytes)
    if "WordDocument" in compound:
        raise Refused("format_word")
    if "PowerPoint Document" in compound:
        raise Refused("format_slides")
    raise Refused("format_compound")


def read_xls(data: bytes, writer: FrameWriter, looking: Looking, *, spill_bytes: int) -> dict[str, Any]:
    try:
        book = XlsBook(data, spill_bytes=spill_bytes)
        values = Values(
            strings=book.strings,
            formats=meanings(book.style_numbers, book.codes),
            date1904=book.workbook.date1904,
        )

        def rows_into(sink: Sink) -> XlsRows:
            return XlsRows(data, values=values, sink=sink, text=book.text)

        chosen = choosing.choose(
            book.workbook.sheets,
            looking,
            lambda sheet: glance(looking, lambda sink: rows_into(sink).read(int(sheet.part))),
        )
        writer.sheet = dump(chosen.sheet.name)
        writer.total = len(data)
        sink = Sink(writer, looking, about=chosen.about)
        rows = rows_into(sink)
        rows.read(int(chosen.sheet.part))
    except (struct.error, IndexError) as error:
        raise Refused("damaged_file", reason="one of its records is shorter than its content") from error
    columns = rows.hidden_columns.letters(sink.width)
    return workbook_end("xls", book.workbook, chosen, sink, merged=rows.merged, hidden_columns=columns)


class XlsBook:
    """What the first part of the stream says about all sheets."""

    def __init__(self, data: bytes, *, spill_bytes: int) -> None:
        self.workbook = Workbook()
        self.strings = SharedStrings(spill_bytes=spill_bytes)
        self.codes: dict[str, str] = {}
        self.style_numbers: list[str] = []
        first, _, version, kind = struct.unpack_from("<4H", data)
        self.text = Text(version, "cp1252")
        if first != BEGIN:
            raise Refused("format_old_excel")
        if kind == WORKSHEET:
            # Programs that write such files by hand often make one sheet and no workbook around it.
            self.text.version = min(version, BIFF5)
            self.workbook.sheets.append(Sheet("Sheet1", "0", hidden=False))
        elif kind == WORKBOOK_GLOBALS and version in (BIFF5, BIFF8):
            self._read(data)
        else:
            raise Refused("format_old_excel")

    def _read(self, data: bytes) -> None:
        texts: list[bytes] = []
        before = 0
        for kind, at, length in records(data, 0):
            content = data[at : at + length]
            if kind == PASSWORD:
                raise Refused("format_encrypted")
            if kind == END:
                break
            if kind != CONTINUE:
                before = kind
            if before == SHARED_TEXTS:
                texts.append(content)
            elif kind == CODE_PAGE:
                self.text.encoding = _encoding(SHORT.unpack_from(content)[0])
            elif kind == DATE_MODE:
                self.workbook.date1904 = SHORT.unpack_from(content)[0] == 1
            elif kind == FORMAT:
                self._add_format(content)
            elif kind == CELL_FORMAT and len(self.style_numbers) < MOST_STYLES:
                self.style_numbers.append(str(SHORT.unpack_from(content, 2)[0]))
            elif kind == SHEET:
                self._add_sheet(content)
        if texts:
            self._add_texts(texts)

    def _add_format(self, content: bytes) -> None:
        number = str(SHORT.unpack_from(content)[0])
        width = 2 if self.text.version == BIFF8 else 1
        if len(self.codes) < MOST_STYLES:
            self.codes[number] = self.text.read(content, 2, len(content), length_bytes=width)

    def _add_sheet(self, content: bytes) -> None:
        start, state, kind = struct.unpack_from("<I2B", content)
        if kind == 0:
            name = self.text.read(content, 6, len(content), length_bytes=1)
            self.workbook.sheets.append(Sheet(name[:LONGEST_NAME], str(start), bool(state & 3)))

    def _add_texts(self, pieces: list[bytes]) -> None:
        fragments = []
        for text in shared_texts(pieces):
            fragments.append(literal_fragment(text))
            if len(fragments) >= STRINGS_AT_ONCE:
                self.strings.extend(fragments)
                fragments = []
        self.strings.extend(fragments)


def _encoding(page: int) -> str:
    name = ENCODINGS.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
