"""Last step: merge, counts, verdict, event and fence in one transaction."""

import datetime as dt

from django.db import transaction
from django.db.models import F

from ingestion import locks, mending_rows, merging, newer_values, row_errors, snapshots, staging, verdicts
from ingestion.context import Context
from ingestion.kill_points import STORE_AFTER_COMMIT, STORE_BEFORE, STORE_BEFORE_COMMIT
from ingestion.merging import Merged
from ingestion.models import Dataset, SchemaVersion
from ingestion.snapshots import Absent
from ingestion.steps.check_keys import compare_with_stored, leave_out_superseded, versions_of
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
    locks.hold_and_look_at(dataset_id, context.concerned)
    versions = versions_of(context)
    if versions != context.looked_at:
        if context.unique_fields or context.references:
            raise _DatasetMoved  # a refusal needs a second look into the file, which no transaction waits for
        leave_out_superseded(context)
    refused, errors = row_errors.count(context.checker.tally, upload=upload.pk, run=job.token)
    if context.mending:
        mending_rows.name_origins(upload=upload.pk, run=job.token, root=context.mending.root)
    failure = verdicts.failure(context, refused=refused)
    said, merged = [], None
    if not failure.code:
        decided = newer_values.decide(context)
        absent = snapshots.absent(context, job.token)
        said, merged = [*decided, *absent.said], _merge(context, absent)
    columns = verdicts.columns(
        job, context, refused=refused, errors=errors, merged=merged, failure=failure, said=said
    )
    columns["mended"] = _mark_mended(context) if merged else 0
    state = verdicts.state(refused=refused, merged=merged)
    verdicts.record(upload, state, columns)
    job.finish(state=state, fields=columns)


def _merge(context: Context, absent: Absent) -> Merged:
    """Of a dry run nothing is written but its verdict."""
    upload, dataset_id = context.upload, context.dataset.pk
    if upload.dry_run:
        merged = merging.foresee(dataset_id=dataset_id, retire=absent.retire)
    else:
        merged = merging.merge(dataset_id=dataset_id, upload_id=upload.pk, retire=absent.retire > 0)
        if context.checker.primary_key or context.mending:
            merging.keep_keys(dataset_id=dataset_id, upload_id=upload.pk, precedence=upload.precedence)
    _move_dataset(context)
    return merged


def _mark_mended(context: Context) -> int:
    """How many rows of the first file of the story are stored by this one."""
    if not context.mending or context.upload.dry_run:
        return 0
    mended = mending_rows.mark(upload=context.upload, root=context.mending.root)
    mending_rows.outdate_reports(context.mending.root)
    return mended


def _move_dataset(context: Context) -> None:
    """Late, since accepting waits for this row. What a replaced schema had checked is not stored."""
    if not context.upload.dry_run:
        Dataset.objects.filter(pk=context.dataset.pk).update(version=F("version") + 1)
    current = SchemaVersion.objects.filter(dataset=context.dataset).latest("number").number
    if current != context.schema.number:
        raise Postponed("schema_changed", due_in=dt.timedelta(0))
