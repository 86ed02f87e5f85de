"""First step: rows, read in a child and checked here, go to staging; refused ones to the row report.

The child reads ahead while this process checks, and every batch is committed: no transaction stays open.
"""

import json
from collections.abc import Iterable
from typing import Any

from ingestion import (
    asks,
    doubts,
    mending,
    mending_columns,
    mending_marks,
    mending_rows,
    reading_upload,
    row_errors,
    staging,
    totals_below,
)
from ingestion.checking import messages
from ingestion.checking.checker import CheckedRow, Checker
from ingestion.checking.header import HeaderMatch
from ingestion.checking.keys import key_hash
from ingestion.checking.texts import shown
from ingestion.context import Context
from ingestion.kill_points import READ_AFTER, READ_BATCH, READ_BEFORE
from ingestion.mendable import Mendable
from ingestion.models import HeaderAlias, Upload
from ingestion.nameless import Nameless
from ingestion.notes_below import Tail, described
from ingestion.questions import WHICH_COLUMNS
from ingestion.reading import names
from ingestion.reading.reader import HeaderFrame, Reader, Row
from ingestion.totals_below import Totals
from work import crash
from work.failures import PermanentFailure
from work.jobs import Job

# Records are found by an index over their keys, and an entry of it holds 2,704 bytes at most.
LONGEST_KEY = 600


def read_rows(job: Job, context: Context) -> None:
    """Runs again from its start: staging is emptied, and row errors stand under this attempt's own run."""
    crash.point(READ_BEFORE)
    staging.begin()
    aliases = dict(HeaderAlias.objects.filter(dataset=context.dataset).values_list("header", "field"))
    how = reading_upload.looking_for(
        context.upload, context.checker.spellings(aliases), usual_sheet=context.dataset.usual_sheet
    )
    with reading_upload.opened(job, context.upload, context.organisation, **how) as reader:
        said = _begin_mending(job, reader, context)
        match = _match_header(reader.header, context, aliases)
        _go_on_mending(context, said)
        batch, nameless = Batch(job, context), Nameless(reader.header.cells, match)
        tail = Tail(width=len(match.headers))
        for frame in reader:
            nameless.look(frame.rows)
            batch.add(tail.pass_on(frame.rows))
            job.progress(batch.rows, unit="rows")
        ending = tail.end()
        batch.add(ending.data)
        batch.store()
        totals = totals_below.decide(context, ending.totals)
        batch.add(sorted([*totals.kept, *ending.others]))
        batch.store()
        _close(reader, context, ending.notes, totals, last=batch.last)
        context.assumptions += nameless.assumptions()
    job.progress(context.rows_read, total=context.rows_read, unit="rows")
    crash.point(READ_AFTER)


class Batch:
    """Lines for COPY, stored whenever there are enough of them."""

    def __init__(self, job: Job, context: Context) -> None:
        self.job, self.context = job, context
        self.upload = context.upload.pk
        self.place = row_errors.place(upload=self.upload, run=job.token, sheet=context.sheet)
        self.staged: list[str] = []
        self.refused: list[str] = []
        self.rows = 0
        self.last = 0  # the number of the last row in the file
        self.mendable = Mendable(context.checker)

    def add(self, rows: list[Row]) -> None:
        checked = self.context.checker.check_batch(rows)
        self.rows += len(rows)
        self.last = rows[-1][0] if rows else self.last
        if self.context.mending:
            self.context.mending.rejoin(rows, checked)
        _refuse_long_keys(self.context.checker, checked)
        refused = [row for row in checked if row.faults]
        if refused:
            self._refuse(rows, refused)
            checked = [row for row in checked if not row.faults]
        self.staged += self.keyed(checked) if self.context.checker.primary_key else self._unkeyed(checked)
        if len(self.staged) + len(self.refused) >= staging.COPY_ROWS:
            self.store()

    def store(self) -> None:
        staging.add(self.staged)
        row_errors.add(self.refused)
        if self.context.mending:
            mending_rows.add(self.context.mending.lines)
            self.context.mending.lines.clear()
        self.staged.clear()
        self.refused.clear()
        crash.point(READ_BATCH)

    @staticmethod
    def keyed(checked: Iterable[CheckedRow]) -> Iterable[str]:
        return [
            f"{row.row}\t{row.key}\t{key_hash(row.key or '')}\t{row.json}"
            f"\t\\x{row.digest.hex()}\t{_uniques(row)}\t{_references(row)}\tf"
            for row in checked
        ]

    def _unkeyed(self, checked: Iterable[CheckedRow]) -> Iterable[str]:
        """Without a primary key nothing is ever replaced, but by a row that brings it mended, or by reading
        the file again: each row of each file is a record of its own."""
        return [
            f"{row.row}\t{key}\t{hashed}\t{row.json}"
            f"\t\\x{row.digest.hex()}\t{_uniques(row)}\t{_references(row)}\tf"
            for row in checked
            for key, hashed in [self._own_key(row.row)]
        ]

    def _own_key(self, row: int) -> tuple[str, int]:
        """The hash is compared with what newer uploads brought: only mended rows and files read again meet
        records that are there."""
        mended = self.context.mending.key_of(row) if self.context.mending else None
        first = self.context.upload.reprocesses_id
        key = mended or f'["{first or self.upload}",{row}]'
        return key, key_hash(key) if mended or first else 0

    def _refuse(self, rows: list[Row], refused: list[CheckedRow]) -> None:
        typed = {row[0]: row[1] for row in rows}
        told = self.mendable.json_texts([typed[row.row] for row in refused])
        for row, cells in zip(refused, told, strict=True):
            self.refused.append(row_errors.line(self.place, row.row, row.faults, cells, row.key))
            if row.key is not None:
                self.staged.append(f"{row.row}\t{row.key}\t{key_hash(row.key)}\t\t\t\t\tt")


