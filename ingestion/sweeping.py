"""What no verdict needs: row errors of runs that died, and the files of reports after a while."""

import datetime as dt
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from ingestion.models import Report, Upload
from ingestion.states import ReportState, UploadState
from work.jobs import Job
from work.periodic import PeriodicJob
from work.retention import Kept
from work.storage import files

LOOKED_BACK = dt.timedelta(days=2)
BATCH = 20_000
# A run in progress writes under the token of its lease. Both are read in the statement's own snapshot.
DELETE_DEAD = """
DELETE FROM {table} WHERE id IN (
  SELECT e.id FROM {table} e JOIN ingestion_upload u ON u.id = e.upload_id
  WHERE u.id = %(upload)s AND e.run IS DISTINCT FROM u.run AND e.run IS DISTINCT FROM u.lease_token
  LIMIT %(batch)s)
"""
TABLES = ("ingestion_rowerror", "ingestion_errorcount")


def sweep_dead_runs(job: Job) -> str:
    """Of uploads that were started more than once, or ended without a verdict of their own."""
    suspects = Upload.objects.filter(
        Q(starts__gt=1) | Q(state=UploadState.CANCELLED) | Q(state=UploadState.FAILED, run=None),
        Q(finished_at=None) | Q(finished_at__gt=Now() - LOOKED_BACK),
        starts__gt=0,
    )
    swept = 0
    for number, upload in enumerate(suspects.values_list("pk", flat=True).iterator(), start=1):
        for table in TABLES:
            while deleted := _delete_batch(table, upload):
                swept += deleted
                job.progress(number, unit="uploads")
    return f"{swept} row errors of dead runs deleted" if swept else "nothing to sweep"


def _delete_batch(table: str, upload: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute(DELETE_DEAD.format(table=table), {"upload": upload, "batch": BATCH})
        return int(cursor.rowcount)


def _old_reports(since: Any) -> QuerySet[Report]:
    return Report.objects.filter(state=ReportState.BUILT, swept_at=None, finished_at__lt=since)


def drop_files(reports: QuerySet[Report]) -> None:
    """The row stays as the story of the demand; the next demand builds the file anew."""
    keys = list(reports.values_list("storage_key", flat=True))
    reports.update(swept_at=Now())
    for key in keys:
        transaction.on_commit(partial(files().delete, key))


DEAD_RUNS = PeriodicJob(
    name="row_errors",
    title="Delete row errors of dead runs",
    function=sweep_dead_runs,
    every=dt.timedelta(minutes=30),
    at_most=dt.timedelta(minutes=20),
)
REPORT_FILES = Kept(
    "files of reports",
    dt.timedelta(days=7),
    "they can be built again at any time",
    _old_reports,
    drop_files,
)
