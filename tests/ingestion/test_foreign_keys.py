"""Rows that refer to records of another dataset, or of their own."""

import pytest

from ingestion.models import Record, RowError
from tests.factories import DatasetFactory

pytestmark = pytest.mark.django_db(transaction=True)

CITIES = {
    "fields": [
        {"name": "land"},
        {"name": "code", "type": "integer"},
        {"name": "name", "constraints": {"unique": True}},
    ],
    "primaryKey": ["land", "code"],
}


def to(resource, fields, names):
    return {"fields": fields, "reference": {"resource": resource, "fields": names}}


def schema(*keys):
    types = {"code": "integer"}
    fields = [
        {"name": name, "type": types.get(name, "string")} for name in ("id", "code", "land", "city", "near")
    ]
    return {"fields": fields, "primaryKey": "id", "foreignKeys": list(keys)}


def codes(upload):
    rows = RowError.objects.filter(run=upload.run).order_by("row")
    return {row.row: [error["code"] for error in row.errors] for row in rows}


def keys(dataset):
    return set(Record.objects.filter(dataset=dataset, retired_at=None).values_list("key", flat=True))


@pytest.fixture
def cities(process):
    made = DatasetFactory(slug="cities", title="Cities", schema=CITIES, mode="snapshot", retire_limit=100)
    process("land,code,name\nDE,1,Köln\nDE,2,Bonn\n", into=made)
    return made


@pytest.fixture
def making(cities):
    return lambda *keys, **how: DatasetFactory(
        organisation=cities.organisation, slug="stations", title="Stations", schema=schema(*keys), **how
    )


def test_row_that_refers_to_no_record_is_refused_by_name(process, making):
    stations = making(to("cities", ["code", "land"], ["code", "land"]))

    upload = process("id,code,land\na,1,DE\nb,9,DE\nc,,\nd,1,\n", into=stations)

    assert codes(upload) == {3: ["foreign_key"], 5: ["foreign_key"]}
    error = RowError.objects.get(run=upload.run, row=3).errors[0]
    assert error["message"] == "“DE / 9” is not among the records of “Cities”."
    assert "Cities" in error["remedy"]
    assert keys(stations) == {'["a"]', '["c"]'}


def test_reference_is_compared_as_keys_are(process, making):
    stations = making(to("cities", ["land", "code"], ["land", "code"]))

    upload = process('id,code,land\na,1," DE\u200b "\n', into=stations)

    assert upload.state == "processed"


def test_reference_to_a_unique_field(process, making):
    stations = making(to("cities", "city", "name"))

    upload = process("id,city\na,Köln\nb,Trier\n", into=stations)

    assert codes(upload) == {3: ["foreign_key"]}


def test_retired_record_is_not_there(process, making, cities):
    process("land,code,name\nDE,2,Bonn\n", into=cities)
    stations = making(to("cities", ["land", "code"], ["land", "code"]))

    assert codes(process("id,code,land\na,1,DE\nb,2,DE\n", into=stations)) == {2: ["foreign_key"]}


def test_record_keeps_its_reference_when_the_other_is_retired_later(process, making, cities):
    stations = making(to("cities", ["land", "code"], ["land", "code"]))
    process("id,code,land\na,1,DE\n", into=stations)

    upload = process("land,code,name\nDE,2,Bonn\n", into=cities)

    told = {each["code"]: each["detail"] for each in upload.assumptions}
    assert told["references_left"] == {"datasets": ["Stations"], "records": 1}
    assert keys(stations) == {'["a"]'}


def test_question_of_retirement_names_who_refers(process, making, cities):
    process("id,code,land\na,1,DE\n", into=making(to("cities", ["land", "code"], ["land", "code"])))
    type(cities).objects.filter(pk=cities.pk).update(retire_limit=0)

    upload = process("land,code,name\nDE,2,Bonn\n", into=cities)

    assert upload.asking["detail"] == {"referring": {"Stations": 1}}


def test_rows_of_one_file_may_refer_to_each_other(process, making):
    tree = making(to("", "near", "id"))

    upload = process("id,near\na,b\nb,\nc,a\n", into=tree)

    assert upload.state == "processed"


def test_refused_row_takes_those_that_refer_to_it_along(process, making):
    tree = making(to("", "near", "id"))

    upload = process("id,near\na,x\nb,a\nc,b\nd,\n", into=tree)

    assert codes(upload) == {2: ["foreign_key"], 3: ["foreign_key"], 4: ["foreign_key"]}
    assert keys(tree) == {'["d"]'}


def test_identical_twin_of_a_refused_row_is_refused_with_it(process, making):
    tree = making(to("", "near", "id"))

    upload = process("id,near\na,x\na,x\nb,\n", into=tree)

    assert codes(upload) == {2: ["foreign_key"], 3: ["foreign_key"]}


def test_record_that_the_file_retires_is_not_there(process, making):
    tree = making(to("", "near", "id"), mode="snapshot", retire_limit=100)
    process("id,near\na,\nb,\n", into=tree)

    upload = process("id,near\nb,a\nc,\n", into=tree)

    assert codes(upload) == {2: ["foreign_key"]}
    # The refused row has a key, so its record stays; the other is absent and goes.
    assert (upload.retired, keys(tree)) == (1, {'["b"]', '["c"]'})


def test_datasets_that_refer_to_each_other_are_stored_one_after_the_other(process, making, cities):
    stations = making(to("cities", "city", "name"))
    cities_schema = cities.schema_versions.get()
    type(cities_schema).objects.filter(pk=cities_schema.pk).update(
        schema={**CITIES, "foreignKeys": [to("stations", "name", "id")]}
    )
    process("id,city\nKöln,\nBonn,\n", into=stations)

    assert process("land,code,name\nDE,1,Köln\nDE,2,Bonn\n", into=cities).state == "processed"
    assert process("id,city\nKöln,Bonn\n", into=stations).state == "processed"