def _refuse_long_keys(checker: Checker, checked: Iterable[CheckedRow]) -> None:
    for row in checked:
        if row.key is not None and len(row.key) > LONGEST_KEY:
            fault = checker.fault(
                row=row.row, name=checker.primary_key[0], code="key_too_long", value=shown(row.key),
                length=len(row.key), most=LONGEST_KEY,
            )  # fmt: skip
            row.faults, row.key = [*row.faults, fault], None


def _match_header(header: HeaderFrame, context: Context, aliases: dict[str, str]) -> HeaderMatch:
    """Raises PermanentFailure, or Asks where it is not safe to go on."""
    context.sheet, context.header_row, context.header_rows = header.sheet, header.row, header.depth
    reading = context.upload.reading
    confirmed = reading.get("confirm", [])
    cells = mending_marks.without(header.cells, mending_marks.find(header.cells))
    context.mapping, is_known = reading.get("mapping", {}), False
    if context.mending:
        known, is_known = mending_columns.inherited(context.mending.mended, cells)
        context.mapping = mending_columns.beneath(context.mapping, known)
    match = context.checker.match_header(
        cells,
        row=header.row,
        mapping=context.mapping,
        aliases=aliases,
        confirmed=is_known or WHICH_COLUMNS in confirmed,
    )
    question = doubts.code(header, match, confirmed)
    is_refused = match.failure is not None and context.upload.on_doubt == Upload.OnDoubt.FAIL
    if question and not (is_refused and question == WHICH_COLUMNS):
        asks.ask(context.upload, doubts.asking(question, header, match, context.checker.columns))
    if match.failure is not None:
        raise PermanentFailure(match.failure.code, **match.failure.detail)
    return match


def _begin_mending(job: Job, reader: Reader, context: Context) -> list[dict[str, Any]]:
    """Before the header is matched, since what was said of the first file's columns holds for these."""
    context.mending, said = mending.begin(job, context.upload, reader.header.cells)
    return said


def _go_on_mending(context: Context, said: list[dict[str, Any]]) -> None:
    if context.mending:
        context.mending.headers = context.headers
        context.mending.tally = context.checker.tally
    context.checker.header.assumptions += said  # type: ignore[union-attr]


def _close(reader: Reader, context: Context, notes: list[Row], totals: Totals, *, last: int) -> None:
    end = reader.end
    assert end is not None  # noqa: S101 (iterating to the end sets it)
    below, stated = end.rows + end.blank_rows, list(end.assumptions)
    left_out = [*notes, *totals.left_out]
    if left_out:
        # What stands below the data is no part of it, nor are the blank rows between.
        last = max(last, reader.header.last_row)
        below = last - reader.header.last_row - sum(row[0] < last for row in left_out)
    stated += totals.said
    if notes:
        named = described(notes)
        stated.append(messages.assumption("notes_below_left_out", notes=named, count=len(named)))
    context.blank = below - (end.rows - len(left_out)) + context.checker.blank
    context.rows_read = below
    context.format = end.format
    context.assumptions = [
        *names.assumed(context.upload.filename, end.format),
        *stated,
        *context.checker.assumptions,
    ]
    if context.mending:
        is_keyed = bool(context.checker.primary_key)
        context.assumptions += context.mending.said(context.rows_read - context.blank, is_keyed=is_keyed)


def _uniques(row: CheckedRow) -> str:
    """As a JSON object; nothing, which COPY reads as NULL, for the many datasets without unique fields."""
    if not row.unique:
        return ""
    return (
        "{"
        + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{text}" for name, text in row.unique.items())
        + "}"
    )


def _references(row: CheckedRow) -> str:
    """As a JSON list of key texts, one for each foreign key; nothing where a dataset has none."""
    return json.dumps(row.references, ensure_ascii=False) if row.references else ""
