"""Foreign keys of a schema: to what they may refer, and what may not be taken from under them."""

import pytest

from accounts.principals import Principal
from ingestion import datasets, references
from tests.factories import DatasetFactory, UserFactory
from work.problems import Problem

pytestmark = pytest.mark.django_db

CITIES = {
    "fields": [
        {"name": "country"},
        {"name": "code", "type": "integer"},
        {"name": "name", "constraints": {"unique": True}},
        {"name": "mayor"},
    ],
    "primaryKey": ["country", "code"],
}


def stations(*keys, **types):
    fields = [{"name": name, "type": types.get(name, "string")} for name in ("id", "land", "city", "near")]
    return {"fields": fields, "primaryKey": "id", "foreignKeys": list(keys)}


def to(resource, fields, names):
    return {"fields": fields, "reference": {"resource": resource, "fields": names}}


@pytest.fixture
def cities():
    return DatasetFactory(slug="cities", title="Cities", schema=CITIES)


@pytest.fixture
def create(cities):
    def create(schema, slug="stations"):
        return datasets.create(
            organisation=cities.organisation, slug=slug, title="Stations", schema=schema,
            by=Principal(UserFactory()),
        )  # fmt: skip

    return create


def test_reference_to_a_key_is_put_into_the_order_of_the_key(create, cities):
    schema = stations(to("cities", ["city", "land"], ["code", "country"]), city="integer")

    (found,) = references.resolve(create(schema), schema)

    assert found.dataset_id == cities.pk
    assert (found.fields, found.target_fields) == (("land", "city"), ("country", "code"))
    assert found.is_key
    assert not found.is_self


@pytest.mark.parametrize("resource", ["", "stations"])
def test_reference_to_the_dataset_itself(create, resource):
    schema = stations(to(resource, "near", "id"))

    (found,) = references.resolve(create(schema), schema)

    assert found.is_key
    assert found.is_self


def test_reference_to_a_unique_field(create):
    schema = stations(to("cities", "city", "name"))

    (found,) = references.resolve(create(schema), schema)

    assert not found.is_key
    assert found.target_fields == ("name",)


@pytest.mark.parametrize(
    ("key", "place", "code"),
    [
        (to("towns", "city", "name"), "foreignKeys[0].reference.resource", "unknown_dataset"),
        (to("cities", "city", "mayor"), "foreignKeys[0].reference.fields", "not_a_key"),
        (to("cities", "city", "code"), "foreignKeys[0].reference.fields", "not_a_key"),
        (
            to("cities", ["land", "city"], ["country", "code"]),
            "foreignKeys[0].reference.fields",
            "other_type",
        ),
        (to("", "near", "city"), "foreignKeys[0].reference.fields", "not_a_key"),
    ],
)
def test_reference_to_what_is_no_key_is_refused(create, key, place, code):
    with pytest.raises(Problem) as refusal:
        create(stations(key))

    assert refusal.value.code == "schema_not_valid"
    assert [(error["at"], error["code"]) for error in refusal.value.extra["errors"]] == [(place, code)]


def test_dataset_of_another_organisation_is_not_there(create):
    DatasetFactory(slug="elsewhere", schema=CITIES)

    with pytest.raises(Problem) as refusal:
        create(stations(to("elsewhere", "city", "name")))

    assert refusal.value.extra["errors"][0]["code"] == "unknown_dataset"


@pytest.mark.parametrize("change", [{"constraints": {}}, {"type": "any"}, {"name": "title"}])
def test_field_that_others_refer_to_stays_as_it_is(create, cities, change):
    create(stations(to("cities", "city", "name")))
    fields = [field | change if field["name"] == "name" else field for field in CITIES["fields"]]

    with pytest.raises(Problem) as refusal:
        datasets.change_schema(
            dataset=cities, schema={**CITIES, "fields": fields}, if_match=1, by=Principal(UserFactory())
        )

    assert (refusal.value.status, refusal.value.code) == (409, "field_referred_to")
    assert "Stations" in refusal.value.message
