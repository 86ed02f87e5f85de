import pytest

from ingestion.checking.checker import Checker
from ingestion.checking.schemas import validate_schema
from tests.benchmarks.make_workbook import SCHEMA


def field(**properties):
    return {"fields": [{"name": "a", **properties}]}


def refers(**properties):
    key = {"fields": "a", "reference": {"resource": "other", "fields": "id"}, **properties}
    return {**field(), "foreignKeys": [key]}


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA,
        field(),
        field(
            type="string", format="email", constraints={"minLength": 1, "maxLength": 9, "pattern": r"\p{Lu}+"}
        ),
        field(
            type="number", decimalChar=",", groupChar=".", bareNumber=False, constraints={"minimum": "1,5"}
        ),
        field(constraints={"minLength": 1.0, "maxLength": 5.0}),
        field(type="integer", constraints={"minimum": 1, "maximum": "5", "enum": [1, 2]}),
        field(type="boolean", trueValues=["ja"], falseValues=["nein"]),
        field(type="date", format="%d/%m/%Y", constraints={"minimum": "01/02/2020"}),
        field(type="date", format="any"),
        field(type="datetime", format="%Y-%m-%dT%H:%M:%S%z"),
        field(type="time", format="%H:%M"),
        field(type="year", constraints={"minimum": 1990, "maximum": "2030"}),
        field(type="yearmonth"),
        field(type="duration", constraints={"minimum": "PT0S", "maximum": "36:00", "enum": ["P1D"]}),
        field(type="geopoint", constraints={"enum": ["1, 2"]}),
        field(type="geopoint", format="array", example=[14.5, 50.1], constraints={"enum": [[1, 2]]}),
        field(type="geopoint", format="object", example={"lon": 14.5, "lat": 50.1}),
        field(type="integer", example=42),
        field(sortable=True),
        refers(),
        refers(reference={"fields": ["a"]}),
        field(type="any", constraints={"enum": ["x", 1, True]}),
        {**field(), "primaryKey": "a", "missingValues": ["", "-"], "title": "T", "$schema": "x"},
        {"fields": [{"name": "a"}, {"name": "b"}], "primaryKey": ["a", "b"]},
    ],
)
def test_schema_of_the_standard_is_accepted(schema):
    assert validate_schema(schema) == []
    Checker(schema)


