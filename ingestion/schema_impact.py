"""What another schema would mean for the records that are there: which of them it would refuse, and why.

Nothing is changed by it or by the change itself: records stay as they are until a file brings them again.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import connection, transaction

from ingestion import references, staging
from ingestion.checking import messages
from ingestion.checking.checker import Checker
from ingestion.checking.schema_keys import names_of
from ingestion.checking.stored import as_cell
from ingestion.checking.texts import shown
from ingestion.models import Dataset
from ingestion.references import Reference

MOST_CHECKED = 100_000
BATCH = 1_000
MOST_GROUPS = 200
COUNT = "SELECT count(*) FROM ingestion_record WHERE dataset_id = %(dataset)s AND retired_at IS NULL"
# Every so many records where there are too many to look at all: their ids are as good as random.
LOOKED_AT = "r.dataset_id = %(dataset)s AND r.retired_at IS NULL AND r.id %% %(step)s = 0"
READ = f"SELECT r.id, r.data::text FROM ingestion_record r WHERE {LOOKED_AT}"  # noqa: S608 (of constants)
SHARED = f"""
WITH shared AS MATERIALIZED (
  SELECT data -> %(field)s AS value FROM ingestion_record
  WHERE dataset_id = %(dataset)s AND retired_at IS NULL
  AND jsonb_typeof(data -> %(field)s) <> 'null' GROUP BY 1 HAVING count(*) > 1)
SELECT r.id, r.data ->> %(field)s FROM ingestion_record r JOIN shared s ON r.data -> %(field)s = s.value
WHERE {LOOKED_AT}
"""  # noqa: S608 (put together from a constant)
REFERRED = f"""
SELECT r.id, concat_ws(' / ', {{values}}) FROM ingestion_record r
WHERE {LOOKED_AT} AND ({{given}}) AND NOT EXISTS (
  SELECT 1 FROM ingestion_record t WHERE t.dataset_id = %(target)s AND t.retired_at IS NULL AND {{same}})
"""  # noqa: S608 (put together from a constant)


@dataclass(frozen=True)
class Group:
    """How many of the records looked at break one rule in one field, with one value and its sentence."""

    code: str
    column: str
    rows: int
    example: str
    message: str


@dataclass(frozen=True)
class Impact:
    """Of `records` in use, `checked` were looked at: all of them, or every so many of a great number.
    `added`, `removed` and `retyped` are names of fields; values of removed ones stay with their records.
    """

    records: int
    checked: int
    refused: int
    groups: list[Group]
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    retyped: list[str] = field(default_factory=list)
    key_changed: bool = False


def preview(*, dataset: Dataset, schema: dict[str, Any], limit: int = MOST_CHECKED) -> Impact:
    """For a schema that `datasets.refuse_invalid` accepts. Reads one snapshot, and at most about `limit`
    records of it, so that a page can wait for the answer."""
    old = dataset.schema_versions.latest("number").schema
    with transaction.atomic():
        records = int(staging.rows(COUNT, {"dataset": dataset.pk})[0][0])
        params = {"dataset": dataset.pk, "step": max(1, -(-records // max(limit, 1)))}
        found = _Found()
        checked = _check_values(dataset, old, schema, params, found)
        _check_uniqueness(schema, params, found)
        _check_references(dataset, schema, params, found)
    return Impact(records, checked, len(found.refused), found.groups(), **_changes(old, schema))


class _Found:
    def __init__(self) -> None:
        self.refused: set[int] = set()
        self.counts: Counter[tuple[str, str]] = Counter()
        self.examples: dict[tuple[str, str], tuple[str, str]] = {}

    def add(self, record: int, code: str, column: str, example: str, message: str) -> None:
        self.refused.add(record)
        self.counts[code, column] += 1
        self.examples.setdefault((code, column), (example, message))

    def groups(self) -> list[Group]:
        ordered = sorted(self.counts.items(), key=lambda entry: (-entry[1], entry[0]))
        return [
            Group(code, column, rows, *self.examples[code, column])
            for (code, column), rows in ordered[:MOST_GROUPS]
        ]


def _check_values(
    dataset: Dataset, old: dict[str, Any], schema: dict[str, Any], params: dict[str, Any], found: _Found
) -> int:
    checker = Checker(schema, locale=dataset.locale)
    names = [column.name for column in checker.columns]
    types = {entry["name"]: entry.get("type", "string") for entry in old["fields"]}
    checker.match_header(names)
    checked = 0
    for batch in _batches(params):
        rows = [
            [
                record,
                [
                    as_cell(data.get(each.name), was=types.get(each.name, ""), column=each)
                    for each in checker.columns
                ],
            ]
            for record, data in batch
        ]
        checked += len(rows)
        for row in checker.check_batch(rows):
            for error in row.errors:
                found.add(row.row, error["code"], error["header"], error["value"], error["message"])
    return checked


def _batches(params: dict[str, Any]) -> Iterator[list[tuple[int, dict[str, Any]]]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(READ, params)
        while rows := cursor.fetchmany(BATCH):
            yield [(record, json.loads(text, parse_float=Decimal)) for record, text in rows]


def _check_uniqueness(schema: dict[str, Any], params: dict[str, Any], found: _Found) -> None:
    key = names_of(schema.get("primaryKey", []))
    for entry in schema["fields"]:
        name = entry["name"]
        if not entry.get("constraints", {}).get("unique") or key == [name]:
            continue
        for record, value in staging.rows(SHARED, {**params, "field": name}):
            message = f"“{shown(value)}” stands in “{name}” of more than one record."
            found.add(record, "unique", name, shown(value), message)


def _check_references(
    dataset: Dataset, schema: dict[str, Any], params: dict[str, Any], found: _Found
) -> None:
    for reference in references.resolve(dataset, schema):
        for record, value in staging.rows(*_referred(reference, params)):
            detail = {"value": shown(value), "dataset": reference.title}
            message, _ = messages.row_message("foreign_key", **detail)
            found.add(record, "foreign_key", reference.fields[0], shown(value), message)


def _referred(reference: Reference, params: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    own = [f"%(own_{place})s" for place in range(len(reference.fields))]
    their = [f"%(their_{place})s" for place in range(len(reference.target_fields))]
    statement = REFERRED.format(
        values=", ".join(f"r.data ->> {name}" for name in own),
        given=" OR ".join(f"jsonb_typeof(r.data -> {name}) <> 'null'" for name in own),
        same=" AND ".join(
            f"t.data -> {target} = r.data -> {name}" for name, target in zip(own, their, strict=True)
        ),
    )
    return statement, {
        **params,
        "target": reference.dataset_id,
        **{f"own_{place}": name for place, name in enumerate(reference.fields)},
        **{f"their_{place}": name for place, name in enumerate(reference.target_fields)},
    }


def _changes(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    before, after = (
        {entry["name"]: entry.get("type", "string") for entry in schema["fields"]} for schema in (old, new)
    )
    return {
        "added": [name for name in after if name not in before],
        "removed": [name for name in before if name not in after],
        "retyped": [name for name in after if name in before and before[name] != after[name]],
        "key_changed": names_of(old.get("primaryKey", [])) != names_of(new.get("primaryKey", [])),
    }
