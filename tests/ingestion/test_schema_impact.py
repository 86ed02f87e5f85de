"""What another schema would mean for the records that are there."""

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion import schema_impact
from ingestion.models import Record
from ingestion.schema_impact import Group
from tests.factories import DatasetFactory

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA = {
    "fields": [
        {"name": "id"},
        {"name": "opened", "type": "date", "format": "%d/%m/%Y"},
        {"name": "at", "type": "datetime"},
        {"name": "clock", "type": "time"},
        {"name": "amount", "type": "number", "decimalChar": ","},
        {"name": "open", "type": "boolean", "trueValues": ["x"], "falseValues": ["o"]},
        {"name": "spent", "type": "duration"},
        {"name": "place", "type": "geopoint"},
    ],
    "primaryKey": "id",
}
FILE = (
    "id;opened;at;clock;amount;open;spent;place\n"
    "a;31/05/2024;2024-05-31T10:00:00+02:00;09:30;1,5;x;36:00;14.5, 50.1\n"
    "b;03/04/2024;2024-05-31 10:00;;0,1000000000000000055511151231257827;o;;\n"
    "c;;;;12345678901234567890;;;\n"
)


@pytest.fixture
def filled(process):
    dataset = DatasetFactory(schema=SCHEMA)
    assert process(FILE, into=dataset).inserted == 3
    return dataset


def changed(name, /, **properties):
    schema = copy.deepcopy(SCHEMA)
    for field in schema["fields"]:
        if field["name"] == name:
            field.update(properties)
    return schema


def test_schema_by_which_records_were_stored_refuses_none(filled):
    impact = schema_impact.preview(dataset=filled, schema=SCHEMA)

    assert (impact.records, impact.checked, impact.refused, impact.groups) == (3, 3, 0, [])


@pytest.mark.parametrize(
    ("name", "properties", "groups"),
    [
        (
            "clock",
            {"constraints": {"required": True}},
            [Group("required", "clock", 2, "", "“clock” is required but the cell is blank.")],
        ),
        (
            "amount",
            {"constraints": {"maximum": 10}},
            [
                Group(
                    "maximum",
                    "amount",
                    1,
                    "12345678901234567890",
                    "12345678901234567890 is above 10, the most allowed.",
                )
            ],
        ),
        ("opened", {"format": "%Y-%m-%d"}, []),
        ("opened", {"type": "string", "format": "default"}, []),
        ("amount", {"decimalChar": "."}, []),
        (
            "id",
            {"constraints": {"pattern": "[ab]"}},
            [Group("pattern", "id", 1, "c", "“c” does not have the form [ab].")],
        ),
    ],
)
def test_refused_records_are_counted_by_rule_and_field(filled, name, properties, groups):
    impact = schema_impact.preview(dataset=filled, schema=changed(name, **properties))

    assert impact.groups == groups
    assert impact.refused == max((group.rows for group in groups), default=0)


def test_record_that_breaks_two_rules_is_one_refused_record(filled):
    schema = changed("clock", constraints={"required": True})
    schema["fields"][0]["constraints"] = {"pattern": "[ab]"}

    impact = schema_impact.preview(dataset=filled, schema=schema)

    assert (impact.refused, sum(group.rows for group in impact.groups)) == (2, 3)


def test_values_that_several_records_share_are_found(filled, process):
    process(FILE.replace("b;03/04", "b;31/05"), into=filled)

    impact = schema_impact.preview(dataset=filled, schema=changed("opened", constraints={"unique": True}))

    assert [(group.code, group.column, group.rows, group.example) for group in impact.groups] == [
        ("unique", "opened", 2, "2024-05-31")
    ]


def test_references_to_nothing_are_found(filled):
    schema = changed("place", type="string") | {
        "foreignKeys": [{"fields": "place", "reference": {"resource": "", "fields": "id"}}]
    }

    impact = schema_impact.preview(dataset=filled, schema=schema)

    assert [(group.code, group.rows, group.example) for group in impact.groups] == [
        ("foreign_key", 1, "14.5, 50.1")
    ]


def test_retired_records_do_not_count(filled):
    Record.objects.filter(key='["c"]').update(retired_at="2026-01-01T00:00Z")

    assert (
        schema_impact.preview(dataset=filled, schema=changed("id", constraints={"pattern": "[ab]"})).refused
        == 0
    )


def test_fields_that_come_and_go_are_named(filled):
    schema = changed("clock", name="time")
    schema["fields"][4]["type"] = "any"
    del schema["fields"][4]["decimalChar"]
    schema["primaryKey"] = ["id", "at"]

    impact = schema_impact.preview(dataset=filled, schema=schema)

    assert (impact.added, impact.removed, impact.retyped, impact.key_changed) == (
        ["time"],
        ["clock"],
        ["amount"],
        True,
    )


def test_of_many_records_every_so_many_is_looked_at(process):
    dataset = DatasetFactory()
    process("id,amount\n" + "".join(f"{number},{number}\n" for number in range(1000)), into=dataset)
    schema = dataset.schema_versions.get().schema | {"primaryKey": []}

    impact = schema_impact.preview(dataset=dataset, schema=schema, limit=100)

    assert (impact.records, impact.checked) == (1000, 100)


CELLS = st.sampled_from(["1", "1.5", "2024-05-31", "10:00:00", "true", "x", "P1D", "1, 2", "2024-05", "é"])
TYPES = st.sampled_from(
    ["string", "integer", "number", "boolean", "date", "time", "duration", "yearmonth", "any"]
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=TYPES, cells=st.lists(CELLS, min_size=1, max_size=5))
def test_whatever_was_stored_passes_its_own_schema(process, kind, cells):
    schema = {"fields": [{"name": "id"}, {"name": "v", "type": kind}], "primaryKey": "id"}
    dataset = DatasetFactory(schema=schema)
    process("id;v\n" + "".join(f"{number};{cell}\n" for number, cell in enumerate(cells)), into=dataset)

    assert schema_impact.preview(dataset=dataset, schema=schema).groups == []
