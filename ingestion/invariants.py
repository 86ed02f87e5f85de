"""What must always hold of uploads, their records and files. Each check is one statement over the tables."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from ingestion.models import Report, SchemaDraft, Upload
from ingestion.states import ReportState
from work.invariants import Breach, Invariant
from work.storage import BLOCK_BYTES, FileDamaged, FileMissing, files

LIMIT = 200
CHANGED = "The bytes of its file are not those that were kept."
SHA256 = re.compile("[0-9a-f]{64}")
RECENT = "AND u.finished_at > now() - interval '1 day'"

SUMS = """
SELECT u.id, 'Its rows do not add up: ' || u.rows_read || ' read, ' || u.valid || ' valid, ' || u.refused
  || ' refused, ' || u.blank || ' blank, and ' || (u.inserted + u.updated + u.unchanged + u.superseded)
  || ' of the valid ones accounted for.'
FROM ingestion_upload u WHERE u.run IS NOT NULL AND u.rows_read > 0 {recent}
AND (u.rows_read <> u.valid + u.refused + u.blank
  OR u.state <> 'failed' AND u.valid <> u.inserted + u.updated + u.unchanged + u.superseded
  OR u.state = 'failed' AND u.inserted + u.updated + u.unchanged + u.superseded + u.retired > 0
  OR u.valid = 0 AND u.state <> 'failed')
"""
ROW_ERRORS = """
SELECT u.id, 'It says ' || u.refused || ' rows refused for ' || u.error_count || ' errors; its report has '
  || e.rows || ' rows with ' || e.errors || ' errors.'
FROM ingestion_upload u CROSS JOIN LATERAL (
  SELECT count(*) AS rows, coalesce(sum(jsonb_array_length(r.errors)), 0) AS errors
  FROM ingestion_rowerror r WHERE r.upload_id = u.id AND r.run = u.run) e
WHERE u.run IS NOT NULL {recent} AND (e.rows <> u.refused OR e.errors <> u.error_count)
"""
EVENTS = """
SELECT u.id, 'It is ' || u.state || ', and no event says so.' FROM ingestion_upload u
WHERE u.finished_at IS NOT NULL {recent} AND NOT EXISTS (
  SELECT 1 FROM work_event e
  WHERE e.subject_kind = 'upload' AND e.subject_id = u.id::text AND e.type = 'upload.' || u.state)
"""
KEY_LISTS = """
SELECT u.id, 'It was stored, and keeps no list of its keys.' FROM ingestion_upload u
JOIN ingestion_schemaversion s ON s.dataset_id = u.dataset_id AND s.number = u.schema_version
WHERE u.state IN ('processed', 'partial') AND NOT u.dry_run {recent}
AND jsonb_typeof(s.schema -> 'primaryKey') IS NOT NULL
AND s.schema -> 'primaryKey' <> '[]'::jsonb
AND NOT EXISTS (SELECT 1 FROM ingestion_uploadkeys k WHERE k.upload_id = u.id)
"""
# Of uploads that a chain has brought rows of: what they say of it, and what their row reports do.
MENDED = """
SELECT u.id, 'It says that it brought ' || u.mended || ' refused rows of the first file of its story; '
  || r.rows || ' rows in the report of that name it.'
FROM ingestion_upload u JOIN ingestion_upload f ON f.id = u.story_id CROSS JOIN LATERAL (
  SELECT count(*) AS rows FROM ingestion_rowerror e
  WHERE e.upload_id = f.id AND e.run = f.run AND e.mended_by_id = u.id) r
WHERE u.finished_at IS NOT NULL {recent} AND u.mended <> r.rows
"""
MENDERS = """
SELECT DISTINCT u.id, 'A row of it is mended by upload ' || m.id || ', which ' ||
  CASE WHEN m.state NOT IN ('processed', 'partial') THEN 'stored nothing.'
    WHEN m.dry_run THEN 'was only tried.' ELSE 'is not of its story.' END
