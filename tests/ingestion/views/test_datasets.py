"""Datasets: the list, one of them, making one, and changing its schema while others do too."""

import json
import re

import pytest
from django.urls import reverse

from ingestion.models import Dataset, SchemaVersion
from tests.factories import DatasetFactory, UploadFactory
from tests.ingestion.views.conftest import HTMX, text_of

pytestmark = pytest.mark.django_db(transaction=True)
LIST, NEW = reverse("datasets"), reverse("dataset_new")
SCHEMA = {
    "fields": [
        {"name": "id", "type": "string", "constraints": {"required": True}},
        {"name": "height", "title": "Height", "type": "number", "constraints": {"maximum": 9, "minimum": 1}},
    ],
    "primaryKey": ["id"],
}


def place(name, dataset):
    return reverse(name, args=[dataset.organisation.slug, dataset.slug])


@pytest.mark.parametrize(("number", "queries"), [(1, 12), (3, 12)])
def test_list_asks_as_much_however_many_rows(as_manager, north, number, queries, django_assert_num_queries):
    for dataset in DatasetFactory.create_batch(number, organisation=north):
        UploadFactory(dataset=dataset)

    with django_assert_num_queries(queries):
        answer = as_manager.get(LIST)

    assert text_of(answer).count('<th scope="row">') == number


def test_list_shows_only_the_own_organisation(as_uploader, as_manager, as_operator, stations):
    DatasetFactory(title="Elsewhere")

    assert "Elsewhere" not in text_of(as_uploader.get(LIST))
    assert "Elsewhere" in text_of(as_operator.get(LIST))
    assert NEW in text_of(as_manager.get(LIST))
    assert NEW not in text_of(as_uploader.get(LIST))


def test_part_for_htmx_is_the_table_alone(as_manager, stations):
    assert re.match(r'\s*<section class="panel" id="datasets-table">', text_of(as_manager.get(LIST, **HTMX)))


@pytest.mark.parametrize(("number", "queries"), [(1, 12), (3, 12)])
def test_dataset_asks_as_much_however_many_uploads(
    as_manager, stations, number, queries, django_assert_num_queries
):
    UploadFactory.create_batch(number, dataset=stations)

    with django_assert_num_queries(queries):
        answer = as_manager.get(place("dataset", stations))

    assert text_of(answer).count("stations.csv") == number


def test_dataset_shows_its_columns_as_a_person_reads_them(as_uploader, north, sent):
    dataset = DatasetFactory(organisation=north, schema=SCHEMA)

    answer = text_of(as_uploader.get(place("dataset", dataset)))

    assert "key, required" in answer
    assert "at least 1, at most 9" in answer
    assert place("dataset_schema", dataset) not in answer
    assert "Nothing was sent yet" in answer


@pytest.mark.parametrize("name", ["dataset", "dataset_schema", "records"])
def test_dataset_of_another_tenant_is_not_found(as_stranger, stations, name):
    assert as_stranger.get(place(name, stations)).status_code == 404


@pytest.mark.parametrize("address", [NEW, None])
def test_uploader_may_not_manage(as_uploader, stations, address):
    address = address or place("dataset_schema", stations)

    assert as_uploader.get(address).status_code == 403
    assert as_uploader.post(address, {}).status_code == 403


@pytest.fixture
def filled(north):
    return {
        "organisation": str(north.pk), "title": "Wells", "slug": "wells", "schema": json.dumps(SCHEMA),
    }  # fmt: skip


def test_dataset_is_made(as_manager, filled):
    answer = as_manager.post(NEW, filled, follow=True)

    made = Dataset.objects.get()
    assert answer.redirect_chain == [(place("dataset", made), 302)]
    assert "Wells is made." in text_of(answer)
    assert made.locale == made.organisation.locale
    assert made.schema_versions.get().schema == SCHEMA


