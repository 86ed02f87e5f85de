"""Last step: merge, counts, verdict, event and fence in one transaction."""

import datetime as dt

from django.db import transaction
from django.db.models import F

from ingestion import locks, mending_rows, merging, row_errors, shared_values, staging, verdicts
from ingestion.context import Context
from ingestion.kill_points import STORE_AFTER_COMMIT, STORE_BEFORE, STORE_BEFORE_COMMIT
from ingestion.models import Dataset, SchemaVersion
from ingestion.steps.check_keys import compare_with_stored
from work import crash
from work.failures import Postponed
from work.jobs import Job


class _DatasetMoved(Exception):
    """Another upload was stored since values were compared with the records."""


def store_records(job: Job, context: Context) -> None:
    """Either all of it stands or nothing does. Raises LeaseLost when another attempt took over."""
    crash.point(STORE_BEFORE)
    job.progress(0, total=context.rows_read, unit="rows")
    while True:
        try:
            with transaction.atomic():
                _store(job, context)
                crash.point(STORE_BEFORE_COMMIT)
            break
        except _DatasetMoved:
            compare_with_stored(job, context)
    crash.point(STORE_AFTER_COMMIT)
    staging.empty()


def _store(job: Job, context: Context) -> None:
    upload, dataset_id = context.upload, context.dataset.pk
    locks.hold_records(dataset_id)
    moved = Dataset.objects.values_list("version", flat=True).get(pk=dataset_id) != context.looked_at
    if moved and context.unique_fields:
        raise _DatasetMoved  # a refusal needs a second look into the file, which no transaction waits for
    if moved:
        shared_values.leave_out_superseded(dataset_id, upload.precedence)
    refused, errors = row_errors.count(upload=upload.pk, run=job.token)
    merged, mended = None, 0
    if context.mending:
        mending_rows.name_origins(upload=upload.pk, run=job.token)
    if context.rows_read - context.blank - refused:
        merged = merging.merge(dataset_id=dataset_id, upload_id=upload.pk)
        if context.checker.primary_key or context.mending:
            merging.keep_keys(dataset_id=dataset_id, upload_id=upload.pk, precedence=upload.precedence)
        if context.mending:
            mended = mending_rows.mark(upload=upload, root=context.mending.root)
            mending_rows.outdate_reports(context.mending.root)
        _move_dataset(context)
    columns = verdicts.columns(job, context, refused=refused, errors=errors, merged=merged)
    columns["mended"] = mended
    state = verdicts.state(refused=refused, merged=merged)
    verdicts.record(upload, state, columns)
    job.finish(state=state, fields=columns)


def _move_dataset(context: Context) -> None:
    """Late, since accepting waits for this row. What a replaced schema had checked is not stored."""
    Dataset.objects.filter(pk=context.dataset.pk).update(version=F("version") + 1)
    current = SchemaVersion.objects.filter(dataset=context.dataset).latest("number").number
    if current != context.schema.number:
        raise Postponed("schema_changed", due_in=dt.timedelta(0))
