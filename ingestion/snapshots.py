"""Files that are the whole of a dataset: which records are absent from one, and may they be retired?

Absent is a record whose key stands in the file neither in a valid row nor in a refused one. While the key of
any row cannot be read, no record is known to be absent, and none is retired.
"""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from ingestion import asks, questions, references, staging
from ingestion.asking import Retirement
from ingestion.checking import messages
from ingestion.context import Context
from ingestion.models import Dataset, Upload
from ingestion.models.uploads import STORED

NAMED_EXAMPLES = 10
COUNT = """
SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM upload_staging s WHERE s.key = r.key))
FROM ingestion_record r WHERE r.dataset_id = %(dataset)s AND r.retired_at IS NULL
"""
EXAMPLES = """
SELECT r.key FROM ingestion_record r WHERE r.dataset_id = %(dataset)s AND r.retired_at IS NULL
AND NOT EXISTS (SELECT 1 FROM upload_staging s WHERE s.key = r.key) ORDER BY r.key LIMIT %(most)s
"""
# Records of another dataset that refer to one that is absent here.
REFERRING = """
SELECT count(*) FROM ingestion_record o JOIN ingestion_record r
  ON r.dataset_id = %(dataset)s AND r.retired_at IS NULL AND {same}
WHERE o.dataset_id = %(other)s AND o.retired_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM upload_staging s WHERE s.key = r.key)
"""


@dataclass(frozen=True)
class Absent:
    """How many of the `records` now in use the file retires, and what the verdict says about it."""

    retire: int
    records: int
    said: list[dict[str, Any]]


def may_retire(context: Context, run: uuid.UUID) -> bool:
    """A file that mends rows is not the whole, nor is one that is older than a mended row."""
    return (
        context.is_snapshot
        and not _newer(context.upload).exists()
        and not staging.unreadable_keys(upload=context.upload.pk, run=run)
    )


def is_overtaken(upload: Upload) -> bool:
    """True when a newer whole has been stored: an older one then says nothing about any record."""
    return _newer(upload).filter(mends=None).exists()


def absent(context: Context, run: uuid.UUID) -> Absent:
    """What the file retires. Runs under the lock of the dataset's records, before the merge.

    Asks its owner when that is more than the dataset allows; the agreement to retire holds for one version of
    the dataset. A dry run retires nothing, so it does not ask.
    """
    if not context.is_snapshot or is_overtaken(context.upload):
        return Absent(0, 0, [])
    unreadable = staging.unreadable_keys(upload=context.upload.pk, run=run)
    if unreadable:
        return Absent(0, 0, [messages.assumption("retirement_stopped", rows=unreadable)])
    if _newer(context.upload).exists():
        return Absent(0, 0, [messages.assumption("retirement_overtaken")])
    dataset = Dataset.objects.get(pk=context.dataset.pk)
    records, retire = staging.rows(COUNT, {"dataset": dataset.pk})[0]
    if not retire:
        return Absent(0, records, [])
    said = list(_referring(dataset))
    share = 100 * retire / records
    if share > dataset.retire_limit and not _is_confirmed(context.upload, dataset):
        if not context.upload.dry_run:
            _ask(context.upload, dataset, retire, records)
        facts = {"retire": retire, "records": records, "limit": dataset.retire_limit}
        said.append(messages.assumption("retirement_asks", **facts))
    return Absent(retire, records, said)


def confirmation(version: int) -> str:
    """What stands in `reading.confirm` when a person agreed at that version of the dataset."""
    return f"retire:{version}"


def _is_confirmed(upload: Upload, dataset: Dataset) -> bool:
    return confirmation(dataset.version) in upload.reading.get("confirm", [])


def _ask(upload: Upload, dataset: Dataset, retire: int, records: int) -> None:
    found = staging.rows(EXAMPLES, {"dataset": dataset.pk, "most": NAMED_EXAMPLES})
    retirement: Retirement = {
        "retire": retire,
        "records": records,
        "share": round(100 * retire / records, 1),
        "limit": dataset.retire_limit,
        "version": dataset.version,
        "examples": [_words(key) for (key,) in found],
    }
    detail = {"referring": _counted_referring(dataset)}
    asks.ask(upload, {"code": questions.CONFIRM_RETIREMENT, "detail": detail, "retirement": retirement})


def _referring(dataset: Dataset) -> Any:
    counted = _counted_referring(dataset)
    if counted:
        total = sum(counted.values())
        yield messages.assumption("references_left", datasets=sorted(counted), records=total)


def _counted_referring(dataset: Dataset) -> dict[str, int]:
    """By title: how many records of other datasets refer to records that are absent."""
    counted = {}
    for other, schema in references.referring(dataset):
        if other.pk == dataset.pk:
            continue
        total = sum(
            _count(dataset, other, reference)
            for reference in references.resolve(other, schema)
            if reference.dataset_id == dataset.pk
        )
        if total:
            counted[other.title] = total
    return counted


def _count(dataset: Dataset, other: Dataset, reference: references.Reference) -> int:
    params: dict[str, Any] = {"dataset": dataset.pk, "other": other.pk}
    params |= {f"own_{place}": name for place, name in enumerate(reference.fields)}
    params |= {f"their_{place}": name for place, name in enumerate(reference.target_fields)}
    same = " AND ".join(
        f"r.data -> %(their_{place})s = o.data -> %(own_{place})s" for place in range(len(reference.fields))
    )
    return int(staging.rows(REFERRING.format(same=same), params)[0][0])


def _newer(upload: Upload) -> Any:
    """Uploads that stand before this one and have been stored."""
    return Upload.objects.filter(
        dataset=upload.dataset_id, precedence__gt=upload.precedence, state__in=STORED, dry_run=False
    )


def _words(key: str) -> str:
    """The values of a key as people write them."""
    return " / ".join("" if part is None else str(part) for part in json.loads(key))
