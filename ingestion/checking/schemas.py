"""Is a Table Schema one that the checks understand? Every problem is named by its place in the JSON."""

import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from ingestion.checking import texts
from ingestion.checking.fields import FORMATS, build_field
from ingestion.checking.patterns import UnsafePattern, compile_pattern
from ingestion.checking.schema_keys import foreign_keys, primary_key
from ingestion.checking.schema_problems import SchemaProblem
from ingestion.checking.schema_sorting import sortable

MOST_FIELDS = 1_000
LONGEST_NAME = 200
MOST_VALUES = 5_000
SCHEMA_PROPERTIES = {
    "$schema",
    "fields",
    "primaryKey",
    "foreignKeys",
    "missingValues",
    "title",
    "description",
    "name",
    "fieldsMatch",
}
# Said about a field, without effect on its checks.
DESCRIPTIVE = {
    "name",
    "title",
    "description",
    "type",
    "format",
    "constraints",
    "example",
    "rdfType",
    "missingValues",
    "sortable",
}
TYPE_PROPERTIES = {
    "integer": {"bareNumber", "groupChar"},
    "number": {"bareNumber", "groupChar", "decimalChar"},
    "boolean": {"trueValues", "falseValues"},
}
LENGTHS = {"minLength", "maxLength"}
BOUNDS = {"minimum", "maximum"}
BOUNDED_TYPES = {"integer", "number", "date", "time", "datetime", "year", "yearmonth", "duration"}
CONSTRAINTS = {"required", "unique", "pattern", "enum"} | LENGTHS | BOUNDS
DIRECTIVE = re.compile(r"%(.)")
DIRECTIVES = {
    "date": "YymdbBjaA%",
    "time": "HIMSfp%",
    "datetime": "YymdbBjaAHIMSfpzZ%",
}


def validate_schema(schema: Any) -> list[SchemaProblem]:
    """All problems of a schema; an empty list means that Checker accepts it."""
    if not isinstance(schema, dict):
        return [SchemaProblem("", "not_an_object", "The schema must be a JSON object with a list of fields.")]
    problems = [
        SchemaProblem(name, "unknown_property", f"“{name}” is not a property that is used here.{_hint(name)}")
        for name in sorted(schema.keys() - SCHEMA_PROPERTIES)
    ]
    problems += _missing_values("missingValues", schema)
    if schema.get("fieldsMatch", "subset") not in ("subset", ["subset"]):
        message = "Columns are matched by name in any order; only “subset” can be declared."
        problems.append(SchemaProblem("fieldsMatch", "unsupported", message))
    fields = schema.get("fields")
    if not isinstance(fields, list) or not fields:
        problems.append(
            SchemaProblem("fields", "no_fields", "The schema needs a list of at least one field.")
        )
        return problems
    if len(fields) > MOST_FIELDS:
        message = f"There are {len(fields):,} fields; {MOST_FIELDS:,} is the most."
        return [*problems, SchemaProblem("fields", "too_many_fields", message)]
    for index, field in enumerate(fields):
        problems += _field(f"fields[{index}]", field)
    problems += _names(fields)
    problems += sortable(fields)
    problems += primary_key(schema, fields)
    problems += foreign_keys(schema, fields)
    return problems


def _hint(name: str) -> str:
    return " Declare “unique” in the constraints of a field instead." if name == "uniqueKeys" else ""


def _field(path: str, field: Any) -> Iterator[SchemaProblem]:
    if not isinstance(field, dict):
        yield SchemaProblem(path, "not_an_object", "Each field must be a JSON object with a name and a type.")
        return
    name = field.get("name")
    if not isinstance(name, str) or not name.strip():
        yield SchemaProblem(f"{path}.name", "no_name", "Each field needs a name.")
    elif len(name) > LONGEST_NAME or texts.CONTROL.search(name):
        message = f"A name has at most {LONGEST_NAME} characters and no invisible ones."
        yield SchemaProblem(f"{path}.name", "bad_name", message)
    for property_name in ("title", "description"):
        if not isinstance(field.get(property_name, ""), str):
            yield SchemaProblem(f"{path}.{property_name}", "not_text", f"The {property_name} must be text.")
    kind = field.get("type", "string")
    if not isinstance(kind, str) or kind not in FORMATS:
        known = ", ".join(FORMATS)
        yield SchemaProblem(
            f"{path}.type", "unknown_type", f"The type “{kind}” is not known; use one of {known}."
        )
        return
    for extra in sorted(field.keys() - DESCRIPTIVE - TYPE_PROPERTIES.get(kind, set())):
        message = f"“{extra}” is not a property of a field of type {kind}."
        yield SchemaProblem(f"{path}.{extra}", "unknown_property", message)
    problems = [
        *_format(f"{path}.format", kind, field.get("format", "default")),
        *_missing_values(f"{path}.missingValues", field),
        *_type_properties(path, kind, field),
        *_constraints(f"{path}.constraints", kind, field.get("constraints", {})),
    ]
    yield from problems
    if not problems and isinstance(name, str):
        yield from _limits(path, field)


def _format(path: str, kind: str, value: Any) -> Iterator[SchemaProblem]:
    allowed = FORMATS[kind]
    if value in allowed:
        return
    if (kind, value) == ("string", "binary"):
        message = "A cell of a spreadsheet holds no bytes: the format “binary” is not taken."
        yield SchemaProblem(path, "unknown_format", message)
        return
    if kind not in DIRECTIVES or not isinstance(value, str):
        known = ", ".join(allowed)
        yield SchemaProblem(
            path, "unknown_format", f"The format “{value}” is not known for {kind}; use {known}."
        )
        return
    directives = DIRECTIVE.findall(value)
    unknown = [letter for letter in directives if letter not in DIRECTIVES[kind]]
    if not directives or unknown or len(value) > 100 or len(directives) != len(set(directives)):
        message = f"“{value}” is no pattern for a {kind}; write it with %Y, %m, %d and so on, each once."
        yield SchemaProblem(path, "unknown_format", message)


