"""What differs between two verdicts on one file: counts, rules, rows, assumptions, and the records changed.

Rows are compared by their number in the file, in the database, whatever their number.
"""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from ingestion import dataset_pages
from ingestion.models import ErrorCount, Record, RecordVersion, RowError, Upload
from work import paging
from work.paging import Page
from work.problems import Problem

COUNTS = (
    ("rows_read", "Rows read"), ("valid", "Valid"), ("refused", "Refused"), ("blank", "Blank"),
    ("inserted", "New records"), ("updated", "Changed records"), ("unchanged", "Unchanged"),
    ("superseded", "Superseded"), ("retired", "Retired"), ("error_count", "Errors"),
)  # fmt: skip
RECORDS_SHOWN = 10
# Rows that were refused both times, though for other reasons.
OTHERWISE = """
WITH reasons AS (
  SELECT r.row, r.upload_id, array_agg(DISTINCT (e ->> 'code') || ' ' || (e ->> 'column')) AS codes
  FROM ingestion_rowerror r, jsonb_array_elements(r.errors) e
  WHERE (r.upload_id, r.run) IN ((%(before)s, %(run_before)s), (%(after)s, %(run_after)s))
  GROUP BY r.row, r.upload_id)
SELECT count(*) FROM reasons b JOIN reasons a USING (row)
WHERE b.upload_id = %(before)s AND a.upload_id = %(after)s AND a.codes <> b.codes
"""


@dataclass(frozen=True)
class Count:
    name: str
    title: str
    before: int
    after: int

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True)
class Rule:
    """Rows that one rule refused in one column, by each verdict."""

    code: str
    column: str
    header: str
    message: str
    before: int
    after: int

    @property
    def change(self) -> int:
        return self.after - self.before


@dataclass(frozen=True)
class ChangedValue:
    name: str
    before: Any
    after: Any

    @property
    def texts(self) -> tuple[str, str]:
        """Both as people write them; as JSON where only that tells a number from its digits."""
        before, after = dataset_pages.text(self.before), dataset_pages.text(self.after)
        if before != after:
            return before, after
        return json.dumps(self.before, ensure_ascii=False), json.dumps(self.after, ensure_ascii=False)


@dataclass(frozen=True)
class ChangedRecord:
    """`record` is None once the record is gone."""

    key: str
    record: int | None
    version: int
    values: list[ChangedValue]

    @property
    def name(self) -> str:
        return dataset_pages.key_text(self.key)


@dataclass(frozen=True)
class Difference:
    """`compares_rows` is false when one of the two was not read to its end."""

    before: Upload
    after: Upload
    counts: list[Count]
    rules: list[Rule]
    newly_refused: int
    newly_accepted: int
    refused_otherwise: int
    only_before: list[dict[str, Any]]
    only_after: list[dict[str, Any]]
    changed_records: list[ChangedRecord]

    @property
    def compares_rows(self) -> bool:
        return self.before.run is not None and self.after.run is not None

    @property
    def is_same(self) -> bool:
        """Whether both judge every row alike; what was stored may still differ."""
        return not (
            self.newly_refused or self.newly_accepted or self.refused_otherwise or self.only_before
            or self.only_after or self.before.failure_code != self.after.failure_code
        )  # fmt: skip


def comparable(upload: Upload, against: uuid.UUID | None, seen: QuerySet[Upload]) -> tuple[Upload, Upload]:
    """Both uploads, the other one first; by default the one whose file this reads again.

    Raises Problem: 404 `upload_not_found`, 409 `nothing_to_compare`, `not_comparable`, `no_verdict_yet`.
    """
    other_id = against or upload.reprocesses_id
    if other_id is None:
        raise Problem(
            409, "nothing_to_compare", "This upload reads no other one again.", "Name one by `against`."
        )
    other = seen.filter(pk=other_id).first()
    if other is None:
        raise Problem(404, "upload_not_found", "There is no such upload, or you may not see it.")
    if (other.dataset_id, other.sha256) != (upload.dataset_id, upload.sha256) or other.pk == upload.pk:
        raise Problem(
            409, "not_comparable", "Only two verdicts on the same file and dataset can be compared."
        )
    for each in (other, upload):
        if each.finished_at is None:
            raise Problem(
                409, "no_verdict_yet", f"The upload {each.pk} has no verdict yet.", "Wait for its verdict."
            )
    return other, upload


