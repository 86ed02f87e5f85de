"""Pages of refused rows, as quick for a rare rule among a million rows as for a common one.

Counts per rule and column know in which blocks of rows it occurs, so only those are looked into. Words can
stand anywhere: for them a page looks through so many rows at most, and says how far it came.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from ingestion import queries
from ingestion.checking.faults import BLOCK_ROWS
from ingestion.models import RowError, Upload
from work import paging
from work.paging import Page

LOOKED_THROUGH = 10_000
BLOCKS_LOOKED_THROUGH = LOOKED_THROUGH // BLOCK_ROWS
# The inner limit keeps each look inside its block: without it the planner reads all rows of the upload.
IN_BLOCKS = """
SELECT r.row FROM unnest(%(blocks)s::integer[]) block CROSS JOIN LATERAL (
  SELECT row FROM ingestion_rowerror WHERE upload_id = %(upload)s AND run = %(run)s
  AND row >= block * {rows} AND row < (block + 1) * {rows} AND row {beyond} %(last)s AND {fits}
  ORDER BY row {order} LIMIT %(most)s) r
ORDER BY r.row {order} LIMIT %(most)s
"""
FITS_RULE = "errors @> %(wanted)s::jsonb"
FITS_TEXT = "cells::text ILIKE %(text)s"


@dataclass(frozen=True)
class ErrorPage(Page[RowError]):
    """`looked_to` is the row at which looking stopped before the page was full; None at the end."""

    looked_to: int | None = None


def error_page(
    upload: Upload, *, cursor: str | None, code: str = "", column: str = "", text: str = "", limit: int = 50
) -> ErrorPage:
    """A page in the order of the sheet, filtered by rule, column letter, and text anywhere in the row.

    Raises Problem 400 `bad_cursor`.
    """
    is_back, last = paging.position(RowError.objects.all(), cursor, by="row")
    rows = queries.error_rows(upload)
    if text or code or column:
        look = Look(upload, code=code, column=column, text=text, is_back=is_back, last=last)
        numbers, looked_to = look.find(limit + 1)
        rows = rows.filter(row__in=numbers)
    else:
        rows, looked_to = _beyond(rows, last, is_back=is_back), None
    found = list(rows.order_by("-row" if is_back else "row")[: limit + 1])
    return _page(found, limit=limit, last=last, is_back=is_back, looked_to=looked_to)


class Look:
    """One look for rows that fit, from a place on in one direction."""

    def __init__(
        self, upload: Upload, *, code: str, column: str, text: str, is_back: bool, last: int | None
    ) -> None:
        self.upload, self.text, self.is_back = upload, text, is_back
        self.last = last if last is not None else (2**31 - 1 if is_back else -1)
        self.wanted = {name: value for name, value in (("code", code), ("column", column)) if value}

    def find(self, most: int) -> tuple[list[int], int | None]:
        """The numbers of up to `most` rows, and where looking stopped if more rows lie beyond."""
        blocks = self._blocks()
        # Each block of a rule holds a row that fits, but for the one in which the last page ended.
        looked = blocks[: BLOCKS_LOOKED_THROUGH if self.text else most + 1]
        numbers = self._in(looked, most)
        if len(numbers) >= most or len(looked) == len(blocks):
            return numbers, None
        edge = looked[-1] * BLOCK_ROWS
        return numbers, edge if self.is_back else edge + BLOCK_ROWS - 1

    def _blocks(self) -> list[int]:
        """Where rows may be that fit, in the order of looking."""
        blocks = self._with_errors()
        if self.is_back:
            return sorted((block for block in blocks if block * BLOCK_ROWS < self.last), reverse=True)
        return sorted(block for block in blocks if (block + 1) * BLOCK_ROWS > self.last + 1)

    def _with_errors(self) -> set[int]:
        """Blocks that hold a row of the rule, or of any: a refused row has one."""
        counts = queries.error_groups(self.upload).filter(**self.wanted)
        return {block for found in counts.values_list("found_in", flat=True) for block in found}

    def _in(self, blocks: Sequence[int], most: int) -> list[int]:
        fits = ([FITS_RULE] if self.wanted else []) + ([FITS_TEXT] if self.text else [])
        beyond, order = ("<", "DESC") if self.is_back else (">", "ASC")
        statement = IN_BLOCKS.format(rows=BLOCK_ROWS, beyond=beyond, order=order, fits=" AND ".join(fits))
        params: dict[str, Any] = {
            "blocks": list(blocks), "upload": self.upload.pk, "run": self.upload.run, "last": self.last,
            "wanted": json.dumps([self.wanted]), "text": f"%{_escaped(self.text)}%", "most": most,
        }  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            return [row for (row,) in cursor.fetchall()]


def _escaped(text: str) -> str:
    """For LIKE, and as JSON writes it inside a string."""
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    return inside.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")


def _beyond(rows: QuerySet[RowError], last: int | None, *, is_back: bool) -> QuerySet[RowError]:
    if last is None:
        return rows
    return rows.filter(row__lt=last) if is_back else rows.filter(row__gt=last)


def _page(
    found: list[RowError], *, limit: int, last: int | None, is_back: bool, looked_to: int | None
) -> ErrorPage:
    """Cursors lead on from the last row shown, or from where looking stopped."""
    items = found[:limit]
    ahead = items[-1].row if len(found) > limit else looked_to
    if is_back:
        items.reverse()
        behind = items[-1].row if items else last
        older = None if ahead is None else paging.before(ahead)
        return ErrorPage(items, None if behind is None else paging.after(behind), older, looked_to)
    start = items[0].row if items else last
    earlier = None if last is None or start is None else paging.before(start + (not items))
    return ErrorPage(items, None if ahead is None else paging.after(ahead), earlier, looked_to)
