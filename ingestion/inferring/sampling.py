"""Takes the first rows of a file through the reader's child: bounded in rows, text and time."""

from dataclasses import dataclass, field
from typing import Any, BinaryIO

from ingestion.checking.shown import cell_text
from ingestion.reading.cells import WireCell
from ingestion.reading.failures import UnreadableFile
from ingestion.reading.reader import Reader, ReadOptions, Row, open_reader

MOST_ROWS = 5_000
MOST_CELLS = 500_000
MOST_CHARACTERS = 20_000_000
# A request waits for it.
SECONDS = 8


@dataclass(slots=True)
class Sample:
    """`rows` are [number, cells] or [number, cells, what is wrong with its length]. `is_whole`: they are all
    that the file has."""

    sheet: str
    header_row: int
    header: list[WireCell]
    rows: list[Row] = field(default_factory=list)
    is_whole: bool = False
    assumptions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def headings(self) -> list[str]:
        return [cell_text(cell) for cell in self.header]


def take(
    file: BinaryIO, *, encoding: str = "cp1252", sheet: str | None = None, header_row: int = 0
) -> Sample:
    """`file` is a real file. Raises UnreadableFile, ReaderCrashed.

    A file that takes too long gives the rows that came in time, if any did.
    """
    with open_reader(file, options=_options(encoding, sheet, header_row)) as reader:
        header = reader.header
        sample = Sample(header.sheet, header.row, list(header.cells))
        try:
            _fill(sample, reader)
        except UnreadableFile as error:
            if error.code != "file_exceeds_limits" or not sample.rows:
                raise
        if sample.is_whole and reader.end is not None:
            sample.assumptions = list(reader.end.assumptions)
    return sample


def _options(encoding: str, sheet: str | None, header_row: int) -> ReadOptions:
    return ReadOptions(
        encoding=encoding,
        expected=(),
        sheet=sheet,
        header_row=header_row,
        cpu_seconds=SECONDS,
        wall_seconds=SECONDS,
    )


def _fill(sample: Sample, reader: Reader) -> None:
    cells = characters = 0
    for frame in reader:
        for row in frame.rows:
            cells += len(row[1])
            characters += sum(len(cell) for cell in row[1] if isinstance(cell, str))
            sample.rows.append(row)
            if len(sample.rows) >= MOST_ROWS or cells >= MOST_CELLS or characters >= MOST_CHARACTERS:
                return
    sample.is_whole = True
