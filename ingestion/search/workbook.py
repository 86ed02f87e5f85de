"""Records as a workbook, in constant memory: row by row to a temporary file, sent once it is whole."""

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import IO, Any

import xlsxwriter

ROWS_A_SHEET = 1_048_575
LONGEST_CELL = 32_767
MOST_EXACT = 10**15
"""A cell keeps fifteen digits of a number; a whole number from here on is a text, which keeps them all."""

MOST_ROWS = 300_000
"""Nothing can be sent before the last row is written: about a minute for so many on a busy machine."""

OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
    "use_zip64": True,
}


class TooManyRows(Exception):
    """There are more than fit into a workbook that somebody waits for."""


def write(head: Sequence[str], rows: Iterator[Sequence[Any]]) -> IO[bytes]:
    """The whole workbook, to be read and closed. Text stays text, which no program calculates; a sheet that
    is full is followed by another. Raises TooManyRows.
    """
    target = tempfile.TemporaryFile()  # noqa: SIM115  (closed by the caller)
    try:
        _build(target, head, _counted(rows))
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


def _build(target: IO[bytes], head: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
    with xlsxwriter.Workbook(target, OPTIONS) as book:
        as_text = book.add_format({"num_format": "@", "quote_prefix": True})
        for number, sheet in enumerate(_sheets(rows), start=1):
            page = book.add_worksheet("Records" if number == 1 else f"Records {number}")
            for line, row in enumerate(chain([head], sheet)):
                for place, value in enumerate(row):
                    _cell(page, line, place, value, as_text)


def _counted(rows: Iterator[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    yield from islice(rows, MOST_ROWS)
    if next(rows, None) is not None:
        raise TooManyRows


def _sheets(rows: Iterator[Sequence[Any]]) -> Iterator[Iterable[Sequence[Any]]]:
    """Each is read to its end before the next one; without a row there is one all the same."""
    yield islice(rows, ROWS_A_SHEET)
    for row in rows:
        yield chain([row], islice(rows, ROWS_A_SHEET - 1))


def _cell(page: Any, line: int, place: int, value: Any, as_text: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        page.write_boolean(line, place, value)
    elif isinstance(value, float) or (isinstance(value, int) and abs(value) < MOST_EXACT):
        page.write_number(line, place, value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        page.write_string(line, place, _storable(text), as_text)


def _storable(text: str) -> str:
    """XML has no control characters, and a cell no more than so many."""
    text = "".join(each if each >= " " or each in "\t\n" else "\ufffd" for each in text[:LONGEST_CELL])
    return text.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
