"""The rows of one upload on their way to the records: temporary tables of the worker's own session.

They outlive the short transactions that fill them, and end with the session; the next upload empties them.
"""

import uuid
from typing import Any

from django.db import connection

from ingestion.copying import copy_lines

COPY_ROWS = 5_000
# `data` stays text: a row that changes nothing is then never parsed. NULL for a refused row whose key is
# known: it takes part in the search for shared keys.
CREATE = """
CREATE TEMPORARY TABLE IF NOT EXISTS upload_staging (
  row integer NOT NULL, key text NOT NULL, key_hash bigint NOT NULL, data text, digest bytea, uniques jsonb,
  refs jsonb, refused boolean NOT NULL, superseded boolean NOT NULL DEFAULT false,
  repeats boolean NOT NULL DEFAULT false
) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS upload_fault (
  row integer NOT NULL, code text NOT NULL, field text NOT NULL, rows integer[] NOT NULL,
  more integer NOT NULL
) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS upload_fault_lines (
  row integer NOT NULL, errors jsonb NOT NULL, cells jsonb NOT NULL
) ON COMMIT PRESERVE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS upload_origin (
  row integer NOT NULL, origin integer NOT NULL, gives_way boolean NOT NULL,
  kept boolean NOT NULL DEFAULT false
) ON COMMIT PRESERVE ROWS;
"""
EMPTY = "TRUNCATE upload_staging, upload_fault, upload_fault_lines, upload_origin"
COPY = "COPY upload_staging (row, key, key_hash, data, digest, uniques, refs, refused) FROM STDIN (NULL '')"
# Row errors of this run whose row has no readable key.
UNREADABLE_KEYS = """
SELECT count(*) FROM ingestion_rowerror e WHERE e.upload_id = %(upload)s AND e.run = %(run)s
AND NOT EXISTS (SELECT 1 FROM upload_staging s WHERE s.row = e.row)
"""
COUNT = """
SELECT count(*) FILTER (WHERE NOT refused), count(*) FILTER (WHERE NOT refused AND superseded),
  count(*) FILTER (WHERE NOT refused AND repeats AND NOT superseded)
FROM upload_staging
"""


def begin() -> None:
    """Empty tables for the next upload of this session."""
    run(CREATE)
    run(EMPTY)


def empty() -> None:
    run(EMPTY)


def add(lines: list[str]) -> None:
    """Copy rows in: `row, key, key_hash, data, digest, uniques, refs, refused`, separated by tabs."""
    copy_lines(COPY, lines)


def analyse() -> None:
    """Temporary tables are analysed by nobody else, and the merge is planned by what stands in them."""
    run("ANALYZE upload_staging")


def counts() -> tuple[int, int, int]:
    """Valid rows; those of them that are superseded; those that repeat another row of the file."""
    return rows(COUNT)[0]


def unreadable_keys(*, upload: uuid.UUID, run: uuid.UUID) -> int:
    """How many refused rows could be any record, since their key could not be read."""
    return int(rows(UNREADABLE_KEYS, {"upload": upload, "run": run})[0][0])


def run(statement: str, params: dict[str, Any] | None = None) -> int:
    """Execute one statement; how many rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return int(cursor.rowcount)


def rows(statement: str, params: dict[str, Any] | list[Any] | None = None) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
