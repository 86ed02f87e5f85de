"""The history of one record, and finding it by its key."""

import pytest

from accounts.principals import Principal
from ingestion import record_history, records, reprocessing
from ingestion.models import Record, SchemaVersion, Upload
from tests.factories import DatasetFactory, UserFactory
from tests.ingestion.conftest import work_on

pytestmark = pytest.mark.django_db(transaction=True)

SNAPSHOT = "id,amount\na,1\nb,2\n"


def history(record, **how):
    return record_history.page_of(Record.objects.get(pk=record.pk), cursor=None, **how)


def told(versions):
    return [
        (each.number, each.kind, {change.name: (change.before, change.after) for change in each.changes})
        for each in versions.items
    ]


def test_record_of_one_upload_has_one_version(process):
    upload = process("id,amount\na,1\n")

    versions = history(Record.objects.get())

    assert told(versions) == [(1, "new", {"amount": (None, 1), "id": (None, "a")})]
    assert (versions.items[0].upload, versions.items[0].at) == (upload, upload.finished_at)


def test_each_version_names_the_upload_that_wrote_it_and_what_changed(process):
    uploads = [process(f"id,amount\na,{number}\n", filename=f"{number}.csv") for number in (1, 2, 3)]

    versions = history(Record.objects.get())

    assert told(versions) == [
        (3, "changed", {"amount": (2, 3)}),
        (2, "changed", {"amount": (1, 2)}),
        (1, "new", {"amount": (None, 1), "id": (None, "a")}),
    ]
    assert [each.upload for each in versions.items] == uploads[::-1]


def test_mending_by_hand_has_who_and_why(process, by):
    process("id,amount\na,1\n")
    record = Record.objects.get()

    records.mend(record=record, data={"id": "a", "amount": 7}, by=by.user, why="a slip")
    process("id,amount\na,8\n")

    changed, mended, new = history(record).items
    assert (changed.kind, mended.kind, new.kind) == ("changed", "mended", "new")
    assert (mended.upload, mended.decision.why) == (None, "a slip")
    assert [(each.before, each.after) for each in mended.changes] == [(1, 7)]


def test_retired_and_returned_are_versions_of_their_own(process, dataset):
    dataset.mode, dataset.retire_limit = "snapshot", 100
    dataset.save()
    process(SNAPSHOT)
    without = process("id,amount\na,1\n")
    again = process("id,amount\na,1\nb,2\n")

    versions = history(Record.objects.get(data__id="b"))

    assert told(versions)[:2] == [(3, "returned", {}), (2, "retired", {})]
    assert [each.upload for each in versions.items[:2]] == [again, without]


def test_reading_again_is_a_version_too(process, dataset, by):
    first = process("id,amount\na,1\n")
    schema = {
        "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "string"}],
        "primaryKey": ["id"],
    }
    SchemaVersion.objects.create(dataset=dataset, number=2, schema=schema)
    again = work_on(reprocessing.reprocess(upload=first, by=by).upload)

    newest = history(Record.objects.get()).items[0]

    assert (newest.upload, [(each.before, each.after) for each in newest.changes]) == (again, [(1, "1")])


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 10])
def test_pages_join_without_a_gap(process, limit):
    for number in range(6):
        process(f"id,amount\na,{number}\n")
    record = Record.objects.get()

    seen, cursor = [], None
    while True:
        page = record_history.page_of(record, cursor=cursor, limit=limit)
        seen += [
            (each.number, [change.after for change in each.changes if change.name == "amount"])
            for each in page.items
        ]
        if (cursor := page.next_cursor) is None:
            break

    assert seen == [(number + 1, [number]) for number in range(5, -1, -1)]


@pytest.mark.parametrize("text", ['["a/b"]', "a/b"])
def test_found_by_the_kept_key_and_by_its_value(process, dataset, text):
    process("id,amount\na/b,1\n")

    assert record_history.find(dataset.pk, text) == Record.objects.get()


def test_number_is_an_id_unless_it_is_said_to_be_a_key(process):
    fields = [{"name": "id", "type": "integer"}, {"name": "amount", "type": "integer"}]
    dataset = DatasetFactory(schema={"fields": fields, "primaryKey": ["id"]})
    process("id,amount\n5,1\n6,2\n", into=dataset)
    five = Record.objects.get(data__id=5)

    assert record_history.find(dataset.pk, str(five.pk)) == five
    assert record_history.find(dataset.pk, "5", by="key") == five
    assert record_history.find(dataset.pk, "[5]") == five
    assert record_history.find(dataset.pk, "5", by="id") == (five if five.pk == 5 else None)


def test_key_of_several_fields_is_found_as_it_is_shown(process):
    fields = [{"name": "id", "type": "string"}, {"name": "amount", "type": "string"}]
    dataset = DatasetFactory(schema={"fields": fields, "primaryKey": ["id", "amount"]})
    process("id,amount\nNorth,Ä 1\n", into=dataset)

    assert record_history.find(dataset.pk, "North / Ä 1") == Record.objects.get()


def test_record_of_another_dataset_is_not_found(process, dataset):
    process("id,amount\na,1\n")
    other = DatasetFactory()

    assert record_history.find(other.pk, "a") is None
    assert record_history.find(other.pk, str(Record.objects.get().pk)) is None


def test_api_tells_a_record_and_its_history(api, send, stations):
    first = work_on(Upload.objects.get(pk=send(b"id,amount\na,1\n").json()["id"]))
    record = Record.objects.get()
    records.mend(
        record=record,
        data={"id": "a", "amount": 7},
        by=Principal(UserFactory(first_name="Eve", last_name="Low")),
        why="a slip",
    )

    body = api("get", "/datasets/stations/records/a").json()
    listed = api("get", body["links"]["history"]).json()

    assert (body["id"], body["key"], body["data"], body["version"], body["retired_at"]) == (
        record.pk, '["a"]', {"id": "a", "amount": 7}, 2, None,
    )  # fmt: skip
    assert [(item["version"], item["kind"], item["by"], item["why"]) for item in listed["items"]] == [
        (2, "mended", "Eve Low", "a slip"),
        (1, "new", first.uploaded_by_label, None),
    ]
    assert listed["items"][0]["changes"] == [{"field": "amount", "before": 1, "after": 7}]
    assert api("get", "/datasets/stations/records/nothing").json()["code"] == "record_not_found"
    assert (
        api("get", f"/datasets/stations/records/{record.pk}/history?cursor=x").json()["code"] == "bad_cursor"
    )
