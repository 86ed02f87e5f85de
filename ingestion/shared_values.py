"""Which staged rows share a key or a unique value with others, by statements over the whole set.

Found faults go to `upload_fault` with at most eleven of the rows concerned; sentences are made elsewhere.
"""

import uuid
from typing import Any

from ingestion import staging

NAMED_ROWS = 11

# Rows of one file that share a key are all refused, unless they are identical: nobody can know which one is
# meant. A refused row counts too, since its values would be stored once it is mended.
SHARED_KEYS = """
WITH repeated AS MATERIALIZED (SELECT key FROM upload_staging GROUP BY key HAVING count(*) > 1),
differing AS MATERIALIZED (
  SELECT s.key, (array_agg(s.row ORDER BY s.row))[1:%(named)s] AS named, count(*) AS n
  FROM upload_staging s JOIN repeated USING (key)
  GROUP BY s.key HAVING bool_or(s.refused) OR count(DISTINCT s.digest) > 1)
INSERT INTO upload_fault (row, code, field, rows, more)
SELECT s.row, 'primary_key_duplicate', '', d.named, d.n - cardinality(d.named)
FROM upload_staging s JOIN differing d USING (key)
"""
# Of identical rows the first is stored and the others change nothing.
REPEATS = """
WITH repeated AS MATERIALIZED (
  SELECT key FROM upload_staging WHERE NOT refused GROUP BY key HAVING count(*) > 1),
later AS (
  SELECT row, row_number() OVER (PARTITION BY key ORDER BY row) > 1 AS repeats
  FROM upload_staging JOIN repeated USING (key) WHERE NOT refused)
UPDATE upload_staging s SET repeats = true FROM later l WHERE l.repeats AND l.row = s.row
"""
SHARED_VALUES = """
WITH candidates AS MATERIALIZED (
  SELECT row, uniques -> %(field)s AS value FROM upload_staging
  WHERE NOT refused AND NOT repeats AND uniques -> %(field)s IS NOT NULL),
shared AS MATERIALIZED (
  SELECT value, (array_agg(row ORDER BY row))[1:%(named)s] AS named, count(*) AS n
  FROM candidates GROUP BY value HAVING count(*) > 1)
INSERT INTO upload_fault (row, code, field, rows, more)
SELECT c.row, 'unique', %(field)s, s.named, s.n - cardinality(s.named)
FROM candidates c JOIN shared s USING (value)
"""
# A value stored under another key is free again when this file gives that key another row, or retires it.
TAKEN_VALUES = """
INSERT INTO upload_fault (row, code, field, rows, more)
SELECT DISTINCT s.row, 'unique_stored', %(field)s, '{}'::integer[], 0
FROM upload_staging s JOIN ingestion_record r
  ON r.dataset_id = %(dataset)s AND r.data -> %(field)s = s.data::jsonb -> %(field)s AND r.key <> s.key
WHERE NOT s.refused AND NOT s.superseded AND NOT s.repeats AND s.uniques -> %(field)s IS NOT NULL
  AND r.retired_at IS NULL
  AND (NOT %(retires)s OR EXISTS (SELECT 1 FROM upload_staging n WHERE n.key = r.key))
  AND NOT EXISTS (SELECT 1 FROM upload_staging o WHERE o.key = r.key AND NOT o.refused AND NOT o.superseded)
"""
# Of identical rows the first was looked at alone: what refuses it refuses the others.
TWINS = """
INSERT INTO upload_fault (row, code, field, rows, more)
SELECT s.row, f.code, f.field, f.rows, f.more FROM upload_staging s
JOIN upload_staging o ON o.key = s.key AND o.row <> s.row JOIN upload_fault f ON f.row = o.row
WHERE s.repeats AND NOT s.refused AND NOT o.repeats
"""
REFUSE = (
    "UPDATE upload_staging s SET refused = true FROM upload_fault f WHERE f.row = s.row AND NOT s.refused"
)
# An older upload leaves out every key that a newer one holds.
SUPERSEDE_ALL = "UPDATE upload_staging SET superseded = true WHERE NOT superseded"
SUPERSEDE = """
UPDATE upload_staging s SET superseded = true
FROM (SELECT DISTINCT unnest(hashes) AS hash FROM ingestion_uploadkeys
      WHERE dataset_id = %(dataset)s AND precedence > %(precedence)s) newer
WHERE s.key_hash = newer.hash AND NOT s.superseded
"""


def refuse_shared_keys() -> int:
    """Refuse rows that share a key and differ, and mark repeats; how many shared one."""
    found = staging.run(SHARED_KEYS, {"named": NAMED_ROWS})
    if found:
        staging.run(REFUSE)
    staging.run(REPEATS)
    return found


def refuse_shared_values(fields: list[str]) -> int:
    """Refuse rows that share a value of a unique field; how many did."""
    found = sum(staging.run(SHARED_VALUES, {"field": field, "named": NAMED_ROWS}) for field in fields)
    if found:
        refuse_faulty()
    return found


def leave_out_superseded(dataset_id: uuid.UUID, precedence: int, *, everything: bool = False) -> int:
    """Rows whose keys newer uploads hold; `everything` where the file as a whole is overtaken."""
    if everything:
        return staging.run(SUPERSEDE_ALL)
    return staging.run(SUPERSEDE, {"dataset": dataset_id, "precedence": precedence})


def refuse_taken_values(dataset_id: uuid.UUID, fields: list[str], *, retires: bool = False) -> int:
    """Refuse rows whose unique value another key's record holds; how many were. `retires`: records that the
    file does not name are about to be retired.

    Repeated until nothing changes: a refused row no longer frees the value that its record holds.
    """
    total = 0
    while found := sum(_refuse_taken(dataset_id, field, retires) for field in fields):
        total += found
    return total


def _refuse_taken(dataset_id: uuid.UUID, field: str, retires: bool) -> int:
    params: dict[str, Any] = {"dataset": dataset_id, "field": field, "retires": retires}
    found = staging.run(TAKEN_VALUES, params)
    if found:
        refuse_faulty()
    return found


def refuse_faulty() -> None:
    """Refuse the rows of the faults that were found, and their identical twins."""
    staging.run(TWINS)
    staging.run(REFUSE)
