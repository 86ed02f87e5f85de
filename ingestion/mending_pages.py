"""What the pages for mending in place show: which rows are at hand, and what the plain form has of them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet

from ingestion import stories
from ingestion.mending_file import ROWS_AT_ONCE, Edits
from ingestion.models import RowError, Upload
from ingestion.reading.cells import column_index, column_letters
from work.wording import number

# Django takes at most 1,000 fields of a form.
PLAIN_FIELDS, PLAIN_ROWS = 800, 15
LONGEST_TYPED = 2_000_000


@dataclass(frozen=True)
class Wanted:
    """Which rows: those that break one rule in one column (`code column`), after a row number."""

    code: str = ""
    column: str = ""
    after: int = 0

    @property
    def rule(self) -> str:
        return f"{self.code} {self.column}".strip() if self.code else ""

    def query(self, *, after: int | None = None) -> str:
        given = {"rule": self.rule, "after": str(self.after if after is None else after)}
        return urlencode({name: value for name, value in given.items() if value not in ("", "0")})


@dataclass(frozen=True)
class Part:
    """How many open rows there are under the rule, and how many of them are at hand at once."""

    total: int
    shown: int
    next_query: str

    @property
    def is_whole(self) -> bool:
        return self.shown == self.total


@dataclass(frozen=True)
class PlainCell:
    name: str
    label: str
    text: str
    problem: str


def wanted(given: Mapping[str, str]) -> Wanted:
    code, _, column = given.get("rule", "")[:80].partition(" ")
    after = given.get("after", "")
    return Wanted(code, column, int(after) if after.isascii() and after.isdigit() and len(after) < 10 else 0)


def open_rows(upload: Upload, wanted: Wanted) -> QuerySet[RowError]:
    rows = stories.open_rows(upload).order_by("row")
    if wanted.code:
        named = {"code": wanted.code, "column": wanted.column} if wanted.column else {"code": wanted.code}
        rows = rows.filter(faults__contains=[named])
    return rows


def part(upload: Upload, wanted: Wanted) -> Part:
    rows = open_rows(upload, wanted)
    numbers = list(rows.filter(row__gt=wanted.after).values_list("row", flat=True)[: ROWS_AT_ONCE + 1])
    more = len(numbers) > ROWS_AT_ONCE
    following = wanted.query(after=numbers[ROWS_AT_ONCE - 1]) if more else ""
    return Part(rows.count(), min(len(numbers), ROWS_AT_ONCE), following)


def data(upload: Upload, wanted: Wanted) -> dict[str, Any]:
    rows = open_rows(upload, wanted).filter(row__gt=wanted.after)[:ROWS_AT_ONCE]
    width = len(upload.headers)
    return {
        "key": f"{upload.pk}.{upload.run}",
        "columns": [
            {"letters": column_letters(place), "header": header}
            for place, header in enumerate(upload.headers)
        ],
        "rows": [
            {
                "row": row.row,
                "cells": [*row.cells[:width], *[""] * (width - len(row.cells))],
                "errors": [
                    {
                        "place": column_index(error["column"]) if error["column"] else -1,
                        "code": error["code"],
                        "column": error["column"],
                        "said": f"{error['message']} {error['remedy']}",
                    }
                    for error in row.errors
                ],
            }
            for row in rows
        ],
    }


def plain(upload: Upload, wanted: Wanted) -> dict[str, Any]:
    """A page of rows as fields of a form, for browsers without script."""
    width = max(1, len(upload.headers))
    size = max(1, min(PLAIN_ROWS, PLAIN_FIELDS // width))
    rows = list(open_rows(upload, wanted).filter(row__gt=wanted.after)[: size + 1])
    return {
        "rows": [(row, list(_plain_cells(upload, row))) for row in rows[:size]],
        "next_query": wanted.query(after=rows[size - 1].row) if len(rows) > size else "",
    }


def _plain_cells(upload: Upload, row: RowError) -> Iterable[PlainCell]:
    problems: dict[str, str] = {}
    for error in row.errors:
        said = f"{error['message']} {error['remedy']}"
        problems[error["column"]] = f"{problems.get(error['column'], '')} {said}".strip()
    for place, header in enumerate(upload.headers):
        letters = column_letters(place)
        text = row.cells[place] if place < len(row.cells) else ""
        label = f"{header or letters}, row {row.row}"
        yield PlainCell(f"cell-{row.row}-{place}", label, text, problems.get(letters, ""))


def as_json(edits: Edits) -> str:
    return json.dumps(edits, ensure_ascii=False, separators=(",", ":"))


def filename(upload: Upload) -> str:
    stem = upload.filename.rpartition(".")[0] or upload.filename
    return f"{stem.removesuffix(' - mended')} - mended.csv"


def sentence(count: int, *, already: bool) -> str:
    rows = f"{number(count)} mended row{'' if count == 1 else 's'}"
    if already:
        return f"The {rows} were sent before, and are one upload."
    return f"Accepted and kept: {rows}. A worker checks what was mended."
