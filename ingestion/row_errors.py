"""What was wrong with each refused row, kept per run: the verdict names its run, others are swept."""

import json
import uuid
from collections.abc import Sequence
from typing import Any

from ingestion import staging
from ingestion.checking import messages, texts
from ingestion.checking.faults import Tally
from ingestion.checking.shown import plain_text
from ingestion.copying import copy_lines
from ingestion.models import ErrorCount
from ingestion.reading.cells import WireCell, decode

# A cell of a workbook holds no more, and the report of refused rows is meant to be mended and sent again.
LONGEST_CELL = 32_767
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
TOTAL = "SELECT count(*) FROM ingestion_rowerror WHERE upload_id = %(upload)s AND run = %(run)s"


def place(*, upload: uuid.UUID, run: uuid.UUID, sheet: str) -> str:
    """What the lines of one file have in common."""
    return f"{upload}\t{run}\t{_word(sheet)}"


def line(place: str, row: int, faults: Sequence[str], cells: str, key: str | None) -> str:
    """`faults` are texts as `checking.faults` makes them, `cells` the JSON of texts."""
    return f"{place}\t{row}\t[{','.join(faults)}]\t{cells}\t{key or ''}"


def add(lines: list[str]) -> None:
    copy_lines(COPY, lines)


def later_line(row: int, faults: Sequence[str], cells: list[str]) -> str:
    return f"{row}\t[{','.join(faults)}]\t{_json(cells)}"


def add_later(lines: list[str], *, upload: uuid.UUID, run: uuid.UUID, sheet: str) -> None:
    """For faults found over the whole file: rows refused only now, and more errors of others."""
    copy_lines(COPY_LATER, lines)
    staging.run(ADD_LATER, {"upload": upload, "run": run, "sheet": sheet})
    staging.run(EMPTY_LATER)


def count(tally: Tally, *, upload: uuid.UUID, run: uuid.UUID) -> tuple[int, int]:
    """Write the exact counts per rule and column; how many rows were refused, and for how many errors."""
    ErrorCount.objects.bulk_create(
        ErrorCount(
            upload_id=upload,
            run=run,
            code=code,
            column=letters,
            header=broken.heading[:200],
            rows=broken.rows,
            found_in=sorted(broken.blocks),
            example=broken.value[:200],
            message=message,
            remedy=remedy,
        )
        for (code, letters), broken in sorted(tally.broken.items())
        for message, remedy in [
            messages.row_message(code, header=broken.heading, value=broken.value, **broken.detail)
        ]
    )
    ((refused,),) = staging.rows(TOTAL, {"upload": upload, "run": run})
    return int(refused), tally.faults


def full_texts(cells: Sequence[WireCell]) -> list[str]:
    """The row as the spreadsheet program shows it, without blank cells at its end."""
    shown = [full_text(cell) for cell in cells]
    while shown and not shown[-1]:
        shown.pop()
    return shown


def full_text(cell: WireCell) -> str:
    return "" if cell is None else texts.shown(plain_text(decode(cell)), most=LONGEST_CELL)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _word(sheet: str) -> str:
    """No spreadsheet program writes tabs or line ends into the name of a sheet; a hostile file may."""
    return " ".join(texts.shown(sheet, most=100).split())
