"""The merge of staged rows into a dataset's records: what changes is written, what does not is not touched.

Runs in the caller's transaction, which holds the dataset's records; always in the order of keys.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from ingestion import staging

COMING = "NOT s.refused AND NOT s.superseded AND NOT s.repeats"
SETTINGS = "SET LOCAL work_mem = '64MB'"
KEEP = """
  INSERT INTO ingestion_recordversion
    (dataset_id, key, version, data, digest, upload_id, replaced_by_id, replaced_at, retired)
  SELECT r.dataset_id, r.key, r.version, r.data, r.digest, r.upload_id, %(upload)s, clock_timestamp(),
    r.retired_at IS NOT NULL
  FROM ingestion_record r JOIN changing USING (id)"""
UNCHANGED = f"""
SELECT count(*) FROM upload_staging s JOIN ingestion_record r ON r.dataset_id = %(dataset)s AND r.key = s.key
WHERE {COMING} AND r.digest = s.digest AND r.retired_at IS NULL
"""  # noqa: S608 (put together from a constant)
UPDATE = f"""
WITH changing AS MATERIALIZED (
  SELECT r.id, s.data, s.digest FROM upload_staging s
  JOIN ingestion_record r ON r.dataset_id = %(dataset)s AND r.key = s.key
  WHERE {COMING} AND (r.digest IS DISTINCT FROM s.digest OR r.retired_at IS NOT NULL) ORDER BY s.key),
kept AS ({KEEP})
UPDATE ingestion_record r SET data = c.data::jsonb, digest = c.digest, version = r.version + 1,
  upload_id = %(upload)s, changed_at = clock_timestamp(), retired_at = NULL
FROM changing c WHERE c.id = r.id
"""  # noqa: S608 (put together from a constant)
INSERT = f"""
INSERT INTO ingestion_record (dataset_id, key, data, digest, version, upload_id, changed_at)
SELECT %(dataset)s, s.key, s.data::jsonb, s.digest, 1, %(upload)s, clock_timestamp() FROM upload_staging s
WHERE {COMING} AND NOT EXISTS (
  SELECT 1 FROM ingestion_record r WHERE r.dataset_id = %(dataset)s AND r.key = s.key)
ORDER BY s.key
"""  # noqa: S608 (put together from a constant)
# Records whose key stands nowhere in the file. They keep their values, and come back with a row of their key.
RETIRE = f"""
WITH changing AS MATERIALIZED (
  SELECT r.id FROM ingestion_record r WHERE r.dataset_id = %(dataset)s AND r.retired_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM upload_staging s WHERE s.key = r.key) ORDER BY r.key),
kept AS ({KEEP})
UPDATE ingestion_record r SET retired_at = clock_timestamp(), version = r.version + 1,
  upload_id = %(upload)s, changed_at = clock_timestamp()
FROM changing c WHERE c.id = r.id
"""  # noqa: S608 (put together from a constant)
FORESEEN = f"""
SELECT count(*) FILTER (WHERE r.id IS NULL),
  count(*) FILTER (WHERE r.id IS NOT NULL AND (r.digest <> s.digest OR r.retired_at IS NOT NULL)),
  count(*) FILTER (WHERE r.digest = s.digest AND r.retired_at IS NULL)
FROM upload_staging s LEFT JOIN ingestion_record r ON r.dataset_id = %(dataset)s AND r.key = s.key
WHERE {COMING}
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
    """`unchanged` counts records that equal what stands, and rows that repeat another row of the file;
    `updated` also those that came back out of retirement. `retired` are records, not rows."""

    valid: int
    inserted: int
    updated: int
    unchanged: int
    superseded: int
    retired: int = 0


def merge(*, dataset_id: uuid.UUID, upload_id: uuid.UUID, retire: bool = False) -> Merged:
    """Store what was staged and neither refused nor superseded; with `retire` also what is absent."""
    params: dict[str, Any] = {"dataset": dataset_id, "upload": upload_id}
    staging.run(SETTINGS)
    valid, superseded, repeats = staging.counts()
    (unchanged,) = staging.rows(UNCHANGED, params)[0]
    retired = staging.run(RETIRE, params) if retire else 0
    updated = staging.run(UPDATE, params)
    inserted = staging.run(INSERT, params)
    return Merged(valid, inserted, updated, unchanged + repeats, superseded, retired)


def foresee(*, dataset_id: uuid.UUID, retire: int = 0) -> Merged:
    """What `merge` would store, and nothing is written."""
    staging.run(SETTINGS)
    valid, superseded, repeats = staging.counts()
    inserted, updated, unchanged = staging.rows(FORESEEN, {"dataset": dataset_id})[0]
    return Merged(valid, inserted, updated, unchanged + repeats, superseded, retire)


def keep_keys(*, dataset_id: uuid.UUID, upload_id: uuid.UUID, precedence: int) -> None:
    """The list by which older uploads, merged later, leave out what this one holds."""
    staging.run(KEEP_KEYS, {"dataset": dataset_id, "upload": upload_id, "precedence": precedence})
