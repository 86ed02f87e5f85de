"""Reads CSV and TSV into frames: strict about quotes, so that one of them never swallows half a file."""

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from . import delimiters, encodings
from .cells import MARK, text
from .failures import Refused
from .limits import CELL_CHARACTERS, GRID_COLUMNS, TOKEN_BYTES
from .opening import Looking, Opening
from .sink import outside_grid
from .wire import FrameWriter, dump

SAMPLE_CHARACTERS = 65_536
BATCH = 100
# Old programs put it behind the last line.
END_OF_DOS_FILE = "\x1a"


class RecordTooLong(csv.Error):
    """The lines read for one record are longer than any honest row."""


class Lines:
    """The lines of the file; keeps those of the record being read, to find its first open quote."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self.stream = stream
        self.record: list[str] = []
        self.size = 0
        self.first_line = 1

    def __iter__(self) -> Iterator[str]:
        for line in self.stream:
            self.record.append(line)
            self.size += len(line)
            if self.size > TOKEN_BYTES:
                raise RecordTooLong
            yield line

    def next_record(self) -> None:
        self.first_line += len(self.record)
        self.record.clear()
        self.size = 0


def read_delimited(
    file: BinaryIO, writer: FrameWriter, looking: Looking, *, encoding: str, delimiter: str | None
) -> dict[str, Any]:
    chosen, why_encoding, more = encodings.choose(file, default=encoding)
    csv.field_size_limit(CELL_CHARACTERS)
    stream = io.TextIOWrapper(file, encoding=chosen, newline="")
    lines = Lines(stream)
    separator, why = _delimiter(stream, lines, delimiter, looking)
    records = csv.reader(lines, delimiter=separator, strict=True)
    reader = Table(records, lines, writer, looking, raw=file)
    reader.read(separator)
    return {
        "format": "csv",
        "sheet": "",
        "rows": reader.sent,
        "blank_rows": reader.blank_rows(),
        "last_row": reader.last_row,
        "header_row": reader.header_row,
        "assumptions": [
            ["encoding", {"encoding": encodings.shown(chosen), "reason": why_encoding, **more}],
            ["delimiter", {"delimiter": separator, "reason": why}] if why != "single_column" else [why, {}],
            *reader.opening.assumptions(),
        ],
    }


def _delimiter(
    stream: io.TextIOWrapper, lines: Lines, declared: str | None, looking: Looking
) -> tuple[str, str]:
    """Chosen from the first characters; a sep= line is taken off, as spreadsheet programs do."""
    sample = stream.read(SAMPLE_CHARACTERS)
    named = delimiters.from_sep_line(sample)
    stream.seek(0)
    if named:
        stream.readline()
        lines.first_line = 2
    if declared:
        return declared, "declared"
    if named:
        return named, "sep_line"
    # A sample that ends inside a row would give that row another width.
    end = max(sample.rfind("\n"), sample.rfind("\r")) + 1
    whole = sample[:end] if len(sample) == SAMPLE_CHARACTERS and end else sample
    return delimiters.choose(whole, looking.names or {})


class Table:
    """Numbers the records as a spreadsheet program does and sends those that hold a value."""

    def __init__(
        self, records: Any, lines: Lines, writer: FrameWriter, looking: Looking, *, raw: BinaryIO
    ) -> None:
        self.records = records
        self.lines = lines
        self.writer = writer
        self.opening = Opening(looking)
        self.raw = raw
        self.header_row = 0
        self.header_end = 0
        self.last_row = 0
        self.width = 0
        self.sent = 0

    def read(self, separator: str) -> None:
        number = 0
        try:
            for record in self.records:
                number += 1
                self.lines.next_record()
                if not any(record) or record == [END_OF_DOS_FILE]:
                    continue
                if self.width:
                    self._row(number, record)
                else:
                    self._hold_back(number, record)
        except csv.Error as error:
            raise self._refused(error, number + 1, separator) from error
        if not self.width and (self.opening.rows or self.opening.looking.header_row):
            self._decide()
        if not self.width:
            raise Refused("empty_file")

    def blank_rows(self) -> int:
        return self.last_row - self.header_end - self.sent if self.last_row else 0

    def _hold_back(self, number: int, record: list[str]) -> None:
        cells = [text(value) for value in record]
        if self.opening.add(number, cells, record, size=sum(map(len, record))):
            self._decide()

    def _decide(self) -> None:
        rows = self.opening.decide()
        headings, self.header_row = self.opening.headings(), self.opening.number
        self.width = len(headings)
        if self.width > GRID_COLUMNS:
            raise outside_grid(f"row {self.header_row}, column {self.width}")
        told = self.opening.told()
        self.header_end = self.header_row + told["depth"] - 1
        self.writer.header(self.header_row, list(map(dump, headings)), told)
        for number, _, record in rows:
            self._row(number, record)

    def _row(self, number: int, record: list[str]) -> None:
        self.last_row = number
        self.sent += 1
        row: list[Any] = [number, [value or None for value in record]]
        if len(record) != self.width:
            row.append(self._mend(row[1]))
        payload = dump(row)
        if MARK.encode() in payload:
            row[1] = [value and text(value) for value in row[1]]
            payload = dump(row)
        if not self.sent % BATCH:
            self.writer.done = self.raw.tell()
        self.writer.row(payload, cells=len(record))

    def _mend(self, cells: list[str | None]) -> dict[str, int]:
        """Say how many cells a ragged row lacks or has too many, and cut it to the header's width."""
        if len(cells) < self.width:
            return {"missing": self.width - len(cells)}
        extra = cells[self.width :]
        del cells[self.width :]
        # Empty extra cells shift nothing: many programs end each line with a separator.
        return {"extra": len(extra)} if any(extra) else {}

    def _refused(self, error: csv.Error, row: int, separator: str) -> Refused:
        line, is_open = open_quote(self.lines.record, separator)
        if not (is_open and len(self.lines.record) > 1):
            if isinstance(error, RecordTooLong):
                return Refused(
                    "file_exceeds_limits", limit=f"the length of a row (row {row})", most=TOKEN_BYTES
                )
            if "field larger" in str(error):
                return Refused("cell_too_long", cell=f"row {row}", most=CELL_CHARACTERS)
        if is_open:
            return Refused("unclosed_quote", line=self.lines.first_line + line)
        return Refused("stray_quote", line=self.lines.first_line + line)


def open_quote(record: list[str], separator: str) -> tuple[int, bool]:
    """The line, from 0, of the quote that is still open at the end, or of the text after a closed one."""
    opened = -1
    at_start = True
    closing = False
    for number, line in enumerate(record):
        for character in islice(line, None):
            if opened >= 0:
                if character != '"':
                    continue
                closing, opened_at, opened = True, opened, -1
            elif closing:
                closing = False
                if character == '"':
                    opened = opened_at
                elif character not in (separator, "\r", "\n"):
                    return number, False
                at_start = True
            elif character == '"' and at_start:
                opened, at_start = number, False
            else:
                at_start = character == separator or character in "\r\n"
    return max(opened, 0), opened >= 0