def _missing_values(path: str, owner: dict[str, Any]) -> Iterator[SchemaProblem]:
    values = owner.get("missingValues", [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        yield SchemaProblem(path, "not_a_list", "missingValues must be a list of texts.")
    elif len(values) > MOST_VALUES:
        yield SchemaProblem(path, "too_many_values", f"At most {MOST_VALUES:,} values can be listed.")


def _type_properties(path: str, kind: str, field: dict[str, Any]) -> Iterator[SchemaProblem]:
    for name in ("trueValues", "falseValues"):
        values = field.get(name, ["x"])
        if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
            yield SchemaProblem(
                f"{path}.{name}", "not_a_list", f"{name} must be a list of at least one text."
            )
    for name in ("decimalChar", "groupChar"):
        value = field.get(name, ".")
        if not isinstance(value, str) or len(value) != 1 or value.isdigit() or value in "+-eE":
            message = f"{name} must be one character that is no digit and no sign."
            yield SchemaProblem(f"{path}.{name}", "bad_character", message)
    if kind == "number" and "groupChar" in field and field["groupChar"] == field.get("decimalChar", "."):
        message = "groupChar and decimalChar must differ."
        yield SchemaProblem(f"{path}.groupChar", "bad_character", message)
    if not isinstance(field.get("bareNumber", True), bool):
        yield SchemaProblem(f"{path}.bareNumber", "not_boolean", "bareNumber must be true or false.")


def _constraints(path: str, kind: str, constraints: Any) -> Iterator[SchemaProblem]:
    if not isinstance(constraints, dict):
        yield SchemaProblem(path, "not_an_object", "The constraints must be a JSON object.")
        return
    for name, value in constraints.items():
        yield from _constraint(f"{path}.{name}", kind, name, value)
    shortest, longest = constraints.get("minLength"), constraints.get("maxLength")
    if _is_whole(shortest) and _is_whole(longest) and shortest > longest:
        yield SchemaProblem(path, "impossible", "minLength is more than maxLength.")


def _constraint(path: str, kind: str, name: str, value: Any) -> Iterator[SchemaProblem]:
    if name not in CONSTRAINTS:
        yield SchemaProblem(path, "unknown_constraint", f"“{name}” is not a constraint that is checked here.")
    elif (name in LENGTHS or name == "pattern") and kind not in ("string", "any"):
        yield SchemaProblem(path, "not_for_type", f"{name} can be declared for text only, not for {kind}.")
    elif name in BOUNDS and kind not in BOUNDED_TYPES:
        yield SchemaProblem(path, "not_for_type", f"{name} cannot be declared for {kind}.")
    elif name in ("required", "unique") and not isinstance(value, bool):
        yield SchemaProblem(path, "not_boolean", f"{name} must be true or false.")
    elif name in LENGTHS and not _is_whole(value):
        yield SchemaProblem(path, "not_a_number", f"{name} must be a whole number, 0 or more.")
    elif name == "enum" and (not isinstance(value, list) or not 0 < len(value) <= MOST_VALUES):
        yield SchemaProblem(path, "not_a_list", f"enum must be a list of 1 to {MOST_VALUES:,} values.")
    elif name == "pattern":
        if not isinstance(value, str):
            yield SchemaProblem(path, "not_text", "The pattern must be text.")
            return
        try:
            compile_pattern(value)
        except UnsafePattern as error:
            yield SchemaProblem(path, "bad_pattern", f"The pattern cannot be used: {error}.")


def _is_whole(value: Any) -> TypeGuard[float]:
    """JSON does not tell 5.0 from 5."""
    if isinstance(value, float):
        return value.is_integer() and value >= 0
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _limits(path: str, field: dict[str, Any]) -> Iterator[SchemaProblem]:
    """Bounds, allowed values and the example must themselves be values of the field."""
    constraints, kind = field.get("constraints", {}), field.get("type", "string")
    column = build_field({**field, "constraints": {}})
    places = {f"{path}.constraints.{name}": _values(name, constraints) for name in (*sorted(BOUNDS), "enum")}
    example = field.get("example")
    places[f"{path}.example"] = [] if example is None else [example]
    for place, values in places.items():
        for value in values:
            nested = isinstance(value, dict | list) and kind != "geopoint"
            if nested or value is None or not column.accepts(value):
                message = f"“{texts.shown(str(value), most=40)}” is not a {kind}."
                yield SchemaProblem(place, "wrong_type", message)
                break


def _values(name: str, constraints: dict[str, Any]) -> list[Any]:
    if name not in constraints:
        return []
    return constraints[name] if name == "enum" else [constraints[name]]


def _names(fields: list[Any]) -> Iterator[SchemaProblem]:
    seen: dict[str, str] = {}
    for index, field in enumerate(fields):
        name = field.get("name") if isinstance(field, dict) else None
        if not isinstance(name, str):
            continue
        like = texts.loose(name) or name
        if like in seen:
            message = f"“{name}” and “{seen[like]}” could not be told apart in a header."
            yield SchemaProblem(f"fields[{index}].name", "duplicate_name", message)
        seen[like] = name
