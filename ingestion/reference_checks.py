"""Which staged rows refer to a record that is not there, by statements over the whole set.

Found faults go to `upload_fault`; `more` is the place of the foreign key in the schema.
"""

from collections.abc import Sequence
from typing import Any

from ingestion import shared_values, staging
from ingestion.references import Reference

FIND = """
INSERT INTO upload_fault (row, code, field, rows, more)
SELECT s.row, 'foreign_key', %(field)s, '{{}}'::integer[], %(place)s FROM upload_staging s
WHERE NOT s.refused AND NOT s.superseded AND NOT s.repeats AND s.refs ->> %(place)s IS NOT NULL {absent}
"""
NO_RECORD = """AND NOT EXISTS (
  SELECT 1 FROM ingestion_record r
  WHERE r.dataset_id = %(target)s AND r.retired_at IS NULL AND {same} {stays})"""
NO_ROW = """AND NOT EXISTS (
  SELECT 1 FROM upload_staging o WHERE NOT o.refused AND NOT o.superseded AND {same})"""
KEY = "{other}.key = s.refs ->> %(place)s"
VALUE = "{data} -> %(target_field)s = s.data::jsonb -> %(field)s"
# Of the dataset itself: a record that this file retires is no longer there, and one that it replaces is
# looked for among the file's own rows.
IS_NAMED = "AND (NOT %(retires)s OR EXISTS (SELECT 1 FROM upload_staging n WHERE n.key = r.key))"
IS_KEPT = """AND NOT EXISTS (
  SELECT 1 FROM upload_staging n WHERE n.key = r.key AND NOT n.refused AND NOT n.superseded)"""


def refuse_absent(references: Sequence[Reference], *, retires: bool) -> int:
    """Refuse rows that refer to no record; how many faults there were. `retires`: the file is the whole, and
    records of this dataset that it does not name are about to be retired.

    Repeated until nothing changes: a refused row is no record that another may refer to.
    """
    total = 0
    while found := sum(_refuse(place, each, retires) for place, each in enumerate(references)):
        total += found
        if not any(each.is_self for each in references):
            break
    return total


def _refuse(place: int, reference: Reference, retires: bool) -> int:
    params: dict[str, Any] = {
        "place": place,
        "field": reference.fields[0],
        "target": reference.dataset_id,
        "target_field": reference.target_fields[0],
        "retires": retires,
    }
    found = staging.run(_statement(reference), params)
    if found:
        shared_values.refuse_faulty()
    return found


def _statement(reference: Reference) -> str:
    by = KEY if reference.is_key else VALUE
    stays = (IS_NAMED if reference.is_key else IS_NAMED + IS_KEPT) if reference.is_self else ""
    absent = NO_RECORD.format(same=by.format(other="r", data="r.data"), stays=stays)
    if reference.is_self:
        absent += NO_ROW.format(same=by.format(other="o", data="o.data::jsonb"))
    return FIND.format(absent=absent)
