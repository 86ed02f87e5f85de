"""Mending a single record by hand: what follows from a value follows here too."""

import json
from collections.abc import Mapping
from typing import Any

from django.db import connection, transaction
from django.db.models import F

from ingestion import locks
from ingestion.checking.checker import Checker
from ingestion.checking.stored import as_cell
from ingestion.models import Dataset, Record, RecordVersion
from work import decisions
from work.failures import StateChanged

WRITE = """
UPDATE ingestion_record
SET data = %s::jsonb, digest = %s, version = version + 1, changed_at = clock_timestamp() WHERE id = %s
"""


class NotValid(Exception):
    """The values do not meet the schema, or would move the record to another key."""


def mend(*, record: Record, data: Mapping[str, Any], by: Any, why: str) -> Record:
    """Replace the values of a record: earlier value, digest, version, decision and event in one transaction.

    Raises NotValid, and StateChanged when an upload or somebody else changed the record since it was read.
    """
    with transaction.atomic():
        locks.hold_records(record.dataset_id)
        dataset = Dataset.objects.get(pk=record.dataset_id)
        now = Record.objects.filter(pk=record.pk).first()
        if now is None or now.version != record.version:
            raise StateChanged(f"version {now.version}" if now else None)
        if now.retired_at is not None:
            raise NotValid("The record is retired: it comes back with the next row under its key.")
        text, digest = _checked(dataset, now, data)
        if digest == bytes(now.digest):
            return now
        _refuse_taken(dataset, now, text)
        _keep_earlier(now)
        _write(now, text, digest)
        Dataset.objects.filter(pk=dataset.pk).update(version=F("version") + 1)
        changed = Record.objects.get(pk=record.pk)
        decisions.record(
            "record.mended",
            by=by,
            kind="record",
            subject=str(record.pk),
            label=f"{dataset.title}: {now.key}",
            organisation=dataset.organisation_id,
            why=why,
            before={"version": now.version, "digest": bytes(now.digest).hex()},
            after={
                "version": changed.version,
                "digest": digest.hex(),
                "fields": sorted(name for name, value in changed.data.items() if value != now.data.get(name)),
            },
        )
    return changed


def _checked(dataset: Dataset, record: Record, data: Mapping[str, Any]) -> tuple[str, bytes]:
    """The canonical JSON of the values and its digest, by the same checks that a file goes through."""
    schema = dataset.schema_versions.latest("number").schema
    types = {field["name"]: field.get("type", "string") for field in schema["fields"]}
    checker = Checker(schema, locale=dataset.locale)
    names = [column.name for column in checker.columns]
    if unknown := sorted(data.keys() - set(names)):
        raise NotValid(f"The dataset has no field {', '.join(unknown)}.")
    checker.match_header(names)
    cells = [as_cell(data.get(each.name), was=types[each.name], column=each) for each in checker.columns]
    rows = checker.check_batch([[1, cells]])
    if not rows:
        raise NotValid("A record cannot be blank.")
    row = rows[0]
    if row.errors or row.json is None:
        raise NotValid(" ".join(f"{error['message']} {error['remedy']}" for error in row.errors))
    if checker.primary_key and row.key != record.key:
        raise NotValid("The key stays as it is: another key is another record.")
    return row.json, row.digest


def _refuse_taken(dataset: Dataset, record: Record, text: str) -> None:
    schema = dataset.schema_versions.latest("number").schema
    for field in schema["fields"]:
        name = field["name"]
        value = json.loads(text).get(name)
        if value is None or not field.get("constraints", {}).get("unique"):
            continue
        others = Record.objects.filter(dataset=dataset, retired_at=None).exclude(pk=record.pk)
        if others.filter(data__contains={name: value}).exists():
            raise NotValid(f"“{value}” in “{name}” is stored already, for another key.")


def _keep_earlier(record: Record) -> None:
    RecordVersion.objects.create(
        dataset_id=record.dataset_id,
        key=record.key,
        version=record.version,
        data=record.data,
        digest=record.digest,
        upload_id=record.upload_id,
        replaced_by=None,
    )


def _write(record: Record, text: str, digest: bytes) -> None:
    """The canonical text itself: numbers keep every digit. The upload that brought the record stays."""
    with connection.cursor() as cursor:
        cursor.execute(WRITE, [text, digest, record.pk])
