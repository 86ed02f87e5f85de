"""What was wrong with each refused row, kept per run: the verdict names its run, others are swept."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from ingestion import staging
from ingestion.checking import texts
from ingestion.checking.shown import plain_text
from ingestion.copying import copy_lines
from ingestion.reading.cells import WireCell, decode

# A cell of a workbook holds no more, and the report of refused rows is meant to be mended and sent again.
LONGEST_CELL = 32_767
# A rule's count says in which blocks of so many rows it occurs: a page of its rows looks into those only.
BLOCK_ROWS = 250
COPY = "COPY ingestion_rowerror (upload_id, run, sheet, row, errors, cells, key) FROM STDIN"
COPY_LATER = "COPY upload_fault_lines (row, errors, cells) FROM STDIN"
# A row that its own cells had refused already keeps those errors in front.
ADD_LATER = """
INSERT INTO ingestion_rowerror (upload_id, run, sheet, row, errors, cells, key)
SELECT %(upload)s, %(run)s, %(sheet)s, f.row, f.errors, f.cells, coalesce(s.key, '')
FROM upload_fault_lines f LEFT JOIN upload_staging s USING (row) ORDER BY f.row
ON CONFLICT (upload_id, run, row) DO UPDATE SET errors = ingestion_rowerror.errors || EXCLUDED.errors
"""
EMPTY_LATER = "TRUNCATE upload_fault_lines"
COUNT = """
WITH each AS (
  SELECT r.row, e.value ->> 'code' AS code, e.value ->> 'column' AS "column", e.value AS error
  FROM ingestion_rowerror r, jsonb_array_elements(r.errors) e
  WHERE r.upload_id = %(upload)s AND r.run = %(run)s),
grouped AS (
  SELECT code, "column", count(DISTINCT row) AS rows, min(row) AS first,
    array_agg(DISTINCT row / %(block)s) AS found_in
  FROM each GROUP BY code, "column")
INSERT INTO ingestion_errorcount
  (upload_id, run, code, "column", header, rows, found_in, example, message, remedy)
SELECT DISTINCT ON (g.code, g."column") %(upload)s, %(run)s, g.code, g."column",
  left(e.error ->> 'header', 200), g.rows, g.found_in, left(e.error ->> 'value', 200),
  e.error ->> 'message', e.error ->> 'remedy'
FROM grouped g JOIN each e ON e.row = g.first AND e.code = g.code AND e."column" = g."column"
ORDER BY g.code, g."column"
"""
TOTAL = """
SELECT count(*), coalesce(sum(jsonb_array_length(errors)), 0) FROM ingestion_rowerror
WHERE upload_id = %(upload)s AND run = %(run)s
"""


def line(
    upload: uuid.UUID, run: uuid.UUID, sheet: str, row: int, errors: Any, cells: list[str], key: str | None
) -> str:
    """`cells` as `full_texts` or `mendable.Texts` give them."""
    return f"{upload}\t{run}\t{_word(sheet)}\t{row}\t{_json(errors)}\t{_json(cells)}\t{key or ''}"


def add(lines: list[str]) -> None:
    copy_lines(COPY, lines)


def later_line(row: int, errors: Any, cells: list[str]) -> str:
    return f"{row}\t{_json(errors)}\t{_json(cells)}"


def add_later(lines: list[str], *, upload: uuid.UUID, run: uuid.UUID, sheet: str) -> None:
    """For faults found over the whole file: rows refused only now, and more errors of others."""
    copy_lines(COPY_LATER, lines)
    staging.run(ADD_LATER, {"upload": upload, "run": run, "sheet": sheet})
    staging.run(EMPTY_LATER)


def count(*, upload: uuid.UUID, run: uuid.UUID) -> tuple[int, int]:
    """Write the exact counts per rule and column; how many rows were refused, and for how many errors."""
    params: dict[str, Any] = {"upload": upload, "run": run, "block": BLOCK_ROWS}
    staging.run(COUNT, params)
    refused, errors = staging.rows(TOTAL, params)[0]
    return int(refused), int(errors)


def full_texts(cells: Sequence[WireCell]) -> list[str]:
    """The row as the spreadsheet program shows it, without blank cells at its end."""
    shown = [_full_text(cell) for cell in cells]
    while shown and not shown[-1]:
        shown.pop()
    return shown


def _full_text(cell: WireCell) -> str:
    return "" if cell is None else texts.shown(plain_text(decode(cell)), most=LONGEST_CELL)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _word(sheet: str) -> str:
    """No spreadsheet program writes tabs or line ends into the name of a sheet; a hostile file may."""
    return " ".join(texts.shown(sheet, most=100).split())
