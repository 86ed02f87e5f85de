"""Verbs of datasets: making one, and giving it another schema."""

import json
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import Organisation
from accounts.principals import Principal
from ingestion import references
from ingestion.checking.schema_keys import names_of
from ingestion.checking.schema_problems import SchemaProblem
from ingestion.checking.schemas import validate_schema
from ingestion.models import Dataset, Record, SchemaVersion
from work import decisions, outbox
from work.problems import Problem

RESERVED = {"infer"}  # /api/v1/datasets/infer


def create(
    *,
    organisation: Organisation,
    slug: str,
    title: str,
    schema: dict[str, Any],
    by: Principal,
    locale: str = "",
    mode: str = Dataset.Mode.UPSERT,
    retire_limit: int = 20,
    refuse_limit: int | None = None,
) -> Dataset:
    """Without a locale the organisation's is used.

    Raises Problem 409 `slug_taken`, 422 `schema_not_valid`, 422 `slug_reserved`, 422 `snapshot_needs_key`.
    """
    refuse_invalid(schema, organisation, slug)
    _refuse_keyless(mode, schema)
    if slug in RESERVED:
        raise Problem(422, "slug_reserved", f"The name {slug} is an address of Waybill.", "Choose another.")
    try:
        with transaction.atomic():
            dataset = Dataset.objects.create(
                organisation=organisation,
                slug=slug,
                title=title,
                locale=locale or organisation.locale,
                mode=mode,
                retire_limit=retire_limit,
                refuse_limit=refuse_limit,
            )
            SchemaVersion.objects.create(dataset=dataset, number=1, schema=schema, made_by=by.user)
            outbox.record(
                "dataset.created", subject=dataset, kind="dataset", label=title, organisation=organisation,
                by=by, payload={"slug": slug, "fields": len(schema["fields"])},
            )  # fmt: skip
    except IntegrityError as error:
        if "dataset_slug_once" not in str(error):
            raise
        raise Problem(409, "slug_taken", f"There is a dataset {slug} already.", "Choose another.") from error
    return dataset


def change_schema(*, dataset: Dataset, schema: dict[str, Any], if_match: int, by: Principal) -> SchemaVersion:
    """Make the next version, if `if_match` is still the number of the current one.

    The same schema again changes nothing. Raises Problem 412 `schema_changed_meanwhile`,
    422 `schema_not_valid`, 409 `key_in_use` when records stand under the old key, 409 `field_referred_to`
    when another dataset refers to what would be gone.
    """
    refuse_invalid(schema, dataset.organisation, dataset.slug)
    with transaction.atomic():
        now = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
        current = dataset.schema_versions.latest("number")
        if current.number != if_match:
            raise Problem(
                412,
                "schema_changed_meanwhile",
                f"The schema is at version {current.number}, which is not the one that was sent.",
                "Read it again and make your change to that.",
                current=current.number,
            )
        if current.schema == schema:
            return current
        _refuse_other_key(dataset, current.schema, schema)
        _refuse_keyless(now.mode, schema)
        references.refuse_breaking(dataset, schema)
        changed = SchemaVersion.objects.create(
            dataset=dataset, number=current.number + 1, schema=schema, made_by=by.user
        )
        outbox.record(
            "schema.changed", subject=dataset, kind="dataset", label=dataset.title,
            organisation=dataset.organisation_id, by=by,
            payload={"version": changed.number, "fields": len(schema["fields"])},
        )  # fmt: skip
    return changed


def refuse_invalid(schema: dict[str, Any], organisation: Organisation, slug: str) -> None:
    """Raises Problem 422 `schema_not_valid` with every problem and its place."""
    problems = validate_schema(schema) + _unstorable(schema)
    if not problems:
        problems = list(references.problems(organisation=organisation, slug=slug, schema=schema))
    if problems:
        raise Problem(
            422,
            "schema_not_valid",
            f"The schema has {len(problems)} problem{'s' if len(problems) > 1 else ''}; the first: "
            f"{problems[0].message}",
            errors=[
                {"at": problem.path, "code": problem.code, "message": problem.message} for problem in problems
            ],
        )


def _unstorable(schema: Any) -> list[SchemaProblem]:
    """JSON that Python reads and PostgreSQL refuses: NUL, lone surrogates, numbers that are none."""
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
        text.encode()
    except ValueError:
        return [SchemaProblem("", "not_storable", "The schema holds a value that JSON does not have.")]
    if "\\u0000" in text:
        return [SchemaProblem("", "not_storable", "The schema holds a NUL character.")]
    return []


def _refuse_other_key(dataset: Dataset, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Records are found by their key: under another one each file would store everything once more."""
    if key_definition(old) != key_definition(new) and Record.objects.filter(dataset=dataset).exists():
        raise Problem(
            409,
            "key_in_use",
            "The dataset has records, so its primaryKey and the types of the key's fields stay as they are.",
            "Make a new dataset for another key.",
        )


def key_definition(schema: dict[str, Any]) -> list[tuple[str, str]]:
    key = schema.get("primaryKey", [])
    types = {field["name"]: field.get("type", "string") for field in schema["fields"]}
    return [(name, types[name]) for name in names_of(key)]


def change(*, dataset: Dataset, fields: Mapping[str, Any], by: Any, why: str) -> None:
    """Title, locale, mode and limits. They count for files that are read from now on; records stay as they
    are. What says the same changes nothing, and is no decision.

    Raises Problem 422 `snapshot_needs_key`.
    """
    with transaction.atomic():
        now = Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
        after = {name: value for name, value in fields.items() if getattr(now, name) != value}
        if not after:
            return
        if "mode" in after:
            _refuse_keyless(after["mode"], now.schema_versions.latest("number").schema)
        Dataset.objects.filter(pk=now.pk).update(**after)
        decisions.record(
            "dataset.changed", by=by, kind="dataset", subject=dataset, label=dataset.title,
            organisation=dataset.organisation_id, why=why,
            before={name: getattr(now, name) for name in after}, after=after,
        )  # fmt: skip


def _refuse_keyless(mode: str, schema: dict[str, Any]) -> None:
    if mode == Dataset.Mode.SNAPSHOT and not names_of(schema.get("primaryKey", [])):
        raise Problem(
            422,
            "snapshot_needs_key",
            "Without a primaryKey no record of a snapshot could be found again.",
            "Declare the primaryKey, or take files as additions (upsert).",
        )