def between(before: Upload, after: Upload) -> Difference:
    return Difference(
        before=before,
        after=after,
        counts=[Count(name, title, getattr(before, name), getattr(after, name)) for name, title in COUNTS],
        rules=_rules(before, after),
        newly_refused=rows_refused_only_by(after, before).count(),
        newly_accepted=rows_refused_only_by(before, after).count(),
        refused_otherwise=_refused_otherwise(before, after),
        only_before=_assumptions_missing(before, after),
        only_after=_assumptions_missing(after, before),
        changed_records=_changed_records(after),
    )


def rows_refused_only_by(one: Upload, other: Upload) -> QuerySet[RowError]:
    """Rows that the verdict of `one` refuses and that of `other` does not."""
    if one.run is None or other.run is None:
        return RowError.objects.none()
    same_row = RowError.objects.filter(upload=other, run=other.run, row=OuterRef("row"))
    return RowError.objects.filter(~Exists(same_row), upload=one, run=one.run)


def row_page(one: Upload, other: Upload, *, cursor: str | None, limit: int) -> Page[RowError]:
    """In the order of the sheet. Raises Problem 400 `bad_cursor`."""
    rows = rows_refused_only_by(one, other)
    return paging.keyset(rows, cursor=cursor, limit=limit, newest_first=False, by="row")


def _rules(before: Upload, after: Upload) -> list[Rule]:
    """Rules whose number of rows differs, the largest difference first."""
    counted: dict[tuple[str, str], list[ErrorCount | None]] = {}
    for place, upload in enumerate((before, after)):
        if upload.run is not None:
            for count in ErrorCount.objects.filter(upload=upload, run=upload.run):
                counted.setdefault((count.code, count.column), [None, None])[place] = count
    rules = [_rule(*pair) for pair in counted.values()]
    differing = [rule for rule in rules if rule.change]
    return sorted(differing, key=lambda rule: (-abs(rule.change), rule.code, rule.column))


def _rule(before: ErrorCount | None, after: ErrorCount | None) -> Rule:
    named = after or before
    assert named is not None  # noqa: S101 (one of the two was counted)
    return Rule(
        named.code, named.column, named.header, named.message, before.rows if before else 0,
        after.rows if after else 0,
    )  # fmt: skip


def _refused_otherwise(before: Upload, after: Upload) -> int:
    if before.run is None or after.run is None:
        return 0
    params = {
        "before": before.pk, "run_before": before.run, "after": after.pk, "run_after": after.run,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(OTHERWISE, params)
        (count,) = cursor.fetchone()
    return int(count)


def _assumptions_missing(one: Upload, other: Upload) -> list[dict[str, Any]]:
    """What the verdict of `one` assumed and that of `other` did not."""
    held = [(each["code"], each["detail"]) for each in other.assumptions]
    return [each for each in one.assumptions if (each["code"], each["detail"]) not in held]


def _changed_records(upload: Upload) -> list[ChangedRecord]:
    """The first records whose values this upload replaced; `Upload.updated` counts them all."""
    versions = list(RecordVersion.objects.filter(replaced_by=upload).order_by("pk")[:RECORDS_SHOWN])
    keys = [version.key for version in versions]
    records = {
        record.key: record for record in Record.objects.filter(dataset=upload.dataset_id, key__in=keys)
    }
    later = {
        (version.key, version.version): version.data
        for version in RecordVersion.objects.filter(dataset=upload.dataset_id, key__in=keys)
    }
    return [_changed(version, records.get(version.key), later) for version in versions]


def _changed(
    version: RecordVersion, record: Record | None, later: dict[tuple[str, int], dict[str, Any]]
) -> ChangedRecord:
    now = record.data if record else {}
    after = later.get((version.key, version.version + 1), now)
    return ChangedRecord(
        version.key, record.pk if record else None, version.version, changed_values(version.data, after)
    )


def changed_values(before: dict[str, Any], after: dict[str, Any]) -> list[ChangedValue]:
    """Every field that differs, in the order in which the later values stand."""
    names: Sequence[str] = list(dict.fromkeys([*after, *before]))
    return [
        ChangedValue(name, before.get(name), after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    ]