@pytest.mark.parametrize(
    ("schema", "path", "code"),
    [
        ([], "", "not_an_object"),
        ({}, "fields", "no_fields"),
        ({"fields": []}, "fields", "no_fields"),
        ({"fields": ["a"]}, "fields[0]", "not_an_object"),
        ({"fields": [{}]}, "fields[0].name", "no_name"),
        ({"fields": [{"name": "a\x00"}]}, "fields[0].name", "bad_name"),
        ({"fields": [{"name": "a"}] * 1_001}, "fields", "too_many_fields"),
        (field(type="geojson"), "fields[0].type", "unknown_type"),
        (field(type="string", format="binary"), "fields[0].format", "unknown_format"),
        (field(type="date", format="%d.%m.%Q"), "fields[0].format", "unknown_format"),
        (field(type="date", format="dd/mm/yyyy"), "fields[0].format", "unknown_format"),
        (field(type="date", format="%d %d"), "fields[0].format", "unknown_format"),
        (field(typ="string"), "fields[0].typ", "unknown_property"),
        (field(decimalChar=","), "fields[0].decimalChar", "unknown_property"),
        (field(type="number", decimalChar="1"), "fields[0].decimalChar", "bad_character"),
        (field(type="number", groupChar="."), "fields[0].groupChar", "bad_character"),
        (field(type="number", bareNumber="no"), "fields[0].bareNumber", "not_boolean"),
        (field(type="boolean", trueValues="ja"), "fields[0].trueValues", "not_a_list"),
        (field(missingValues="-"), "fields[0].missingValues", "not_a_list"),
        ({**field(), "missingValues": [1]}, "missingValues", "not_a_list"),
        (field(constraints=[]), "fields[0].constraints", "not_an_object"),
        (field(constraints={"min": 1}), "fields[0].constraints.min", "unknown_constraint"),
        (field(constraints={"required": "yes"}), "fields[0].constraints.required", "not_boolean"),
        (field(constraints={"minLength": -1}), "fields[0].constraints.minLength", "not_a_number"),
        (field(constraints={"minLength": 5, "maxLength": 2}), "fields[0].constraints", "impossible"),
        (field(constraints={"minimum": 1}), "fields[0].constraints.minimum", "not_for_type"),
        (
            field(type="integer", constraints={"pattern": "x"}),
            "fields[0].constraints.pattern",
            "not_for_type",
        ),
        (field(type="integer", constraints={"minimum": "x"}), "fields[0].constraints.minimum", "wrong_type"),
        (field(type="date", constraints={"enum": ["x"]}), "fields[0].constraints.enum", "wrong_type"),
        (field(constraints={"enum": []}), "fields[0].constraints.enum", "not_a_list"),
        (field(constraints={"pattern": "("}), "fields[0].constraints.pattern", "bad_pattern"),
        (field(constraints={"pattern": r"(a)\1"}), "fields[0].constraints.pattern", "bad_pattern"),
        (field(constraints={"pattern": "(?=a)"}), "fields[0].constraints.pattern", "bad_pattern"),
        (field(constraints={"pattern": "a" * 501}), "fields[0].constraints.pattern", "bad_pattern"),
        ({"fields": [{"name": "Opened at"}, {"name": "opened_at"}]}, "fields[1].name", "duplicate_name"),
        ({**field(), "primaryKey": ["b"]}, "primaryKey", "unknown_field"),
        ({**field(), "primaryKey": ["a", "a"]}, "primaryKey", "duplicate_name"),
        ({**field(), "primaryKey": 5}, "primaryKey", "not_a_list"),
        (field(example=[]), "fields[0].example", "wrong_type"),
        (field(type="integer", example="many"), "fields[0].example", "wrong_type"),
        (
            field(type="duration", constraints={"minimum": "soon"}),
            "fields[0].constraints.minimum",
            "wrong_type",
        ),
        (field(type="geopoint", constraints={"minimum": 1}), "fields[0].constraints.minimum", "not_for_type"),
        (field(type="geopoint", format="wkt"), "fields[0].format", "unknown_format"),
        (field(type="geopoint", constraints={"enum": [[1, 2]]}), "fields[0].constraints.enum", "wrong_type"),
        (field(type="any", format="email"), "fields[0].format", "unknown_format"),
        ({**field(), "foreignKeys": {}}, "foreignKeys", "not_a_list"),
        ({**field(), "foreignKeys": [1]}, "foreignKeys[0]", "not_an_object"),
        ({**field(), "foreignKeys": [{"fields": "a"}]}, "foreignKeys[0].reference", "not_an_object"),
        (refers(fields="b"), "foreignKeys[0].fields", "unknown_field"),
        (refers(fields=[]), "foreignKeys[0].fields", "not_a_list"),
        (refers(fields=["a", "a"]), "foreignKeys[0].fields", "duplicate_name"),
        (refers(onDelete="cascade"), "foreignKeys[0].onDelete", "unknown_property"),
        (refers(reference={"fields": 5}), "foreignKeys[0].reference.fields", "not_a_list"),
        (refers(reference={"fields": ["x", "y"]}), "foreignKeys[0].reference.fields", "impossible"),
        (
            refers(reference={"resource": "no slug", "fields": "x"}),
            "foreignKeys[0].reference.resource",
            "not_a_slug",
        ),
        (
            refers(reference={"package": "x", "fields": "x"}),
            "foreignKeys[0].reference.package",
            "unknown_property",
        ),
        ({**field(), "fieldsMatch": "exact"}, "fieldsMatch", "unsupported"),
    ],
)
def test_problem_is_named_by_its_place(schema, path, code):
    problems = validate_schema(schema)

    assert (path, code) in [(problem.path, problem.code) for problem in problems]
    assert all(problem.message.endswith(".") for problem in problems)


@pytest.mark.parametrize("value", [None, 5, True, [], {}, [[]], "x", {"a": 1}])
@pytest.mark.parametrize(
    "place",
    [
        "fields",
        "primaryKey",
        "missingValues",
        "name",
        "type",
        "format",
        "constraints",
        "enum",
        "minimum",
        "pattern",
    ],
)
def test_nothing_in_a_schema_makes_the_validator_fail(place, value):
    schema = {"fields": [{"name": "a", "type": "integer", "constraints": {"minimum": 1}}]}
    if place in ("fields", "primaryKey", "missingValues"):
        schema[place] = value
    elif place in ("enum", "minimum", "pattern"):
        schema["fields"][0]["constraints"][place] = value
    else:
        schema["fields"][0][place] = value

    if not validate_schema(schema):
        Checker(schema)


def test_at_most_five_fields_are_sortable():
    fields = [{"name": f"f{number}", "sortable": number != 2} for number in range(7)]

    problems = validate_schema({"fields": fields})

    assert [(problem.path, problem.code) for problem in problems] == [
        ("fields[6].sortable", "too_many_sortable")
    ]
    assert validate_schema(field(sortable="yes"))[0].code == "not_boolean"
