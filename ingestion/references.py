"""Foreign keys of datasets: what they refer to, and whether a schema may declare or break them.

A record's references are checked when its row is stored. Whatever is retired or mended later in the other
dataset leaves the record as it is; the next file that brings it again is refused. Retiring says how many
records are left referring to nothing.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from accounts.models import Organisation
from ingestion.checking.schema_keys import names_of
from ingestion.checking.schema_problems import SchemaProblem
from ingestion.models import Dataset, SchemaVersion
from work.problems import Problem


@dataclass(frozen=True)
class Reference:
    """`fields` refer to `target_fields`, place by place; `is_key` when those are the target's primaryKey,
    in its order, so that records are found by their key."""

    dataset_id: uuid.UUID
    title: str
    fields: tuple[str, ...]
    target_fields: tuple[str, ...]
    is_key: bool
    is_self: bool


def resolve(dataset: Dataset, schema: dict[str, Any]) -> list[Reference]:
    """The references of a schema that was accepted for the dataset, in the order of its foreignKeys."""
    found = []
    for key in schema.get("foreignKeys", []):
        is_self = _is_self(key, dataset.slug)
        target = dataset if is_self else _target(dataset.organisation_id, key["reference"]["resource"])
        if target is None:
            raise LookupError(f"{dataset.slug} refers to a dataset that is gone")
        of_target = schema if is_self else _current(target)
        found.append(_reference(key, target, of_target, is_self=is_self))
    return found


def problems(*, organisation: Organisation, slug: str, schema: dict[str, Any]) -> Iterator[SchemaProblem]:
    """What is wrong with the foreign keys of a schema whose form is valid, for the dataset of that slug."""
    types = _types(schema)
    for index, key in enumerate(schema.get("foreignKeys", [])):
        path = f"foreignKeys[{index}].reference"
        resource = key["reference"].get("resource", "")
        is_self = _is_self(key, slug)
        target = None if is_self else _target(organisation.pk, resource)
        if target is None and not is_self:
            message = f"{organisation.title} has no dataset “{resource}”."
            yield SchemaProblem(f"{path}.resource", "unknown_dataset", message)
            continue
        of_target = _current(target) if target else schema
        names = names_of(key["reference"]["fields"])
        if not _is_key(of_target, names) and not _is_unique(of_target, names):
            listed = ", ".join(names)
            message = f"“{listed}” is neither the primaryKey of that dataset nor a unique field of it."
            yield SchemaProblem(f"{path}.fields", "not_a_key", message)
            continue
        for name, other in zip(names_of(key["fields"]), names, strict=True):
            if types[name] != _types(of_target)[other]:
                message = f"“{name}” is a {types[name]}, but “{other}” is a {_types(of_target)[other]}."
                yield SchemaProblem(f"{path}.fields", "other_type", message)


def refuse_breaking(dataset: Dataset, schema: dict[str, Any]) -> None:
    """Raises Problem 409 `field_referred_to` when other datasets refer to what the schema no longer has."""
    for other, theirs in referring(dataset):
        for key in theirs.get("foreignKeys", []):
            if key["reference"].get("resource") != dataset.slug or other.pk == dataset.pk:
                continue
            names = names_of(key["reference"]["fields"])
            own, types = _types(schema), _types(theirs)
            kept = _is_key(schema, names) or _is_unique(schema, names)
            pairs = zip(names_of(key["fields"]), names, strict=True)
            if not kept or any(types[name] != own[target] for name, target in pairs):
                raise Problem(
                    409,
                    "field_referred_to",
                    f"The dataset “{other.title}” refers to {', '.join(names)}, which must stay a key "
                    "of the same type.",
                    f"Change the foreignKeys of “{other.title}” first.",
                )


def referring(dataset: Dataset) -> list[tuple[Dataset, dict[str, Any]]]:
    """The datasets of the organisation whose current schema refers to this one, with that schema."""
    siblings = Dataset.objects.filter(organisation=dataset.organisation_id)
    latest = SchemaVersion.objects.filter(dataset__in=siblings).order_by("dataset", "-number")
    current = latest.distinct("dataset").select_related("dataset")
    return [
        (version.dataset, version.schema)
        for version in current
        if any(_refers(key, version.dataset, dataset) for key in version.schema.get("foreignKeys", []))
    ]


def _refers(key: dict[str, Any], owner: Dataset, target: Dataset) -> bool:
    return (_is_self(key, owner.slug) and owner.pk == target.pk) or (
        key["reference"].get("resource") == target.slug
    )


def _reference(key: dict[str, Any], target: Dataset, schema: dict[str, Any], *, is_self: bool) -> Reference:
    fields, names = names_of(key["fields"]), names_of(key["reference"]["fields"])
    is_key = _is_key(schema, names)
    if is_key:
        partner = dict(zip(names, fields, strict=True))
        names = names_of(schema["primaryKey"])
        fields = [partner[name] for name in names]
    return Reference(target.pk, target.title, tuple(fields), tuple(names), is_key, is_self)


def _is_self(key: dict[str, Any], slug: str) -> bool:
    return key["reference"].get("resource", "") in ("", slug)


def _target(organisation_id: Any, slug: str) -> Dataset | None:
    return Dataset.objects.filter(organisation=organisation_id, slug=slug).first()


def _current(dataset: Dataset) -> dict[str, Any]:
    schema: dict[str, Any] = dataset.schema_versions.latest("number").schema
    return schema


def _is_key(schema: dict[str, Any], names: list[str]) -> bool:
    return sorted(names_of(schema.get("primaryKey", []))) == sorted(names)


def _is_unique(schema: dict[str, Any], names: list[str]) -> bool:
    return len(names) == 1 and any(
        field["name"] == names[0] and field.get("constraints", {}).get("unique") for field in schema["fields"]
    )


def _types(schema: dict[str, Any]) -> dict[str, str]:
    return {field["name"]: field.get("type", "string") for field in schema["fields"]}
