"""How a dataset takes files: set when it is made, changed by its managers, with a reason."""

import pytest

from ingestion.models import Dataset
from tests.factories import DatasetFactory
from work.models import Decision

pytestmark = pytest.mark.django_db(transaction=True)
KEYLESS = {"fields": [{"name": "id"}]}
JSON = {"content_type": "application/json"}


def test_manager_changes_mode_and_limits_with_a_reason(api, stations):
    answer = api(
        "patch",
        "/datasets/stations",
        data={"mode": "snapshot", "refuse_limit": 5, "why": "Whole files now."},
        **JSON,
    )

    assert answer.status_code == 200
    body = answer.json()
    assert (body["mode"], body["retire_limit"], body["refuse_limit"]) == ("snapshot", 20, 5)
    decision = Decision.objects.get(what="dataset.changed")
    assert decision.why == "Whole files now."
    assert decision.before == {"mode": "upsert", "refuse_limit": None}
    assert decision.after == {"mode": "snapshot", "refuse_limit": 5}


def test_limit_is_taken_away_by_null(api, stations):
    Dataset.objects.update(refuse_limit=5)

    answer = api("patch", "/datasets/stations", data={"refuse_limit": None, "why": "x"}, **JSON)

    assert answer.json()["refuse_limit"] is None


def test_change_to_what_is_there_is_no_decision(api, stations):
    answer = api("patch", "/datasets/stations", data={"mode": "upsert", "why": "x"}, **JSON)

    assert answer.status_code == 200
    assert not Decision.objects.filter(what="dataset.changed").exists()


@pytest.mark.parametrize(
    "body",
    [
        {"mode": "snapshot"},
        {"mode": "other", "why": "x"},
        {"retire_limit": 101, "why": "x"},
        {"retire_limit": None, "why": "x"},
        {"refuse_limit": False, "why": "x"},
        {"slug": "new", "why": "x"},
        {"title": "", "why": "x"},
    ],
)
def test_change_that_makes_no_sense_is_refused(api, stations, body):
    answer = api("patch", "/datasets/stations", data=body, **JSON)

    assert (answer.status_code, answer.json()["code"]) == (422, "request_not_valid")


def test_snapshots_need_a_key(api, north):
    DatasetFactory(organisation=north, slug="keyless", schema=KEYLESS)

    change = api("patch", "/datasets/keyless", data={"mode": "snapshot", "why": "x"}, **JSON)
    new = {"slug": "new", "title": "New", "schema": KEYLESS, "mode": "snapshot"}
    make = api("post", "/datasets", data=new, **JSON)

    assert [answer.json()["code"] for answer in (change, make)] == ["snapshot_needs_key"] * 2


def test_snapshot_keeps_its_key(api, stations):
    Dataset.objects.update(mode="snapshot")

    answer = api("put", "/datasets/stations/schema", data=KEYLESS, headers={"If-Match": '"1"'}, **JSON)

    assert answer.json()["code"] == "snapshot_needs_key"


def test_dataset_is_made_with_mode_and_limits(api, north):
    schema = {**KEYLESS, "primaryKey": "id"}
    body = {
        "slug": "new",
        "title": "New",
        "schema": schema,
        "mode": "snapshot",
        "retire_limit": 0,
        "refuse_limit": 10,
    }

    made = api("post", "/datasets", data=body, **JSON).json()

    assert (made["mode"], made["retire_limit"], made["refuse_limit"]) == ("snapshot", 0, 10)


def test_schema_comes_back_as_it_was_sent(api, stations):
    schema = {
        "fields": [
            {
                "name": "id",
                "title": "Id",
                "description": "d",
                "example": "x",
                "constraints": {"enum": ["x", "y"]},
            },
            {"name": "n", "type": "number", "decimalChar": ",", "groupChar": ".", "bareNumber": False},
            {"name": "p", "type": "geopoint", "format": "array", "example": [1.5, 2]},
            {"name": "d", "type": "duration", "constraints": {"minimum": "PT0S"}, "missingValues": ["-"]},
        ],
        "primaryKey": ["id"],
        "foreignKeys": [{"fields": ["id"], "reference": {"resource": "", "fields": ["id"]}}],
        "missingValues": ["", "n/a"],
    }

    answer = api("put", "/datasets/stations/schema", data=schema, headers={"If-Match": '"1"'}, **JSON)

    assert answer.status_code == 200
    assert api("get", "/datasets/stations/schema").json()["schema"] == schema


def test_preview_tells_what_a_schema_would_refuse_and_changes_nothing(api, stations, process):
    process("id,amount\na,1\nb,20\n", into=stations)
    schema = {
        "fields": [{"name": "id"}, {"name": "amount", "type": "integer", "constraints": {"maximum": 10}}],
        "primaryKey": "id",
    }

    answer = api("post", "/datasets/stations/schema/preview", data=schema, **JSON)

    assert answer.status_code == 200
    body = answer.json()
    assert (body["records"], body["checked"], body["refused"]) == (2, 2, 1)
    assert body["groups"][0]["code"] == "maximum"
    assert stations.schema_versions.count() == 1


def test_preview_refuses_a_schema_that_is_none(api, stations):
    answer = api(
        "post", "/datasets/stations/schema/preview", data={"fields": [{"name": "a", "type": "x"}]}, **JSON
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "schema_not_valid")
