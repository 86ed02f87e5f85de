"""Table Schema as it is checked here, for the API's document.

What no JSON Schema can say (names that differ, keys that are fields) `validate_schema` alone refuses.
"""

from typing import Any

from ingestion.checking.fields import FORMATS
from ingestion.checking.schema_keys import MOST_KEYS
from ingestion.checking.schemas import (
    BOUNDED_TYPES,
    BOUNDS,
    DIRECTIVES,
    LENGTHS,
    LONGEST_NAME,
    MOST_FIELDS,
    MOST_VALUES,
    TYPE_PROPERTIES,
)

TEXTS = {"type": "array", "maxItems": MOST_VALUES, "items": {"type": "string"}}
WORDS = TEXTS | {"minItems": 1}
CHARACTER = {"type": "string", "minLength": 1, "maxLength": 1, "pattern": r"^[^0-9+\-eE]$"}
# Types whose fields take nearly the same; each by itself would make the document long.
ALIKE = [
    ("string", "any"), ("number", "integer"), ("boolean",), ("date", "time", "datetime", "year", "yearmonth"),
    ("duration",), ("geopoint",),
]  # fmt: skip
NAMES = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
SOME_NAMES = {"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]}
FOREIGN_KEY = {
    "type": "object",
    "required": ["fields", "reference"],
    "additionalProperties": False,
    "properties": {
        "fields": SOME_NAMES,
        "reference": {
            "type": "object",
            "required": ["fields"],
            "additionalProperties": False,
            "properties": {
                "resource": {
                    "type": "string",
                    "pattern": "^[-a-zA-Z0-9_]*$",
                    "maxLength": 80,
                    "description": "The slug of a dataset of the organisation; empty: this dataset",
                },
                "fields": SOME_NAMES,
            },
        },
    },
}
CONTROLS = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
NAME = {
    "type": "string",
    "minLength": 1,
    "maxLength": LONGEST_NAME,
    "pattern": rf"^[^{CONTROLS}]*[^\s{CONTROLS}][^{CONTROLS}]*$",
}
CONSTRAINTS: dict[str, dict[str, Any]] = {
    "required": {"type": "boolean"},
    "unique": {"type": "boolean"},
    "enum": {"type": "array", "minItems": 1, "maxItems": MOST_VALUES},
}
PROPERTIES: dict[str, dict[str, Any]] = {
    "bareNumber": {"type": "boolean"},
    "groupChar": CHARACTER,
    "decimalChar": CHARACTER,
    "trueValues": WORDS,
    "falseValues": WORDS,
}


def table_schema() -> dict[str, Any]:
    return {
        "title": "TableSchema",
        "description": "Table Schema (frictionless): fields, primaryKey, foreignKeys, missingValues.",
        "type": "object",
        "required": ["fields"],
        "additionalProperties": False,
        "properties": {
            "fields": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_FIELDS,
                "items": {"anyOf": [_field(*kinds) for kinds in ALIKE]},
            },
            "primaryKey": NAMES,
            "foreignKeys": {"type": "array", "maxItems": MOST_KEYS, "items": FOREIGN_KEY},
            "missingValues": TEXTS,
            "fieldsMatch": {"enum": ["subset", ["subset"]]},
            **{name: {} for name in ("$schema", "name", "title", "description")},
        },
    }


def _field(*kinds: str) -> dict[str, Any]:
    """A field without a type is a string."""
    return {
        "title": " or ".join(kinds),
        "type": "object",
        "required": ["name"] if "string" in kinds else ["name", "type"],
        "additionalProperties": False,
        "properties": {
            "name": NAME,
            "type": {"enum": list(kinds)},
            "title": {"type": "string"},
            "description": {"type": "string"},
            "format": _format(kinds[0]),
            "constraints": _constraints(kinds[0]),
            "example": {},
            "rdfType": {},
            "sortable": {"type": "boolean", "description": "Filter and sort by it; up to five fields"},
            "missingValues": TEXTS,
            **{name: PROPERTIES[name] for name in sorted(TYPE_PROPERTIES.get(kinds[0], ()))},
        },
    }


def _format(kind: str) -> dict[str, Any]:
    named: dict[str, Any] = {"enum": list(FORMATS[kind])}
    if kind not in DIRECTIVES:
        return named
    pattern = {"type": "string", "maxLength": 100, "pattern": "%[A-Za-z%]"}
    return {"anyOf": [named, pattern], "description": "A name, or a pattern as strftime takes it"}


def _constraints(kind: str) -> dict[str, Any]:
    properties = dict(CONSTRAINTS)
    if kind in ("string", "any"):
        properties |= {name: {"type": "integer", "minimum": 0} for name in sorted(LENGTHS)}
        properties["pattern"] = {"type": "string"}
    if kind in BOUNDED_TYPES:
        properties |= {name: {"type": ["string", "number"]} for name in sorted(BOUNDS)}
    return {"type": "object", "additionalProperties": False, "properties": properties}
