"""Second step: what can only be known of all rows together, such as shared keys and unique values."""

import uuid
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ingestion import (
    mending_rows,
    newer_values,
    reading_upload,
    reference_checks,
    row_errors,
    shared_values,
    snapshots,
    staging,
)
from ingestion.checking.checker import Checker
from ingestion.checking.shown import cell_text
from ingestion.context import Context
from ingestion.kill_points import KEYS_AFTER, KEYS_BEFORE
from ingestion.mendable import Mendable
from ingestion.models import Dataset
from ingestion.reading.cells import WireCell
from work import crash
from work.jobs import Job

FAULTS = """
SELECT row, code, field, rows, more FROM upload_fault WHERE row > %(after)s
ORDER BY row, code, field LIMIT %(most)s
"""
PAGE = 5_000


class Fault(NamedTuple):
    row: int
    code: str
    field: str
    rows: list[int]
    more: int


def check_keys(job: Job, context: Context) -> None:
    """Runs again with the whole attempt: staging is filled anew before it."""
    crash.point(KEYS_BEFORE)
    job.progress(0, total=context.rows_read, unit="rows")
    staging.analyse()
    if context.mending and context.checker.primary_key:
        mending_rows.rejoin_by_key(context.mending.root)
    if context.checker.primary_key:
        shared_values.refuse_shared_keys()
        job.check()
    shared_values.refuse_shared_values(context.unique_fields)
    compare_with_stored(job, context)
    job.progress(context.rows_read, total=context.rows_read, unit="rows")
    crash.point(KEYS_AFTER)


def compare_with_stored(job: Job, context: Context) -> None:
    """Look at newer uploads, at other records, and at those that rows refer to; again whenever a dataset has
    moved meanwhile."""
    versions = versions_of(context)
    leave_out_superseded(context)
    if context.mending:
        mending_rows.give_way()
    newer_values.leave_out(context)
    retires = snapshots.may_retire(context, job.token)
    shared_values.refuse_taken_values(context.dataset.pk, context.unique_fields, retires=retires)
    reference_checks.refuse_absent(context.references, retires=retires)
    _report_faults(job, context)
    context.looked_at = versions


def versions_of(context: Context) -> dict[uuid.UUID, int]:
    """Of the dataset, and of those that its rows refer to."""
    return dict(Dataset.objects.filter(pk__in=context.concerned).values_list("pk", "version"))


def leave_out_superseded(context: Context) -> None:
    shared_values.leave_out_superseded(
        context.dataset.pk,
        context.upload.precedence,
        everything=context.is_snapshot and snapshots.is_overtaken(context.upload),
    )


def _report_faults(job: Job, context: Context) -> None:
    """The rows at fault are read once more, for what was typed in them."""
    faults = _faults()
    first = next(faults, None)
    if first is None:
        return
    lines: list[str] = []
    mendable = Mendable(context.checker)
    run: dict[str, Any] = {"upload": context.upload.pk, "run": job.token, "sheet": context.sheet}
    how = reading_upload.as_read(context.upload, context.sheet, context.header_row, context.header_rows)
    with reading_upload.opened(job, context.upload, context.organisation, **how) as reader:
        row_number, found = first
        for frame in reader:
            job.progress(reader.rows_read, total=context.rows_read, unit="rows")
            for row in frame.rows:
                if row[0] != row_number:
                    continue
                told = [_fault(context, fault, row[1]) for fault in found]
                lines.append(row_errors.later_line(row_number, told, mendable.texts(row[1])))
                row_number, found = next(faults, (0, []))
            if len(lines) >= PAGE or not row_number:
                row_errors.add_later(lines, **run)
                lines.clear()
            if not row_number:
                break
    staging.run("TRUNCATE upload_fault")


def _faults() -> Iterator[tuple[int, list[Fault]]]:
    """By row, page by page: there may be as many as the file has rows."""
    after = 0
    while page := [Fault(*row) for row in staging.rows(FAULTS, {"after": after, "most": PAGE})]:
        if len(page) == PAGE and page[0].row != page[-1].row:
            page = [fault for fault in page if fault.row != page[-1].row]
        for number, found in groupby(page, key=lambda fault: fault.row):
            yield number, list(found)
        after = page[-1].row


def _fault(context: Context, fault: Fault, cells: list[WireCell]) -> str:
    checker, detail = context.checker, {"rows": _rows(fault)} if fault.rows else {}
    names: Sequence[str] = [fault.field] if fault.field else checker.primary_key
    if fault.code == "foreign_key":
        reference = context.references[fault.more]
        names, detail = reference.fields, {"dataset": reference.title}
    typed = [_typed(checker, name, cells) for name in names]
    return checker.fault(row=fault.row, name=names[0], code=fault.code, value=" / ".join(typed), **detail)


def _typed(checker: Checker, name: str, cells: list[WireCell]) -> str:
    place = checker.header.places.get(name, -1) if checker.header else -1
    return cell_text(cells[place]) if 0 <= place < len(cells) else ""


def _rows(fault: Fault) -> str:
    listed = ", ".join(str(row) for row in fault.rows)
    return f"{listed} and {fault.more:,} more" if fault.more else listed
