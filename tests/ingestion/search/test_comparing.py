"""`verify` finds an index that differs from its records; the nightly run mends it and says so."""

import pytest
from django.db import connection

from ingestion.models import IndexComparison, Record, Reindex
from ingestion.search import comparing, documents, protocol
from ingestion.search.index import index
from tests.ingestion.search.conftest import expected, indexed, rebuild, settle
from work import attention, invariants

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def second_look_at_once(monkeypatch):
    """Nothing changes between the looks; files of the uploads, which have none here, are missing in both."""
    monkeypatch.setattr(invariants, "SECOND_LOOK_AFTER", 0)


class Silent:
    def progress(self, *args, **kwargs):
        pass


@pytest.fixture
def filled(dataset, store):
    store(dataset, {str(number): {"name": "x"} for number in range(20)})
    settle(dataset)
    return dataset


def tamper(dataset, statement):
    with connection.cursor() as cursor:
        cursor.execute(statement.format(table=f"search_{index().live(dataset.pk).key}"))


def breaches():
    result = invariants.run()
    return [each for finding in result.broken if finding.name == "search_index" for each in finding.breaches]


def first(dataset):
    return Record.objects.filter(dataset=dataset).earliest("pk")


def test_equal_index_holds(filled):
    assert breaches() == []
    assert comparing.compare_all(Silent()) == "1 datasets compared, all equal"
    assert IndexComparison.objects.get().differing == 0


def test_what_waits_counts_on_neither_side(filled, store):
    store(filled, {"new": {"name": "x"}})
    Record.objects.filter(pk=first(filled).pk).update(version=7)

    assert breaches() == []


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("DELETE FROM {table} WHERE id = (SELECT min(id) FROM {table})", "missing"),
        ("UPDATE {table} SET version = 1 WHERE id = (SELECT min(id) FROM {table})", "stale"),
        ("UPDATE {table} SET version = 99 WHERE id = (SELECT max(id) FROM {table})", "stale"),
        ("UPDATE {table} SET id = id + 9000000 WHERE id = (SELECT max(id) FROM {table})", "extra"),
        ("UPDATE {table} SET deleted = true WHERE id = (SELECT min(id) FROM {table})", "missing"),
    ],
)
def test_tampered_index_is_found_and_mended(filled, statement, kind):
    tamper(filled, statement)

    assert [breach.subject for breach in breaches()] == [str(filled.pk)]
    said = comparing.compare_all(Silent())

    assert "differed in 1" in said
    assert getattr(IndexComparison.objects.get(), kind) == 1
    assert [case.kind for case in attention.cases(None, kind="search_differed")] == ["search_differed"]
    settle(filled)
    for reindex in Reindex.objects.unfinished():
        rebuild(reindex)
    assert indexed(filled) == expected(filled)
    assert breaches() == []
    comparing.compare_all(Silent())
    assert attention.cases(None, kind="search_differed") == []


def test_digests_of_both_sides_are_calculated_alike(filled):
    rows = expected(filled)
    total = sum(protocol.term(id, version) for id, version in rows.items())

    assert comparing.record_digest(filled.pk, set()) == protocol.Digest(len(rows), total)
    assert index().digest(filled.pk) == protocol.Digest(len(rows), total)


def test_version_of_a_retired_record_is_between_its_neighbours():
    order = [documents.version(number, is_retired=retired) for number in (1, 2) for retired in (False, True)]

    assert order == sorted(set(order))


def test_retired_and_live_may_not_be_mistaken_for_each_other(filled):
    Record.objects.filter(pk=first(filled).pk).update(retired_at="2024-01-01T00:00Z")
    settle(filled)

    assert breaches() == []
    assert first(filled).pk not in indexed(filled)
