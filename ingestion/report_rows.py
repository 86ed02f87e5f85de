"""The refused rows of a verdict in the order of the sheet, and what makes their text harmless."""

import re
from collections.abc import Iterator

from django.conf import settings
from django.db.models import QuerySet

from ingestion.cell_rules import help_url
from ingestion.models import RowError, Upload
from work.jobs import Job

PAGE = 2_000
# What spreadsheet programs take for the start of a formula, wide forms included.
FORMULA_START = re.compile("^[\\s\u00a0\u200b\ufeff]*[=+\\-@\uff1d\uff0b\uff0d\uff20\t\r\n]")
# A plain number is no formula, and must stay a number.
PLAIN_NUMBER = re.compile(r"[+-]?[0-9][0-9 .,'\u00a0\u202f]*([eE][+-]?[0-9]+)?%?")


def refused_rows(rows: QuerySet[RowError], upload: Upload, job: Job | None) -> Iterator[RowError]:
    """No page stays open between reads, however long the writing takes. `job` hears of the progress."""
    rows, after, done = rows.order_by("row"), -1, 0
    while page := list(rows.filter(row__gt=after)[:PAGE]):
        yield from page
        after = page[-1].row
        done += len(page)
        if job:
            job.progress(done, total=upload.refused, unit="rows")


def explained_at(code: str) -> str:
    """The whole address: a report is read where no page of ours is open."""
    return f"{settings.PUBLIC_BASE_URL}{help_url(code)}"


def is_formula_like(text: str) -> bool:
    return bool(FORMULA_START.match(text)) and not PLAIN_NUMBER.fullmatch(text)


def neutral(text: str) -> str:
    """For CSV, where nothing but a leading apostrophe keeps a program from calculating the text."""
    return f"'{text}" if is_formula_like(text) else text
