"""A rebuild in the background: searched all the while, nothing lost, gone on with where a worker died."""

import pytest
from django.db.models import F

from accounts.principals import Principal
from ingestion import datasets
from ingestion.models import Record, Reindex, SearchGeneration
from ingestion.search import comparing, documents, pipelines, rebuilding, reindexes
from ingestion.search.index import index
from ingestion.search.postgres import PostgresIndex
from ingestion.search.protocol import Query
from tests.factories import DatasetFactory
from tests.ingestion.search.conftest import SCHEMA, expected, indexed, rebuild, run_one, settle
from work import deliveries, leases
from work.failures import Stopping
from work.jobs import Job
from work.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(dataset, store, monkeypatch):
    monkeypatch.setattr(rebuilding, "BATCH", 4)
    store(dataset, {f"{number:03}": {"name": "old", "amount": number} for number in range(11)})
    settle(dataset)
    return dataset


def ask(dataset, **how):
    return reindexes.request(organisation=dataset.organisation, dataset=dataset, **how)[0]


def test_rebuild_swaps_in_what_the_records_hold(filled, by):
    before = index().live(filled.pk)
    Record.objects.filter(dataset=filled, key='["000"]').delete()

    done = rebuild(ask(filled, by=by))

    assert (done.state, done.records_done, done.datasets_done) == ("rebuilt", 10, 1)
    assert index().live(filled.pk) != before
    assert indexed(filled) == expected(filled)
    assert Event.objects.filter(type="search.rebuilt").count() == 1


def test_second_request_gives_the_rebuild_that_is_unfinished(filled, by):
    first, is_new = reindexes.request(organisation=filled.organisation, dataset=filled, by=by)
    again, is_second = reindexes.request(organisation=filled.organisation, dataset=filled, by=by)
    of_all, _ = reindexes.request(organisation=filled.organisation, by=by)

    assert (is_new, is_second) == (True, False)
    assert first == again != of_all
    assert rebuild(first).state == "rebuilt"
    assert ask(filled) != first


def test_writes_in_the_middle_of_a_rebuild_are_in_the_new_index(filled, store, monkeypatch, by):
    """Each batch is followed by changes behind it and before it, which a worker applies at once."""
    after = documents.after
    seen = []

    def write_and_read(dataset, key, *, limit):
        found = after(dataset, key, limit=limit)
        number = len(seen)
        seen.append(index().search(filled.pk, Query(text="old")).ids)
        store(filled, {f"00{number}x": {"name": "new"}, f"zz{number}": {"name": "new"}} if number < 3 else {})
        Record.objects.filter(dataset=filled, key=f'["00{number}"]').update(
            data={"name": "changed"}, version=F("version") + 1
        )
        Record.objects.filter(dataset=filled, key=f'["0{10 - number:02}"]').delete()
        settle(filled)
        return found

    monkeypatch.setattr(documents, "after", write_and_read)
    rebuild(ask(filled, by=by))
    settle(filled)

    assert all(seen)
    assert indexed(filled) == expected(filled)
    assert len(index().search(filled.pk, Query(text="new")).ids) == 6
    assert comparing.is_equal(filled.pk)


def test_next_attempt_goes_on_where_the_last_one_died(filled, by, monkeypatch):
    asked = ask(filled, by=by)
    fill = PostgresIndex.fill
    filled_ids = []

    def fill_twice(self, generation, found):
        if len(filled_ids) == 8:
            raise Stopping
        filled_ids.extend(document.id for document in found)
        return fill(self, generation, found)

    monkeypatch.setattr(PostgresIndex, "fill", fill_twice)
    run_one(pipelines.REINDEXES)
    monkeypatch.setattr(PostgresIndex, "fill", fill)
    stands = Reindex.objects.get(pk=asked.pk)

    done = rebuild(asked)

    assert stands.records_done == 8
    assert (done.state, done.records_done) == ("rebuilt", 11)
    assert indexed(filled) == expected(filled)
    assert not SearchGeneration.objects.filter(state="filling").exists()


def test_late_worker_moves_nothing(filled, by):
    asked = ask(filled, by=by)
    late = leases.claim_next(pipelines.REINDEXES)
    Reindex.objects.filter(pk=asked.pk).update(
        lease_token=None,
        locked_until=None,
        due_at=asked.accepted_at or late.row.started_at,
        state="requested",
    )

    with pytest.raises(Exception, match="taken"):
        rebuilding.rebuild(Job(late), None)

    assert Reindex.objects.get(pk=asked.pk).generation == ""
    assert not SearchGeneration.objects.filter(state="filling").exists()


def test_rebuild_that_is_given_up_leaves_the_old_index(filled, by):
    asked = ask(filled, by=by)
    Reindex.objects.filter(pk=asked.pk).update(generation=index().begin_rebuild(filled.pk, ()).key)

    ending = reindexes.failed(Reindex.objects.get(pk=asked.pk), "unforeseen_error", {})

    assert ending.state == "failed"
    assert index().rebuilds() == []
    assert indexed(filled) == expected(filled)


def test_rebuild_whose_index_vanished_begins_it_anew(filled, by):
    asked = ask(filled, by=by)
    Reindex.objects.filter(pk=asked.pk).update(at_dataset=filled.pk, generation="999999", after_key='["005"]')

    assert rebuild(asked).state == "rebuilt"
    assert indexed(filled) == expected(filled)


def test_whole_organisation_is_rebuilt_dataset_by_dataset(filled, store, by):
    second = DatasetFactory(organisation=filled.organisation, schema=SCHEMA)
    store(second, {"a": {"name": "x"}})

    done = rebuild(reindexes.request(organisation=filled.organisation, by=by)[0])

    assert (done.datasets_done, done.records_done) == (2, 12)
    assert indexed(second) == expected(second)


def test_other_sortable_fields_are_followed_by_a_rebuild(filled, manager):
    schema = {
        **SCHEMA,
        "fields": [{**field, "sortable": field["name"] == "note"} for field in SCHEMA["fields"]],
    }
    datasets.change_schema(dataset=filled, schema=schema, if_match=1, by=Principal(manager))

    while run_one(deliveries.PIPELINE):
        pass

    asked = Reindex.objects.get()
    assert asked.cause == "schema"
    assert [field.name for field in index().live(filled.pk).fields] == ["name", "amount", "opened", "open"]
    rebuild(asked)
    assert [field.name for field in index().live(filled.pk).fields] == ["note"]


def test_old_index_is_removed_after_a_while(filled, by):
    rebuild(ask(filled, by=by))
    assert index().remove_old() == 0

    SearchGeneration.objects.filter(state="old").update(old_since="2020-01-01T00:00Z")

    assert index().remove_old() == 1
    assert SearchGeneration.objects.get().state == "live"


def test_rebuild_that_no_job_knows_is_abandoned(filled, by):
    index().begin_rebuild(filled.pk, ())

    assert rebuilding.abandon_orphans() == 1
    assert index().rebuilds() == []
