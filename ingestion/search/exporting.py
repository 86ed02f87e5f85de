"""The records that a search shows, as a file in constant memory: text is written while it is sent, a workbook
before it is.

Each page of them is read by itself, so that no transaction stays open however slowly the file is taken.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from django.http import QueryDict

from ingestion.content_types import CONTENT_TYPES
from ingestion.models import Dataset, Record
from ingestion.report_rows import neutral
from ingestion.search import finding, workbook
from work.problems import Problem
from work.wording import number

KINDS = {"csv": "CSV", "xlsx": "Excel", "jsonl": "JSON Lines"}
TYPES = {**CONTENT_TYPES, "jsonl": "application/jsonl; charset=utf-8"}
PAGE = 1_000


def pages(dataset: Dataset, given: QueryDict) -> Iterator[list[Record]]:
    """Everything that the list shows under the same address, in its order."""
    if not finding.is_asked(given):
        after: int | None = 0
        while after is not None:
            found, after = finding.after_id(dataset, after, limit=PAGE)
            yield found
        return
    query = given.copy()
    query.pop("cursor", None)
    while True:
        page = finding.find(dataset, query, limit=PAGE, count=False)
        yield page.records
        if page.next_cursor is None:
            return
        query["cursor"] = page.next_cursor


def write(kind: str, columns: Sequence[str], records: Iterator[list[Record]]) -> Iterable[bytes]:
    """Raises Problem 422 `too_many_for_a_workbook`."""
    return {"csv": _csv, "xlsx": _xlsx, "jsonl": _json_lines}[kind](columns, records)


def _xlsx(columns: Sequence[str], records: Iterator[list[Record]]) -> IO[bytes]:
    try:
        return workbook.write(
            columns, ([row.data.get(name) for name in columns] for page in records for row in page)
        )
    except workbook.TooManyRows as error:
        raise Problem(
            422,
            "too_many_for_a_workbook",
            f"These are more records than the {number(workbook.MOST_ROWS)} that are written into a workbook.",
            "Narrow the search, or download them as CSV or JSON Lines, which have no limit.",
        ) from error


def _json_lines(columns: Sequence[str], records: Iterator[list[Record]]) -> Iterator[bytes]:
    for page in records:
        lines = (
            json.dumps({name: row.data.get(name) for name in columns}, ensure_ascii=False) for row in page
        )
        yield "".join(f"{line}\n" for line in lines).encode()


def _csv(columns: Sequence[str], records: Iterator[list[Record]]) -> Iterator[bytes]:
    """With a byte order mark, and what looks like a formula made harmless."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([neutral(name) for name in columns])
    yield b"\xef\xbb\xbf"
    for page in records:
        writer.writerows([_cell(row.data.get(name)) for name in columns] for row in page)
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return neutral(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
