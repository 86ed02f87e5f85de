"""First step: rows, read in a child and checked here, go to staging; refused ones to the row report.

The child reads ahead while this process checks, and every batch is committed: no transaction stays open.
"""

import json
from collections.abc import Iterable

from ingestion import mending, mending_marks, mending_rows, reading_upload, row_errors, staging
from ingestion.checking.checker import CheckedRow, Checker
from ingestion.checking.keys import key_hash
from ingestion.checking.texts import shown
from ingestion.context import Context
from ingestion.kill_points import READ_AFTER, READ_BATCH, READ_BEFORE
from ingestion.mendable import Mendable
from ingestion.reading import names
from ingestion.reading.reader import Reader, RowsFrame
from work import crash
from work.failures import PermanentFailure
from work.jobs import Job

# Records are found by an index over their keys, and an entry of it holds 2,704 bytes at most.
LONGEST_KEY = 600


def read_rows(job: Job, context: Context) -> None:
    """Runs again from its start: staging is emptied, and row errors stand under this attempt's own run."""
    crash.point(READ_BEFORE)
    staging.begin()
    with reading_upload.opened(job, context.upload, context.organisation) as reader:
        _match_header(reader, context)
        _begin_mending(job, reader, context)
        batch = Batch(job, context)
        for frame in reader:
            batch.add(frame)
            job.progress(batch.rows, unit="rows")
        batch.store()
        _close(reader, context)
    job.progress(context.rows_read, total=context.rows_read, unit="rows")
    crash.point(READ_AFTER)


class Batch:
    """Lines for COPY, stored whenever there are enough of them."""

    def __init__(self, job: Job, context: Context) -> None:
        self.job, self.context = job, context
        self.upload, self.run = context.upload.pk, job.token
        self.staged: list[str] = []
        self.refused: list[str] = []
        self.rows = 0
        self.mendable = Mendable(context.checker)

    def add(self, frame: RowsFrame) -> None:
        checked = self.context.checker.check_batch(frame.rows)
        self.rows += len(frame.rows)
        if self.context.mending:
            self.context.mending.rejoin(frame.rows, checked)
        _refuse_long_keys(self.context.checker, checked)
        refused = [row for row in checked if row.errors]
        if refused:
            self._refuse(frame, refused)
            checked = [row for row in checked if not row.errors]
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

    def _refuse(self, frame: RowsFrame, refused: Iterable[CheckedRow]) -> None:
        typed = {row[0]: row[1] for row in frame.rows}
        for row in refused:
            cells = self.mendable.texts(typed[row.row])
            line = row_errors.line(self.upload, self.run, frame.sheet, row.row, row.errors, cells, row.key)
            self.refused.append(line)
            if row.key is not None:
                self.staged.append(f"{row.row}\t{row.key}\t{key_hash(row.key)}\t\t\t\t\tt")


def _refuse_long_keys(checker: Checker, checked: Iterable[CheckedRow]) -> None:
    for row in checked:
        if row.key is not None and len(row.key) > LONGEST_KEY:
            error = checker.error(
                row=row.row, name=checker.primary_key[0], code="key_too_long", value=shown(row.key),
                length=len(row.key), most=LONGEST_KEY,
            )  # fmt: skip
            row.errors, row.key = [*row.errors, error], None


def _match_header(reader: Reader, context: Context) -> None:
    header = reader.header
    context.sheet = header.sheet
    marks = mending_marks.find(header.cells)
    match = context.checker.match_header(mending_marks.without(header.cells, marks), row=header.row)
    if match.failure is not None:
        raise PermanentFailure(match.failure.code, **match.failure.detail)


def _begin_mending(job: Job, reader: Reader, context: Context) -> None:
    context.mending, said = mending.begin(job, context.upload, reader.header.cells)
    if context.mending:
        context.mending.headers = context.headers
    context.checker.header.assumptions += said  # type: ignore[union-attr]


def _close(reader: Reader, context: Context) -> None:
    assert reader.end is not None  # noqa: S101 (iterating to the end sets it)
    context.blank = reader.end.blank_rows + context.checker.blank
    context.rows_read = reader.end.rows + reader.end.blank_rows
    context.format = reader.end.format
    context.assumptions = [
        *names.assumed(context.upload.filename, reader.end.format),
        *reader.end.assumptions,
        *context.checker.assumptions,
    ]
    if context.mending and not context.checker.primary_key:
        context.assumptions += context.mending.said(context.rows_read - context.blank)


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
