"""The keys of a schema: its own, and those of other datasets that its fields refer to.

Only their form is looked at here; whether the other dataset has such a key, `ingestion.references` says.
"""

import re
from collections.abc import Iterator
from typing import Any

from ingestion.checking.schema_problems import SchemaProblem

MOST_KEYS = 20
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,80}").fullmatch


def primary_key(schema: dict[str, Any], fields: list[Any]) -> Iterator[SchemaProblem]:
    yield from _names("primaryKey", schema.get("primaryKey", []), known=_known(fields))


def foreign_keys(schema: dict[str, Any], fields: list[Any]) -> Iterator[SchemaProblem]:
    keys = schema.get("foreignKeys", [])
    if not isinstance(keys, list):
        yield SchemaProblem("foreignKeys", "not_a_list", "foreignKeys must be a list.")
        return
    if len(keys) > MOST_KEYS:
        yield SchemaProblem("foreignKeys", "too_many_keys", f"At most {MOST_KEYS} can be declared.")
        return
    for index, key in enumerate(keys):
        yield from _foreign_key(f"foreignKeys[{index}]", key, _known(fields))


def names_of(key: Any) -> list[str]:
    """A name, or a list of names, as a list."""
    return [key] if isinstance(key, str) else list(key)


def _foreign_key(path: str, key: Any, known: set[str]) -> Iterator[SchemaProblem]:
    if not isinstance(key, dict):
        yield SchemaProblem(path, "not_an_object", "A foreign key is an object with fields and a reference.")
        return
    for extra in sorted(key.keys() - {"fields", "reference"}):
        message = f"“{extra}” is not a property of a foreign key."
        yield SchemaProblem(f"{path}.{extra}", "unknown_property", message)
    reference = key.get("reference")
    if not isinstance(reference, dict):
        message = "The reference must be an object with the dataset (resource) and its fields."
        yield SchemaProblem(f"{path}.reference", "not_an_object", message)
        return
    for extra in sorted(reference.keys() - {"resource", "fields"}):
        message = f"“{extra}” is not a property of a reference."
        yield SchemaProblem(f"{path}.reference.{extra}", "unknown_property", message)
    resource = reference.get("resource", "")
    if not isinstance(resource, str) or (resource and not SLUG(resource)):
        message = "The resource is the slug of a dataset; an empty one is this dataset itself."
        yield SchemaProblem(f"{path}.reference.resource", "not_a_slug", message)
    problems = [
        *_names(f"{path}.fields", key.get("fields"), known=known, least=1),
        *_names(f"{path}.reference.fields", reference.get("fields"), known=None, least=1),
    ]
    yield from problems
    if not problems and len(names_of(key["fields"])) != len(names_of(reference["fields"])):
        message = "As many fields must refer as are referred to."
        yield SchemaProblem(f"{path}.reference.fields", "impossible", message)


def _names(path: str, key: Any, *, known: set[str] | None, least: int = 0) -> Iterator[SchemaProblem]:
    names = [key] if isinstance(key, str) else key
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(names) < least:
        yield SchemaProblem(path, "not_a_list", f"{path} must be a field name or a list of them.")
        return
    for name in names:
        if known is not None and name not in known:
            yield SchemaProblem(path, "unknown_field", f"There is no field “{name}”.")
    if len(set(names)) != len(names):
        yield SchemaProblem(path, "duplicate_name", f"A field stands twice in {path}.")


def _known(fields: list[Any]) -> set[str]:
    names = [field.get("name") for field in fields if isinstance(field, dict)]
    return {name for name in names if isinstance(name, str)}
