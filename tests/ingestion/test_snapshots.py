"""Files that are the whole of a dataset: records that are absent from one are retired, and may come back."""

import pytest

from ingestion.models import Dataset, Record, RecordVersion, Upload
from ingestion.states import UploadState
from tests.factories import DatasetFactory
from tests.ingestion.conftest import work_on
from work.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

FOUR = "id,amount\na,1\nb,2\nc,3\nd,4\n"
UNIQUE = {
    "fields": [{"name": "id"}, {"name": "amount", "type": "integer", "constraints": {"unique": True}}],
    "primaryKey": "id",
}


@pytest.fixture
def whole(db):
    return DatasetFactory(mode="snapshot", retire_limit=50)


def current(dataset):
    records = Record.objects.filter(dataset=dataset, retired_at=None)
    return {record.data["id"]: record.data["amount"] for record in records}


def said(upload):
    return {each["code"]: each["detail"] for each in upload.assumptions}


def test_absent_record_is_retired_and_keeps_its_values(process, whole):
    first = process(FOUR, into=whole)

    upload = process("id,amount\na,1\nb,20\nc,3\n", into=whole)

    assert (upload.state, upload.retired, upload.updated, upload.unchanged) == ("processed", 1, 1, 2)
    assert current(whole) == {"a": 1, "b": 20, "c": 3}
    retired = Record.objects.get(key='["d"]')
    assert (retired.data, retired.version, retired.upload) == ({"id": "d", "amount": 4}, 2, upload)
    earlier = RecordVersion.objects.get(key='["d"]')
    assert (earlier.version, earlier.upload, earlier.replaced_by) == (1, first, upload)
    assert not earlier.retired
    assert Event.objects.get(type="upload.processed", subject_id=upload.pk).payload["retired"] == 1


def test_retired_record_comes_back_with_its_row(process, whole):
    process(FOUR, into=whole)
    process("id,amount\na,1\nb,2\nc,3\n", into=whole)

    upload = process(FOUR, into=whole)

    assert (upload.updated, upload.inserted, upload.unchanged) == (1, 0, 3)
    back = Record.objects.get(key='["d"]')
    assert (back.retired_at, back.version) == (None, 3)
    versions = RecordVersion.objects.filter(key='["d"]').order_by("version")
    assert [(each.version, each.retired) for each in versions] == [(1, False), (2, True)]


def test_retired_record_that_stays_absent_is_not_touched_again(process, whole):
    process(FOUR, into=whole)
    three = "id,amount\na,1\nb,2\nc,3\n"
    process(three, into=whole)

    assert process(three, into=whole).retired == 0
    assert Record.objects.get(key='["d"]').version == 2


def test_refused_row_with_a_key_is_not_absent(process, whole):
    process(FOUR, into=whole)

    upload = process("id,amount\na,1\nb,2\nc,many\n", into=whole)

    assert (upload.state, upload.refused, upload.retired) == ("partial", 1, 1)
    assert current(whole) == {"a": 1, "b": 2, "c": 3}


def test_row_whose_key_cannot_be_read_stops_retirement(process, whole):
    process(FOUR, into=whole)

    upload = process("id,amount\na,1\nb,2\n,3\n", into=whole)

    assert (upload.state, upload.retired) == ("partial", 0)
    assert said(upload)["retirement_stopped"] == {"rows": 1}
    assert len(current(whole)) == 4


@pytest.mark.parametrize("content", ["id,amount\n", "id,amount\na,x\n", "amount\n1\n", ""])
def test_file_that_stores_nothing_retires_nothing(process, accept, whole, content):
    process(FOUR, into=whole)

    if content:
        assert process(content, into=whole).state == UploadState.FAILED

    assert len(current(whole)) == 4


def test_older_snapshot_than_the_newest_stores_nothing(accept, whole):
    older, newer = accept(FOUR, into=whole), accept("id,amount\na,10\n", into=whole)
    Upload.objects.filter(pk=older.pk).update(due_at="2100-01-01T00:00Z")
    work_on(newer)
    Upload.objects.filter(pk=older.pk).update(due_at="2020-01-01T00:00Z")

    upload = work_on(older)

    assert (upload.state, upload.superseded, upload.retired) == ("processed", 4, 0)
    assert current(whole) == {"a": 10}


def test_more_than_the_share_asks_and_stores_nothing(process, whole):
    process(FOUR, into=whole)

    upload = process("id,amount\na,10\n", into=whole)

    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "confirm_retirement")
    assert upload.asking["retirement"] == {
        "retire": 3, "records": 4, "share": 75.0, "limit": 50, "version": 1, "examples": ["b", "c", "d"],
    }  # fmt: skip
    assert current(whole) == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert not RecordVersion.objects.exists()


def test_confirmed_retirement_goes_on(process, whole):
    process(FOUR, into=whole)

    upload = process("id,amount\na,10\n", into=whole, reading={"confirm": ["retire:1"]})

    assert (upload.state, upload.retired) == ("processed", 3)
    assert current(whole) == {"a": 10}


def test_confirmation_is_void_when_the_dataset_moved(process, whole):
    process(FOUR, into=whole)
    process(FOUR + "e,5\n", into=whole)

    upload = process("id,amount\na,10\n", into=whole, reading={"confirm": ["retire:1"]})

    assert upload.state == UploadState.NEEDS_ANSWER
    assert (upload.asking["retirement"]["version"], upload.asking["retirement"]["retire"]) == (2, 4)


def test_sender_that_wants_no_question_gets_a_failure(process, whole):
    process(FOUR, into=whole)

    upload = process("id,amount\na,10\n", into=whole, on_doubt="fail")

    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "confirm_retirement")
    assert len(current(whole)) == 4


def test_share_of_a_hundred_never_asks(process, whole):
    Dataset.objects.update(retire_limit=100)
    process(FOUR, into=whole)

    assert process("id,amount\na,10\n", into=whole).retired == 3


def test_file_that_mends_rows_retires_nothing(process, whole):
    first = process("id,amount\na,1\nb,many\n", into=whole)

    upload = process("id,amount\nb,2\n", into=whole, mends=first.pk)

    assert (upload.state, upload.inserted, upload.retired) == ("processed", 1, 0)
    assert current(whole) == {"a": 1, "b": 2}


def test_value_of_a_record_that_goes_is_free(process):
    whole = DatasetFactory(mode="snapshot", retire_limit=100, schema=UNIQUE)
    process("id,amount\na,1\nb,2\n", into=whole)

    upload = process("id,amount\na,1\nc,2\n", into=whole)

    assert (upload.state, upload.retired) == ("processed", 1)
    assert current(whole) == {"a": 1, "c": 2}


def test_value_of_a_record_that_stays_after_all_is_taken(process):
    whole = DatasetFactory(mode="snapshot", retire_limit=100, schema=UNIQUE)
    process("id,amount\na,1\nb,2\n", into=whole)

    upload = process("id,amount\na,1\nc,2\n,3\n", into=whole)

    assert (upload.refused, upload.retired) == (2, 0)
    assert current(whole) == {"a": 1, "b": 2}


def test_upsert_retires_nothing(process, dataset):
    process(FOUR)

    assert process("id,amount\na,1\n").retired == 0
    assert len(current(dataset)) == 4
