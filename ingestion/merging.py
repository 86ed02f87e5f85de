"""The merge of staged rows into a dataset's records: what changes is written, what does not is not touched.

Runs in the caller's transaction, which holds the dataset's records; always in the order of keys.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from ingestion import staging

COMING = "NOT s.refused AND NOT s.superseded AND NOT s.repeats"
SETTINGS = "SET LOCAL work_mem = '64MB'"
UNCHANGED = f"""
SELECT count(*) FROM upload_staging s JOIN ingestion_record r ON r.dataset_id = %(dataset)s AND r.key = s.key
WHERE {COMING} AND r.digest = s.digest
"""  # noqa: S608 (put together from a constant)
UPDATE = f"""
WITH changing AS MATERIALIZED (
  SELECT r.id, s.data, s.digest FROM upload_staging s
  JOIN ingestion_record r ON r.dataset_id = %(dataset)s AND r.key = s.key
  WHERE {COMING} AND r.digest IS DISTINCT FROM s.digest ORDER BY s.key),
kept AS (
  INSERT INTO ingestion_recordversion
    (dataset_id, key, version, data, digest, upload_id, replaced_by_id, replaced_at)
  SELECT r.dataset_id, r.key, r.version, r.data, r.digest, r.upload_id, %(upload)s, clock_timestamp()
  FROM ingestion_record r JOIN changing USING (id))
UPDATE ingestion_record r SET data = c.data::jsonb, digest = c.digest, version = r.version + 1,
  upload_id = %(upload)s, changed_at = clock_timestamp()
FROM changing c WHERE c.id = r.id
"""  # noqa: S608 (put together from a constant)
INSERT = f"""
INSERT INTO ingestion_record (dataset_id, key, data, digest, version, upload_id, changed_at)
SELECT %(dataset)s, s.key, s.data::jsonb, s.digest, 1, %(upload)s, clock_timestamp() FROM upload_staging s
WHERE {COMING} AND NOT EXISTS (
  SELECT 1 FROM ingestion_record r WHERE r.dataset_id = %(dataset)s AND r.key = s.key)
ORDER BY s.key
"""  # noqa: S608 (put together from a constant)
# Zero stands for the key of a row that is a record of its own, which no other file holds.
# Refused rows with a readable key included: an older file must not bring back what this one meant to change.
KEEP_KEYS = """
INSERT INTO ingestion_uploadkeys (upload_id, dataset_id, precedence, hashes)
SELECT %(upload)s, %(dataset)s, %(precedence)s, coalesce(
  array_agg(DISTINCT key_hash ORDER BY key_hash) FILTER (WHERE key_hash <> 0), '{}')
FROM upload_staging
"""


@dataclass(frozen=True)
class Merged:
    """`unchanged` counts records that equal what stands, and rows that repeat another row of the file."""

    valid: int
    inserted: int
    updated: int
    unchanged: int
    superseded: int


def merge(*, dataset_id: uuid.UUID, upload_id: uuid.UUID) -> Merged:
    """Store what was staged and neither refused nor superseded."""
    params: dict[str, Any] = {"dataset": dataset_id, "upload": upload_id}
    staging.run(SETTINGS)
    valid, superseded, repeats = staging.counts()
    (unchanged,) = staging.rows(UNCHANGED, params)[0]
    updated = staging.run(UPDATE, params)
    inserted = staging.run(INSERT, params)
    return Merged(valid, inserted, updated, unchanged + repeats, superseded)


def keep_keys(*, dataset_id: uuid.UUID, upload_id: uuid.UUID, precedence: int) -> None:
    """The list by which older uploads, merged later, leave out what this one holds."""
    staging.run(KEEP_KEYS, {"dataset": dataset_id, "upload": upload_id, "precedence": precedence})
