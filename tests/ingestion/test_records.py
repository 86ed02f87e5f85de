"""Mending one record by hand, by the verb and through the Django admin."""

import json

import pytest

from ingestion import records
from ingestion.invariants import EVERY
from ingestion.models import Dataset, Record, RecordVersion
from tests.factories import DatasetFactory, UserFactory
from work.failures import StateChanged
from work.models import Decision, Event

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def record(process, dataset):
    process("id,amount\na,1\nb,2\n")
    return Record.objects.get(key='["a"]')


def test_mended_value_takes_everything_along(record, by, process):
    mended = records.mend(record=record, data={"id": "a", "amount": 7}, by=by, why="A typing mistake.")

    assert (mended.data, mended.version) == ({"id": "a", "amount": 7}, 2)
    earlier = RecordVersion.objects.get()
    assert (earlier.data["amount"], earlier.version, earlier.replaced_by) == (1, 1, None)
    decision = Decision.objects.get(what="record.mended")
    assert (decision.why, decision.by, decision.after["fields"]) == ("A typing mistake.", by.user, ["amount"])
    assert Event.objects.filter(type="record.mended").count() == 1
    assert not [breach for invariant in EVERY for breach in invariant.check(True)]


def test_digest_follows_so_that_the_same_file_value_is_unchanged(record, by, process):
    records.mend(record=record, data={"id": "a", "amount": 7}, by=by, why="w")

    upload = process("id,amount\na,7\n")

    assert (upload.unchanged, upload.updated) == (1, 0)


def test_same_values_change_nothing(record, by):
    assert records.mend(record=record, data={"id": "a", "amount": 1}, by=by, why="w").version == 1
    assert not Decision.objects.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"id": "a", "amount": "many"}, "whole number"),
        ({"id": "z", "amount": 1}, "another key"),
        ({"id": "a", "colour": 1}, "no field colour"),
        ({"id": None, "amount": None}, "blank|required"),
    ],
)
def test_value_that_the_schema_refuses_is_refused(record, by, data, said):
    with pytest.raises(records.NotValid, match=said):
        records.mend(record=record, data=data, by=by, why="w")

    assert Record.objects.get(pk=record.pk).version == 1


def test_unique_value_of_another_record_is_refused(by, process):
    fields = [{"name": "id"}, {"name": "amount", "type": "integer", "constraints": {"unique": True}}]
    unique = DatasetFactory(schema={"fields": fields, "primaryKey": "id"})
    process("id,amount\na,1\nb,2\n", into=unique)

    with pytest.raises(records.NotValid, match="stored already"):
        records.mend(record=Record.objects.get(key='["a"]'), data={"id": "a", "amount": 2}, by=by, why="w")


def test_record_that_moved_meanwhile_is_left_alone(record, by, process):
    process("id,amount\na,5\n")

    with pytest.raises(StateChanged):
        records.mend(record=record, data={"id": "a", "amount": 7}, by=by, why="w")

    assert Record.objects.get(pk=record.pk).data["amount"] == 5


@pytest.fixture
def administrator(client, db):
    client.force_login(UserFactory(administrator=True))
    return client


def test_admin_mends_a_record_with_a_reason(record, administrator):
    url = f"/admin/ingestion/record/{record.pk}/change/"
    shown = json.dumps(record.data)

    refused = administrator.post(url, {"data": '{"id": "a", "amount": 9}', "initial-data": shown})
    administrator.post(
        url, {"data": '{"id": "a", "amount": 9}', "initial-data": shown, "reason": "It was 9."}
    )

    assert refused.status_code == 200
    assert Record.objects.get(pk=record.pk).data["amount"] == 9
    assert Decision.objects.get(what="record.mended").why == "It was 9."


def test_admin_tells_what_the_checks_refuse(record, administrator):
    url = f"/admin/ingestion/record/{record.pk}/change/"
    sent = {"data": '{"id": "a", "amount": "x"}', "initial-data": json.dumps(record.data), "reason": "r"}

    answer = administrator.post(url, sent, follow=True)

    assert "whole number" in answer.content.decode()
    assert Record.objects.get(pk=record.pk).version == 1


def test_admin_changes_the_title_of_a_dataset(dataset, administrator):
    url = f"/admin/ingestion/dataset/{dataset.pk}/change/"
    shown = {"initial-title": dataset.title, "initial-locale": "en", "locale": "en"}

    administrator.post(url, {"title": "Stations", **shown, "reason": "Shorter."})

    assert Dataset.objects.get().title == "Stations"
    assert Decision.objects.get(what="dataset.changed").after == {"title": "Stations"}


@pytest.mark.parametrize(
    "table", ["upload", "schemaversion", "rowerror", "report", "recordversion", "errorcount"]
)
def test_admin_shows_the_rest_read_only(record, administrator, table):
    assert administrator.get(f"/admin/ingestion/{table}/").status_code == 200
    assert administrator.get(f"/admin/ingestion/{table}/add/").status_code == 403
