"""What changed from one schema to another, in words that can be read without knowing JSON."""

import json
from dataclasses import dataclass
from typing import Any

from ingestion.checking.texts import shown
from ingestion.schema_editing import Schema, fields_of, key_of

WORDS = {
    "constraints.required": "required",
    "constraints.unique": "unique",
    "constraints.enum": "allowed values",
    "constraints.minimum": "lowest value",
    "constraints.maximum": "highest value",
    "constraints.minLength": "shortest",
    "constraints.maxLength": "longest",
    "constraints.pattern": "pattern",
    "missingValues": "words for a missing value",
    "trueValues": "words for yes",
    "falseValues": "words for no",
    "decimalChar": "decimal sign",
    "groupChar": "sign between thousands",
    "bareNumber": "number stands alone",
    "primaryKey": "key",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """`field` is "" for the schema as a whole; before and after are "" where there was or is nothing."""

    field: str
    what: str
    before: str
    after: str


def between(before: Schema, after: Schema) -> list[Difference]:
    """First what is about the whole schema, then the fields in their order, then those that are gone."""
    found = [
        Difference("", WORDS.get(name, name), _said(before.get(name)), _said(after.get(name)))
        for name in sorted((before.keys() | after.keys()) - {"fields", "primaryKey"})
        if before.get(name) != after.get(name)
    ]
    if key_of(before) != key_of(after):
        found.insert(0, Difference("", "key", ", ".join(key_of(before)), ", ".join(key_of(after))))
    old = {field["name"]: field for field in fields_of(before)}
    new = {field["name"]: field for field in fields_of(after)}
    for name, field in new.items():
        if name not in old:
            found.append(Difference(name, "new field", "", _said(field.get("type", "string"))))
        else:
            found += _of_field(name, old[name], field)
    found += [
        Difference(name, "removed", _said(field.get("type", "string")), "")
        for name, field in old.items()
        if name not in new
    ]
    kept = [name for name in old if name in new]
    if kept != [name for name in new if name in old]:
        found.append(Difference("", "order of the fields", ", ".join(kept), ", ".join(new)))
    return found


def _of_field(name: str, before: dict[str, Any], after: dict[str, Any]) -> list[Difference]:
    old, new = _flat(before), _flat(after)
    return [
        Difference(name, WORDS.get(each, each), _said(old.get(each)), _said(new.get(each)))
        for each in sorted(old.keys() | new.keys())
        if old.get(each) != new.get(each)
    ]


def _flat(field: dict[str, Any]) -> dict[str, Any]:
    rules = field.get("constraints", {})
    flat = {name: value for name, value in field.items() if name not in ("name", "constraints")}
    flat.setdefault("type", "string")
    return flat | {f"constraints.{name}": value for name, value in rules.items()}


def _said(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        return shown(", ".join(str(each) or "(blank)" for each in value), most=300)
    return shown(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), most=300)