FROM ingestion_upload u JOIN ingestion_rowerror e ON e.upload_id = u.id AND e.run = u.run
JOIN ingestion_upload m ON m.id = e.mended_by_id
WHERE (m.state NOT IN ('processed', 'partial') OR m.dry_run
  OR coalesce(m.story_id, m.id) <> coalesce(u.story_id, u.id))
"""
STORIES = """
SELECT u.id, 'It mends an upload of another story or dataset, or one that came after it.'
FROM ingestion_upload u JOIN ingestion_upload m ON m.id = u.mends_id
WHERE u.story_id IS DISTINCT FROM coalesce(m.story_id, m.id) OR m.dataset_id <> u.dataset_id
OR m.sequence >= u.sequence
"""
SEQUENCES = """
SELECT d.id, 'Its next upload would get number ' || d.next_sequence || ', but ' || max(u.sequence)
  || ' is taken.'
FROM ingestion_dataset d JOIN ingestion_upload u ON u.dataset_id = d.id
GROUP BY d.id HAVING max(u.sequence) >= d.next_sequence
"""
SCHEMAS = """
SELECT d.id, 'It has no schema.' FROM ingestion_dataset d
WHERE NOT EXISTS (SELECT 1 FROM ingestion_schemaversion s WHERE s.dataset_id = d.id)
"""
VERSIONS = """
SELECT r.dataset_id, 'The record ' || left(r.key, 80) || ' is at version ' || r.version || ' with '
  || count(v.id) || ' earlier values.'
FROM ingestion_record r LEFT JOIN ingestion_recordversion v ON v.dataset_id = r.dataset_id AND v.key = r.key
GROUP BY r.id HAVING r.version <> count(v.id) + 1
"""
FOREIGN_RECORDS = """
SELECT r.dataset_id, 'The record ' || left(r.key, 80) || ' came with an upload that stored nothing here.'
FROM ingestion_record r JOIN ingestion_upload u ON u.id = r.upload_id
WHERE u.dataset_id <> r.dataset_id OR u.state NOT IN ('processed', 'partial') OR u.dry_run
"""
RETIRED = """
SELECT r.dataset_id, 'The record ' || left(r.key, 80) || ' is retired, and its upload retired nothing.'
FROM ingestion_record r JOIN ingestion_upload u ON u.id = r.upload_id
WHERE r.retired_at IS NOT NULL AND u.retired = 0
UNION ALL
SELECT v.dataset_id, 'The record ' || left(v.key, 80) || ' was retired twice, without a row in between.'
FROM ingestion_recordversion v LEFT JOIN ingestion_recordversion before
  ON before.dataset_id = v.dataset_id AND before.key = v.key AND before.version = v.version - 1
WHERE v.retired AND before.retired IS NOT FALSE
"""
DRY_RUNS = """
SELECT u.id, 'It was only tried, and keeps a list of its keys.' FROM ingestion_upload u
JOIN ingestion_uploadkeys k ON k.upload_id = u.id WHERE u.dry_run {recent}
"""
ASKING = """
SELECT u.id, 'It waits for an answer to ' || u.question || ', and asks '
  || coalesce(u.asking ->> 'code', 'nothing') || '.'
FROM ingestion_upload u
WHERE u.asked_at IS NOT NULL AND u.state = 'needs_answer' AND u.question IS DISTINCT FROM u.asking ->> 'code'
  AND u.question <> 'recovery_failed'
