"""Random changes, runs, deaths and rebuilds in any order: at last the index holds what the records hold."""

import random

import pytest
from django.db.models import F
from django.utils import timezone

from ingestion.models import Record, Reindex
from ingestion.search import changes, comparing, documents, pipelines, rebuilding, reindexes, updating
from ingestion.search.index import index
from tests.ingestion.search.conftest import expected, indexed, run_one, settle
from work.failures import Stopping

pytestmark = pytest.mark.django_db
NAMES = ("Kraków", "Łódź", "Gdańsk", "x")


class Story:
    """`late` are batches that a worker has read and not yet written: they come when they come."""

    def __init__(self, dataset, other, store, seed, monkeypatch):
        self.random = random.Random(seed)
        self.dataset, self.other, self.store, self.monkeypatch = dataset, other, store, monkeypatch
        self.late = []
        self.made = 0

    def step(self):
        self.random.choice((
            self.insert, self.change, self.change, self.retire, self.bring_back, self.delete, self.run,
            self.read, self.write_late, self.write_late, self.write_twice, self.rebuild, self.die_in_rebuild,
            self.die_in_run, self.insert_elsewhere,
        ))()  # fmt: skip

    def some(self, **how):
        pks = list(Record.objects.filter(dataset=self.dataset, **how).values_list("pk", flat=True))
        return Record.objects.filter(pk__in=self.random.sample(pks, min(len(pks), 3)))

    def insert(self):
        rows = {f"k{self.made + number}": {"name": self.random.choice(NAMES)} for number in range(3)}
        self.made += 3
        self.store(self.dataset, rows)

    def insert_elsewhere(self):
        self.made += 1
        self.store(self.other, {f"k{self.made}": {"name": "elsewhere"}})

    def change(self):
        self.some().update(data={"name": self.random.choice(NAMES)}, version=F("version") + 1)

    def retire(self):
        self.some(retired_at=None).update(retired_at=timezone.now())

    def bring_back(self):
        self.some(retired_at__isnull=False).update(retired_at=None, version=F("version") + 1)

    def delete(self):
        self.some().delete()

    def run(self):
        updating.want(self.dataset)
        run_one(pipelines.UPDATES)

    def read(self):
        """A worker takes a batch, and is slow."""
        if taken := changes.take(self.dataset.pk):
            self.late.append((taken, documents.of(self.dataset.pk, taken.records)))

    def write_late(self):
        if self.late:
            taken, found = self.late.pop(self.random.randrange(len(self.late)))
            index().apply(self.dataset.pk, found)
            changes.drop(taken)

    def write_twice(self):
        if self.late:
            index().apply(self.dataset.pk, self.late[0][1])

    def rebuild(self):
        reindexes.request(organisation=self.dataset.organisation, dataset=self.dataset)
        run_one(pipelines.REINDEXES)

    def die_in_rebuild(self):
        at = self.random.randrange(1, 4)

        def after(dataset, key, *, limit, calls=[0]):  # noqa: B006 - counts the calls
            calls[0] += 1
            if calls[0] == at:
                raise Stopping
            return self.after(dataset, key, limit=limit)

        self.after = documents.after
        with self.monkeypatch.context() as patch:
            patch.setattr(documents, "after", after)
            self.rebuild()

    def die_in_run(self):
        def drop(taken):
            raise Stopping

        with self.monkeypatch.context() as patch:
            patch.setattr(changes, "drop", drop)
            self.run()


@pytest.mark.parametrize("seed", range(12))
def test_index_ends_as_the_records_are(dataset, other, store, seed, monkeypatch):
    monkeypatch.setattr(rebuilding, "BATCH", 4)
    index().open(dataset.pk, ())
    story = Story(dataset, other, store, seed, monkeypatch)

    for _ in range(40):
        story.step()
    while story.late:
        story.write_late()
    while Reindex.objects.unfinished().exists():
        run_one(pipelines.REINDEXES)
    settle(dataset)
    settle(other)

    assert indexed(dataset) == expected(dataset)
    assert indexed(other) == expected(other)
    assert comparing.is_equal(dataset.pk)
    assert index().rebuilds() == []
