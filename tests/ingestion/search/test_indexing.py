"""From a changed record to the index: noted by the database, applied by a leased run."""

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from ingestion import records
from ingestion.models import IndexChange, IndexUpdate, ParkedDocument, Record
from ingestion.search import changes, comparing, pipelines, updating
from ingestion.search.index import index
from ingestion.search.protocol import Query
from tests.ingestion.search.conftest import expected, indexed, run_one, settle
from work import attention, deliveries

pytestmark = pytest.mark.django_db(transaction=True)


def found(dataset, text):
    return index().search(dataset.pk, Query(text=text)).ids


def test_upload_is_found_once_its_run_is_done(process, dataset):
    upload = process(
        "id,name,amount,opened,open,note\na,Kraków,1,2024-01-01,true,x\nb,Łódź,2,,false,\n", into=dataset
    )
    assert upload.state == "processed"
    assert changes.waiting(dataset.pk).pending == 2
    assert found(dataset, "krakow") == []

    settle(dataset)

    assert [Record.objects.get(pk=pk).data["id"] for pk in found(dataset, "krakow")] == ["a"]
    assert changes.waiting(dataset.pk).pending == 0
    assert comparing.is_equal(dataset.pk)
    assert IndexUpdate.objects.get().applied == 2


def test_event_of_an_upload_wakes_a_run(process, dataset):
    process("id,name,amount,opened,open,note\na,x,1,,,\n", into=dataset)

    while run_one(deliveries.PIPELINE):
        pass

    assert IndexUpdate.objects.get().dataset == dataset


def test_mended_record_is_found_by_its_new_values_only(dataset, store, by):
    (record,) = store(dataset, {"a": {"name": "before"}})
    settle(dataset)

    records.mend(record=record, data={"id": "a", "name": "after"}, by=by, why="typo")
    settle(dataset)

    assert found(dataset, "after") == [record.pk]
    assert found(dataset, "before") == []


def test_retired_record_is_found_no_more_and_comes_back(dataset, store):
    (record,) = store(dataset, {"a": {"name": "x"}})
    settle(dataset)

    Record.objects.filter(pk=record.pk).update(retired_at=timezone.now())
    settle(dataset)
    assert indexed(dataset) == {}

    Record.objects.filter(pk=record.pk).update(retired_at=None, version=F("version") + 1)
    settle(dataset)
    assert indexed(dataset) == {record.pk: 4}


def test_deleted_record_is_found_no_more(dataset, store):
    store(dataset, {"a": {"name": "x"}, "b": {"name": "x"}})
    settle(dataset)

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM ingestion_record WHERE key = %s", ['["a"]'])
    settle(dataset)

    assert len(indexed(dataset)) == 1
    assert comparing.is_equal(dataset.pk)


def test_large_note_is_applied_in_batches(dataset, store, monkeypatch):
    monkeypatch.setattr(changes, "BATCH", 100)
    store(dataset, {str(number): {"name": f"n{number}"} for number in range(230)})
    assert IndexChange.objects.count() < 5

    taken = changes.take(dataset.pk)

    assert len(taken.records) <= changes.BATCH
    assert changes.waiting(dataset.pk).pending == 230
    settle(dataset)
    assert indexed(dataset) == expected(dataset)


def test_small_notes_are_taken_together(dataset, store):
    for key in "abc":
        store(dataset, {key: {"name": "x"}})

    taken = changes.take(dataset.pk)

    assert (len(taken.notes), len(taken.records)) == (3, 3)


def test_note_written_after_the_last_look_gets_a_run_of_its_own(dataset, store, monkeypatch):
    store(dataset, {"a": {"name": "x"}})
    updating.want_all()
    take = changes.take

    def take_late(pk):
        taken = take(pk)
        if taken is None:
            store(dataset, {"b": {"name": "x"}})
        return taken

    monkeypatch.setattr(changes, "take", take_late)
    run_one(pipelines.UPDATES)

    assert IndexUpdate.objects.unfinished().filter(dataset=dataset).count() == 1


def test_one_run_of_a_dataset_is_unfinished_at_a_time(dataset, store):
    store(dataset, {"a": {"name": "x"}})

    assert updating.want_all() == 1
    assert updating.want_all() == 0
    assert updating.want(dataset) is False


def test_refused_record_is_parked_shown_and_tried_again(dataset, store):
    store(dataset, {"a": {"name": "x"}, "b": {"note": "long " * 200_000}})
    settle(dataset)

    parked = ParkedDocument.objects.get()
    assert parked.reason == "text_too_long"
    assert len(indexed(dataset)) == 1
    assert comparing.is_equal(dataset.pk)
    assert [case.kind for case in attention.cases(None, kind="search_parked")] == ["search_parked"]

    updating.retry_parked(dataset)
    settle(dataset)
    assert ParkedDocument.objects.count() == 1

    Record.objects.filter(pk=parked.record).update(data={"id": "b", "note": "short"}, version=2)
    settle(dataset)
    assert not ParkedDocument.objects.exists()
    assert indexed(dataset) == expected(dataset)


def test_equal_keys_of_two_tenants_stay_apart(dataset, other, store):
    store(dataset, {"a": {"name": "ours"}})
    store(other, {"a": {"name": "theirs"}})
    settle(dataset)
    settle(other)

    assert len(found(dataset, "ours")) == 1
    assert found(dataset, "theirs") == []
    assert found(other, "ours") == []
