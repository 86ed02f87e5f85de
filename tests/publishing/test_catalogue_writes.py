"""Writers of one entry exclude each other, on a real Oxigraph server and with real threads."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from publishing import catalogue_writes, iris
from publishing.catalogue_writes import holding, send, settle
from publishing.models import CatalogueWrite
from publishing.stores import canonical, choosing
from publishing.stores.protocol import OutcomeUnknown, StoreUnavailable
from tests.contract.store_way import cut, says, way_to
from tests.contract.test_triple_stores import ONE, TEN, TWO, triples
from tests.factories import EntryFactory
from work.failures import LeaseLost, Postponed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def entry(oxigraph):
    return EntryFactory()


def written(entry, content):
    with holding(entry.pk) as hold:
        send(hold, content)
        with transaction.atomic():
            settle(hold, content)
    return hold


def row(entry):
    return CatalogueWrite.objects.get(pk=entry.pk)


def in_store(entry):
    state = choosing.store().look(iris.graph(entry.pk), hashed=True)
    return state.number, canonical.Content(state.triples, state.sha256)


def aged(entry, seconds=120):
    """As if the clock of the database had gone on."""
    span = timedelta(seconds=seconds)
    CatalogueWrite.objects.filter(pk=entry.pk).update(
        held_until=F("held_until") - span, look_at=F("look_at") - span
    )


def test_write_is_settled_and_nothing_is_left_to_look_at(entry):
    written(entry, TEN)
    assert row(entry).number == 1

    hold = written(entry, TWO)

    assert in_store(entry) == (2, canonical.content(TWO))
    kept = row(entry)
    assert bytes(kept.wanted) == TWO
    assert (kept.number, kept.written_number) == (2, 2)
    assert (kept.holder, kept.held_until, kept.look_at) == (None, None, None)
    with holding(entry.pk) as again:
        assert again.is_certain
        assert again.wanted_sha256 == kept.wanted_sha256 != hold.wanted_sha256


def test_entry_that_leaves_the_catalogue_leaves_a_tombstone(entry):
    written(entry, TEN)
    written(entry, b"")
    assert in_store(entry) == (2, canonical.content(b""))
    assert row(entry).wanted_sha256 == ""


def test_second_writer_is_postponed(entry):
    with holding(entry.pk), pytest.raises(Postponed), holding(entry.pk):
        pass
    with holding(entry.pk):
        pass


def test_writer_that_fails_before_sending_leaves_nothing_to_look_at(entry):
    with pytest.raises(ZeroDivisionError), holding(entry.pk):
        raise ZeroDivisionError
    assert (row(entry).holder, row(entry).look_at) == (None, None)


def test_writer_that_fails_after_sending_leaves_a_look(entry):
    def fails():
        with holding(entry.pk) as hold:
            send(hold, TEN)
            with transaction.atomic():
                settle(hold, TEN)
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert row(entry).holder is None
    assert row(entry).look_at is not None
    assert bytes(row(entry).wanted) == b""


def test_killed_writer_is_followed_after_its_time_and_can_neither_send_nor_settle(entry):
    killed = holding(entry.pk)
    hold = killed.__enter__()
    send(hold, TEN)
    aged(entry)
    with holding(entry.pk) as follower:
        send(follower, TWO)
        assert not follower.is_certain
        with pytest.raises(LeaseLost):
            send(hold, ONE)
        with pytest.raises(LeaseLost), transaction.atomic():
            settle(hold, TEN)
        with transaction.atomic():
            settle(follower, TWO)
    choosing.store().replace(iris.graph(entry.pk), TEN, number=hold.number)  # the killed one's, landing late
    assert in_store(entry) == (2, canonical.content(TWO))
    assert row(entry).look_at is not None, "the first outcome was unknown"


def test_unknown_outcome_keeps_the_hold_and_the_look(entry, oxigraph, settings):
    with way_to(oxigraph.url) as way:
        settings.TRIPLESTORE_URL = way.url
        way.faults = [cut]
        with pytest.raises(OutcomeUnknown):
            written(entry, TEN)
        with pytest.raises(Postponed):
            written(entry, TEN)
    assert row(entry).look_at is not None


def test_store_that_says_no_frees_the_entry(entry, oxigraph, settings):
    with way_to(oxigraph.url) as way:
        settings.TRIPLESTORE_URL = way.url
        way.faults = [says(503)]
        with pytest.raises(StoreUnavailable):
            written(entry, TEN)
        written(entry, TWO)
        assert in_store(entry) == (2, canonical.content(TWO))


def test_store_that_is_ahead_of_a_restored_database_is_outnumbered(entry):
    choosing.store().replace(iris.graph(entry.pk), TEN, number=40)
    with pytest.raises(StoreUnavailable, match="store_holds_newer"):
        written(entry, TWO)
    written(entry, TWO)
    assert in_store(entry) == (41, canonical.content(TWO))


def test_what_the_store_mixed_is_seen(entry, oxigraph, monkeypatch):
    graph = iris.graph(entry.pk)

    def mixes(hold, content):
        oxigraph.run(f"INSERT DATA {{ GRAPH <{graph}> {{ <urn:other> <urn:p> <urn:o> }} }}")
        return compare(hold, content)

    compare = catalogue_writes._compare
    monkeypatch.setattr(catalogue_writes, "_compare", mixes)
    with pytest.raises(OutcomeUnknown, match="store_write_differs"):
        written(entry, TEN)


def test_writers_at_once_end_in_the_whole_version_of_the_last(entry):
    """Without the hold Oxigraph keeps a mixture of both: 20 of 20 rounds."""
    versions = [triples(*(f"{version}-{n}" for n in range(300))) for version in range(6)]
    settled, start = [], threading.Barrier(3)

    def write(mine):
        start.wait()
        for content in mine:
            while True:
                try:
                    settled.append((written(entry, content).number, content))
                    break
                except Postponed:
                    start_again.wait(0.01)
        connection.close()

    start_again = threading.Event()
    writers = [threading.Thread(target=write, args=(versions[n::3],)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    number, content = max(settled)
    assert len(settled) == 6
    assert in_store(entry) == (number, canonical.content(content))
    assert bytes(row(entry).wanted) == content
    assert CatalogueWrite.objects.filter(holder=None, look_at=None, wanted_at__lte=Now()).exists()
