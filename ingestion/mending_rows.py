"""Statements about the rows of an upload that mends: which rows of its story they are, and that these are
mended now. They run on the staging of the worker's session, for uploads that have a story only.
"""

import uuid
from typing import Any

from ingestion import staging, sweeping
from ingestion.copying import copy_lines
from ingestion.models import Report, Upload
from ingestion.states import ReportState

COPY = "COPY upload_origin (row, origin, gives_way) FROM STDIN"
# A row without a number of ours is found by its key. One of several that shared it will do: they were
# refused because they did.
REJOIN_BY_KEY = """
INSERT INTO upload_origin (row, origin, gives_way)
SELECT s.row, min(r.row), false
FROM upload_staging s JOIN ingestion_rowerror r ON r.key = s.key
WHERE r.upload_id = %(root)s AND r.run = %(run)s
AND NOT EXISTS (SELECT 1 FROM upload_origin o WHERE o.row = s.row)
AND NOT EXISTS (SELECT 1 FROM upload_origin o WHERE o.origin = r.row)
GROUP BY s.row
"""
GIVE_WAY = """
UPDATE upload_staging s SET superseded = true FROM upload_origin o
WHERE o.gives_way AND o.row = s.row AND NOT s.superseded
"""
NAME_ORIGINS = """
UPDATE ingestion_rowerror r SET origin = o.origin FROM upload_origin o
WHERE r.upload_id = %(upload)s AND r.run = %(own_run)s AND r.row = o.row
"""
# What was left out stays so when it comes back as wrong as before.
STAY_LEFT_OUT = """
UPDATE ingestion_rowerror r SET left_out = f.left_out FROM ingestion_rowerror f
WHERE r.upload_id = %(upload)s AND r.run = %(own_run)s AND r.origin = f.row
AND f.upload_id = %(root)s AND f.run = %(run)s AND f.left_out IS NOT NULL
"""
# In the order of rows, as every merge of the dataset does it.
MARK_ROOT = """
WITH brought AS (
  SELECT o.origin FROM upload_origin o JOIN upload_staging s USING (row) WHERE NOT s.refused)
UPDATE ingestion_rowerror r SET mended_by_id = %(upload)s FROM brought b
WHERE r.upload_id = %(root)s AND r.run = %(run)s AND r.row = b.origin AND r.mended_by_id IS NULL
"""
MARK_CHAPTERS = """
WITH brought AS (
  SELECT o.origin FROM upload_origin o JOIN upload_staging s USING (row) WHERE NOT s.refused)
UPDATE ingestion_rowerror r SET mended_by_id = %(upload)s
FROM ingestion_upload u, brought b
WHERE u.story_id = %(root)s AND u.id <> %(upload)s AND r.upload_id = u.id AND r.run = u.run
AND r.mended_by_id IS NULL AND r.origin = b.origin
"""
# Rows that a later file has added, and that were refused there.
MARK_ADDED = """
WITH brought AS (SELECT key FROM upload_staging WHERE NOT refused)
UPDATE ingestion_rowerror r SET mended_by_id = %(upload)s
FROM ingestion_upload u, brought b
WHERE u.story_id = %(root)s AND u.id <> %(upload)s AND r.upload_id = u.id AND r.run = u.run
AND r.mended_by_id IS NULL AND r.origin IS NULL AND r.key <> '' AND r.key = b.key
"""
REFUSED_BEFORE = """
SELECT EXISTS (
  SELECT 1 FROM ingestion_upload WHERE story_id = %(root)s AND id <> %(upload)s AND refused > 0)
"""


def add(lines: list[str]) -> None:
    """Copy in `row, origin, gives_way`, separated by tabs."""
    copy_lines(COPY, lines)


def rejoin_by_key(root: Upload) -> None:
    staging.run(REJOIN_BY_KEY, {"root": root.pk, "run": root.run})


def give_way() -> int:
    """Leave to a newer file what a person has decided to leave to it."""
    return staging.run(GIVE_WAY)


def name_origins(*, upload: uuid.UUID, run: uuid.UUID, root: Upload) -> None:
    """The refused rows of this upload say which rows of the first file they are."""
    params = {"upload": upload, "own_run": run, "root": root.pk, "run": root.run}
    staging.run(NAME_ORIGINS, params)
    staging.run(STAY_LEFT_OUT, params)


def mark(*, upload: Upload, root: Upload) -> int:
    """What the merge has stored is mended, in its transaction; how many rows of the first file that closes.

    A row that gave way to a newer upload counts: its key holds what it is meant to hold.
    """
    params: dict[str, Any] = {"upload": upload.pk, "root": root.pk, "run": root.run}
    mended = staging.run(MARK_ROOT, params)
    if staging.rows(REFUSED_BEFORE, params)[0][0]:
        staging.run(MARK_CHAPTERS, params)
        staging.run(MARK_ADDED, params)
    return mended


def outdate_reports(root: Upload) -> None:
    """Workbooks of rows to mend hold only those that are open: the next demand makes another."""
    uploads = [root.pk, *root.chapters.values_list("pk", flat=True)]
    sweeping.drop_files(
        Report.objects.filter(
            upload__in=uploads, kind=Report.Kind.MEND, state=ReportState.BUILT, swept_at=None
        )
    )