"""


def _statement(statement: str) -> Callable[[bool], Sequence[Breach]]:
    """Of the last day when quick, of all times when deep."""

    def check(deep: bool) -> Sequence[Breach]:
        with connection.cursor() as cursor:
            cursor.execute(f"{statement.format(recent='' if deep else RECENT)} LIMIT {LIMIT}")
            return [Breach(str(subject), sentence) for subject, sentence in cursor.fetchall()]

    return check


def _deep(check: Callable[[bool], Sequence[Breach]]) -> Callable[[bool], Sequence[Breach]]:
    return lambda deep: check(deep) if deep else []


def originals_are_kept(deep: bool) -> list[Breach]:
    """Each original is there in its size; deep: with its bytes unchanged."""
    return list(_of_files(Upload.objects.all() if deep else Upload.objects.unfinished(), deep))


def reports_are_kept(deep: bool) -> list[Breach]:
    built = Report.objects.filter(state=ReportState.BUILT, swept_at=None)
    return list(_of_files(built, deep))[:LIMIT]


def files_are_known(deep: bool) -> list[Breach]:
    """What lies in storage and no row names. Deep only. The whole file of an accept that was broken off or
    refused is no breach: nothing that was sent is deleted, and the same file sent again takes its place.
    """
    if not deep:
        return []
    known = set(Upload.objects.values_list("storage_key", flat=True).distinct().iterator())
    known |= set(Report.objects.exclude(storage_key="").values_list("storage_key", flat=True).iterator())
    known |= set(SchemaDraft.objects.exclude(sample_key="").values_list("sample_key", flat=True))
    left = (key for key in files().keys("") if key not in known and not key.startswith("trail/"))
    strays = (key for key in left if not _is_whole_original(key))
    return [
        Breach(key, "No upload or report names this file.")
        for key, _ in zip(strays, range(LIMIT), strict=False)
    ]


def _is_whole_original(key: str) -> bool:
    sha256 = key.rpartition("/")[2]
    return bool(SHA256.fullmatch(sha256)) and not _wrong_with(key, files().size(key), sha256)


def _of_files(rows: QuerySet[Any], deep: bool) -> Iterator[Breach]:
    seen: set[str] = set()
    found = 0
    for pk, key, size, sha256 in rows.values_list("pk", "storage_key", "size", "sha256").iterator():
        if key in seen:
            continue
        seen.add(key)
        wrong = _wrong_with(key, size, sha256 if deep else "")
        if wrong:
            yield Breach(str(pk), f"{wrong} ({key})")
            found += 1
        if found >= LIMIT:
            return


def _wrong_with(key: str, size: int, sha256: str) -> str:
    try:
        if (found := files().size(key)) != size:
            return f"Its file has {found} bytes, not {size}."
        if not sha256:
            return ""
        digest = hashlib.sha256()
        with files().open(key) as file:
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
    except FileDamaged:
        return CHANGED
    except FileMissing:
        return "Its file is missing."
    return "" if digest.hexdigest() == sha256 else CHANGED


EVERY = (
    Invariant("upload_rows_add_up", "The rows of every verdict add up", _statement(SUMS)),
    Invariant("upload_row_report", "Every verdict has the row report that it counts", _statement(ROW_ERRORS)),
    Invariant("upload_verdict_event", "Every finished upload has its event", _statement(EVENTS)),
    Invariant("upload_key_list", "Every stored upload keeps the list of its keys", _statement(KEY_LISTS)),
    Invariant("upload_mended_rows", "Uploads that mend count what they brought", _statement(MENDED)),
    Invariant(
        "upload_menders", "Mended rows name a stored upload of their story", _deep(_statement(MENDERS))
    ),
    Invariant("upload_stories", "Every chain of uploads is one story", _statement(STORIES)),
    Invariant("dataset_sequence", "No dataset hands out a sequence twice", _statement(SEQUENCES)),
    Invariant("dataset_schema", "Every dataset has a schema", _statement(SCHEMAS)),
    Invariant("record_versions", "Records count their earlier values", _deep(_statement(VERSIONS))),
    Invariant(
        "record_upload", "Records name the upload that stored them", _deep(_statement(FOREIGN_RECORDS))
    ),
    Invariant("record_retired", "Records were retired by an upload that says so", _deep(_statement(RETIRED))),
    Invariant("upload_dry_run", "What was only tried left nothing behind", _statement(DRY_RUNS)),
    Invariant("upload_asking", "What an upload asks is what it says", _statement(ASKING)),
    Invariant("original_kept", "Every original is kept unchanged", originals_are_kept, looks_outside=True),
    Invariant("report_kept", "Every built report has its file", reports_are_kept, looks_outside=True),
    Invariant(
        "files_known", "Every file that no row names is a whole original", files_are_known, looks_outside=True
    ),
)
