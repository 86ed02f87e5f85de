"""The one final outcome of an upload: its columns and its event."""

import time
import uuid
from typing import Any, NamedTuple

from django.db.models import Sum

from ingestion.context import Context
from ingestion.failures import EVERY_ROW_REFUSED, NO_DATA_ROWS, TOO_MANY_REFUSED
from ingestion.merging import Merged
from ingestion.models import Dataset, ErrorCount, Upload
from ingestion.reading.reader import PARSER_VERSION
from ingestion.states import UploadState
from work import outbox
from work.jobs import Job
from work.periodic import database_now

HEADERS_KEPT = 200
NAMED_CODES = 50  # an event names at most so many rules


class Failure(NamedTuple):
    """Why nothing of the file is stored, though it could be read; no code where something is."""

    code: str = ""
    detail: dict[str, Any] = {}


def failure(context: Context, *, refused: int) -> Failure:
    with_data = context.rows_read - context.blank
    if refused and refused == with_data:
        return Failure(EVERY_ROW_REFUSED)
    if not with_data:
        return Failure(NO_DATA_ROWS)
    if context.mending:
        return Failure()  # a share of what was refused before says nothing of the file
    limit = Dataset.objects.values_list("refuse_limit", flat=True).get(pk=context.dataset.pk)
    if limit is not None and 100 * refused > limit * with_data:
        return Failure(TOO_MANY_REFUSED, {"refused": refused, "rows": with_data, "limit": limit})
    return Failure()


def columns(
    job: Job,
    context: Context,
    *,
    refused: int,
    errors: int,
    merged: Merged | None,
    failure: Failure,
    said: list[dict[str, Any]],
) -> dict[str, Any]:
    """The verdict as the row keeps it. `merged` is None when nothing was stored; `said` are assumptions that
    were made while storing."""
    valid = context.rows_read - context.blank - refused
    stored = merged or Merged(valid, 0, 0, 0, 0)
    return {
        "run": job.token,
        "schema_version": context.schema.number,
        "parser_version": PARSER_VERSION,
        # The first bytes of a zip do not tell which kind of workbook it is.
        "kind": context.format or context.upload.kind,
        "assumptions": [*context.assumptions, *said],
        "headers": context.headers[:HEADERS_KEPT],
        "places": context.places,
        "timings": timings(job),
        "rows_read": context.rows_read,
        "blank": context.blank,
        "refused": refused,
        "error_count": errors,
        "valid": stored.valid,
        "inserted": stored.inserted,
        "updated": stored.updated,
        "unchanged": stored.unchanged,
        "superseded": stored.superseded,
        "retired": stored.retired,
        "failure_code": failure.code,
        "failure_detail": failure.detail,
        "progress_done": context.rows_read,
        "progress_total": context.rows_read,
        "progress_unit": "rows",
    }


def state(*, refused: int, merged: Merged | None) -> UploadState:
    if merged is None:
        return UploadState.FAILED
    return UploadState.PARTIAL if refused else UploadState.PROCESSED


def timings(job: Job) -> dict[str, float]:
    """Seconds per step; the step that stores is still running when its verdict is written."""
    done = {step["name"]: step["seconds"] for step in job.lease.steps}
    return {**done, job.lease.step: round(time.monotonic() - job.held.entered, 3)}


COUNTS = (
    "rows_read", "valid", "refused", "blank", "inserted", "updated", "unchanged", "superseded", "retired",
    "error_count",
)  # fmt: skip


def record(upload: Upload, verdict: UploadState, given: dict[str, Any]) -> None:
    """The event of the verdict, in the transaction that writes it. Ids and counts only."""
    run = given.get("run")
    outbox.record(
        f"upload.{verdict.value}",
        subject=upload,
        kind="upload",
        label=upload.filename,
        organisation=upload.organisation_id,
        payload={
            "owner": upload.uploaded_by_id,
            "dataset": upload.dataset.slug,
            "dataset_id": str(upload.dataset_id),
            "sequence": upload.sequence,
            "seconds": round((database_now() - upload.accepted_at).total_seconds(), 3),
            "dry_run": upload.dry_run,
            "code": given.get("failure_code", ""),
            "errors": errors_by_code(upload, run) if run else {},
            **{name: given.get(name, 0) for name in COUNTS},
        },
    )


def errors_by_code(upload: Upload, run: uuid.UUID) -> dict[str, int]:
    counted = ErrorCount.objects.filter(upload=upload, run=run).values("code").annotate(total=Sum("rows"))
    return {row["code"]: row["total"] for row in counted.order_by("-total", "code")[:NAMED_CODES]}