def field_errors(answer, name):
    found = re.search(rf'<ul[^>]*id="id_{name}_error".*?</ul>', text_of(answer), re.DOTALL)
    return re.findall(r"<li>(.*?)</li>", found[0]) if found else []


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        ('{"fields": [}', ["This is not JSON: line 1, column 13: Expecting value."]),
        ("[1]", ["A schema is a JSON object with “fields”."]),
        ("[" * 200_000, ["This is nested too deeply to be a schema."]),
    ],
)
def test_schema_that_is_no_schema_is_kept_as_typed(as_manager, filled, schema, errors):
    answer = as_manager.post(NEW, filled | {"schema": schema})

    assert answer.status_code == 422
    assert field_errors(answer, "schema") == errors
    assert schema[:10].replace('"', "&quot;") in text_of(answer)


def test_problems_of_a_schema_are_listed_with_their_places(as_manager, filled):
    wrong = {"fields": [{"name": "a", "type": "strnig"}, {"name": "a"}], "primaryKey": ["b"]}

    answer = as_manager.post(NEW, filled | {"schema": json.dumps(wrong)})

    errors = field_errors(answer, "schema")
    assert answer.status_code == 422
    assert len(errors) >= 3
    assert any(error.startswith("fields[0].type: ") for error in errors)
    assert Dataset.objects.count() == 0


def test_slug_that_is_taken_is_refused_at_its_field(as_manager, filled, stations):
    answer = as_manager.post(NEW, filled | {"slug": "stations"})

    assert answer.status_code == 422
    assert field_errors(answer, "slug") == ["There is a dataset stations already. Choose another."]


def test_dataset_cannot_be_made_for_another_tenant(as_stranger, filled):
    answer = as_stranger.post(NEW, filled)

    assert (answer.status_code, Dataset.objects.count()) == (422, 0)


def version_in(answer):
    return re.search(r'name="version" value="(\d+)"', text_of(answer))[1]


def test_schema_is_changed_to_its_next_version(as_manager, stations):
    address = place("dataset_schema", stations)
    version = version_in(as_manager.get(address))

    answer = as_manager.post(address, {"version": version, "schema": json.dumps(SCHEMA)}, follow=True)

    assert "The schema is at version 2." in text_of(answer)
    assert stations.schema_versions.latest("number").schema == SCHEMA


def test_same_schema_again_changes_nothing(as_manager, stations):
    same = json.dumps(stations.schema_versions.get().schema)

    answer = as_manager.post(place("dataset_schema", stations), {"version": "1", "schema": same}, follow=True)

    assert "Nothing was changed: version 1 says the same." in text_of(answer)
    assert stations.schema_versions.count() == 1


def test_change_made_meanwhile_is_shown_with_its_maker_and_nothing_typed_is_lost(
    as_manager, manager, stations
):
    address = place("dataset_schema", stations)
    opened = version_in(as_manager.get(address))
    manager.first_name, manager.last_name = "Mira", "Novak"
    manager.save()
    SchemaVersion.objects.create(dataset=stations, number=2, schema=SCHEMA, made_by=manager)
    mine = SCHEMA | {"fields": [*SCHEMA["fields"], {"name": "depth", "type": "number"}]}

    answer = as_manager.post(address, {"version": opened, "schema": json.dumps(mine)})

    shown = text_of(answer)
    assert answer.status_code == 422
    assert "Mira Novak made version 2" in shown
    assert "depth" in shown
    assert version_in(answer) == "2"
    as_manager.post(address, {"version": "2", "schema": json.dumps(mine)})
    assert stations.schema_versions.latest("number").schema == mine


def test_form_that_lost_its_version_says_so(as_manager, stations):
    answer = as_manager.post(place("dataset_schema", stations), {"schema": json.dumps(SCHEMA)})

    assert answer.status_code == 422
    assert "Version: This field is required." in text_of(answer)


def test_key_that_records_stand_under_is_kept(as_manager, stations, sent):
    sent("id,amount\na,1\n")
    other = SCHEMA | {"primaryKey": ["height"]}

    answer = as_manager.post(place("dataset_schema", stations), {"version": "1", "schema": json.dumps(other)})

    assert answer.status_code == 422
    assert "The dataset has records" in field_errors(answer, "schema")[0]
