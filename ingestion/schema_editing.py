"""Changes of a schema, field by field. Pure: each gives a new schema, and what it does not name stays."""

from collections.abc import Sequence
from typing import Any

from ingestion.checking.schema_keys import names_of

Schema = dict[str, Any]


def fields_of(schema: Schema) -> list[dict[str, Any]]:
    return list(schema.get("fields", []))


def key_of(schema: Schema) -> list[str]:
    key = schema.get("primaryKey", [])
    return [key] if isinstance(key, str) else list(key)


def add(schema: Schema) -> Schema:
    """A field of text at the end, under a name that is free."""
    names = {field.get("name") for field in fields_of(schema)}
    number = len(names) + 1
    while f"field_{number}" in names:
        number += 1
    return {**schema, "fields": [*fields_of(schema), {"name": f"field_{number}", "type": "string"}]}


def remove(schema: Schema, place: int) -> Schema:
    fields = fields_of(schema)
    gone = fields.pop(place)
    changed = {**schema, "fields": fields}
    return _with_key(changed, [name for name in key_of(schema) if name != gone.get("name")])


def move(schema: Schema, place: int, by: int) -> tuple[Schema, int]:
    """The schema and where the field stands now; at an end it stays."""
    fields = fields_of(schema)
    to = min(max(place + by, 0), len(fields) - 1)
    fields.insert(to, fields.pop(place))
    return {**schema, "fields": fields}, to


def replace(schema: Schema, place: int, field: dict[str, Any], *, in_key: bool) -> Schema:
    """A new name follows into the primaryKey and the foreignKeys."""
    fields = fields_of(schema)
    before, name = fields[place].get("name"), field.get("name")
    fields[place] = field
    changed = {**schema, "fields": fields}
    key = [name if each == before else each for each in key_of(schema)]
    if in_key and name not in key:
        key.append(name)
    if not in_key:
        key = [each for each in key if each != name]
    if before != name and "foreignKeys" in schema:
        changed["foreignKeys"] = [_renamed(each, before, name) for each in schema["foreignKeys"]]
    return _with_key(changed, [each for each in key if isinstance(each, str)])


def target_of(schema: Schema, name: str) -> str:
    """“dataset:field” that this field alone refers to; "" when it refers to nothing."""
    for key in schema.get("foreignKeys", []):
        if names_of(key.get("fields", [])) == [name]:
            reference = key.get("reference", {})
            return f"{reference.get('resource', '')}:{', '.join(names_of(reference.get('fields', [])))}"
    return ""


def refer(schema: Schema, name: str, target: str) -> Schema:
    """Let one field refer to a field of a dataset; keys of several fields stay as they are."""
    if target == target_of(schema, name):
        return schema
    kept = [key for key in schema.get("foreignKeys", []) if names_of(key.get("fields", [])) != [name]]
    if target:
        resource, _, field = target.partition(":")
        kept.append({"fields": [name], "reference": {"resource": resource, "fields": [field]}})
    rest = {each: value for each, value in schema.items() if each != "foreignKeys"}
    return {**rest, "foreignKeys": kept} if kept else rest


def _with_key(schema: Schema, key: Sequence[str]) -> Schema:
    """One name may be written as text: what says the same stays as it is written."""
    if list(key) == key_of(schema):
        return schema
    rest = {name: value for name, value in schema.items() if name != "primaryKey"}
    return {**rest, "primaryKey": list(key)} if key else rest


def _renamed(key: Any, before: Any, name: Any) -> Any:
    if not isinstance(key, dict):
        return key
    given = key.get("fields")
    if isinstance(given, list):
        return {**key, "fields": [name if each == before else each for each in given]}
    return {**key, "fields": name} if given == before else key
