"""Workers and writers at once, each with a connection of its own."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from ingestion.models import IndexChange, Record, Reindex
from ingestion.search import changes, comparing, documents, pipelines, reindexes, updating
from ingestion.search.index import index
from ingestion.search.values import sortable_fields
from tests.ingestion.search.conftest import SCHEMA, expected, indexed, run_one, settle

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 60  # seconds


def in_thread(function, *arguments):
    try:
        return function(*arguments)
    finally:
        connection.close()


def write(store, dataset, number):
    """One round of what uploads and people do: new, changed, retired, returned and removed records."""
    store(dataset, {f"{number:03}-{place}": {"name": "new", "amount": place} for place in range(5)})
    keys = [f'["{number:03}-{place}"]' for place in range(5)]
    rows = Record.objects.filter(dataset=dataset)
    rows.filter(key=keys[0]).update(data={"name": "changed"}, version=F("version") + 1)
    rows.filter(key__in=keys[1:3]).update(retired_at=Now())
    rows.filter(key=keys[1]).update(retired_at=None, data={"name": "returned"}, version=F("version") + 1)
    rows.filter(key=keys[3]).delete()


def test_nothing_written_during_a_rebuild_is_lost(dataset, store, monkeypatch, by):
    monkeypatch.setattr("ingestion.search.rebuilding.BATCH", 3)
    store(dataset, {f"old-{number}": {"name": "old"} for number in range(60)})
    settle(dataset)
    asked, _ = reindexes.request(organisation=dataset.organisation, dataset=dataset, by=by)
    is_writing, is_over = Event(), Event()
    after, seen = documents.after, Counter()

    def read_once_somebody_writes(*arguments, **named):
        assert is_writing.wait(PATIENCE)
        return after(*arguments, **named)

    def keep_writing():
        number = 0
        while not is_over.is_set() or number < 3:
            write(store, dataset, number)
            updating.want_all()
            run_one(pipelines.UPDATES)
            seen.update(["searched" if index().live(dataset.pk) else "blind"])
            number += 1
            is_writing.set()
        return number

    def rebuild():
        try:
            assert run_one(pipelines.REINDEXES)
        finally:
            is_over.set()

    monkeypatch.setattr(documents, "after", read_once_somebody_writes)
    with ThreadPoolExecutor(2) as pool:
        writing, rebuilding = pool.submit(in_thread, keep_writing), pool.submit(in_thread, rebuild)
        rebuilding.result(PATIENCE)
        rounds = writing.result(PATIENCE)
    settle(dataset)

    assert Reindex.objects.get(pk=asked.pk).state == "rebuilt"
    assert rounds >= 3
    assert seen["blind"] == 0
    assert indexed(dataset) == expected(dataset)
    assert comparing.is_equal(dataset.pk)


def test_two_workers_of_one_dataset_lose_nothing(dataset, store, monkeypatch):
    """As after a lease was lost: the late worker goes on beside the next one."""
    monkeypatch.setattr(changes, "BATCH", 4)
    index().open(dataset.pk, sortable_fields(SCHEMA))
    together = Barrier(3)

    def work():
        together.wait(PATIENCE)
        applied = 0
        while not is_written.is_set() or IndexChange.objects.filter(dataset=dataset).exists():
            if taken := changes.take(dataset.pk):
                applied += len(updating._apply(dataset.pk, taken))
        return applied

    def keep_writing():
        together.wait(PATIENCE)
        try:
            for number in range(12):
                write(store, dataset, number)
        finally:
            is_written.set()

    is_written = Event()
    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(in_thread, function) for function in (work, work, keep_writing)]
        applied = [each.result(PATIENCE) for each in running][:2]

    assert all(applied)
    assert changes.waiting(dataset.pk).pending == 0
    assert indexed(dataset) == expected(dataset)
    assert comparing.is_equal(dataset.pk)
