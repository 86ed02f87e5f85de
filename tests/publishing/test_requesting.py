"""Requests for publications: one active at a time, whoever asks, however often."""

import threading

import pytest
from django.db import connection, transaction

from publishing import failing, requesting
from publishing.models import ExportCleanup, Failure, Publication
from tests.factories import EntryFactory, PublicationFactory
from work.models import Event

ASKERS = 20


def test_a_request_makes_the_next_version_due(db):
    entry = EntryFactory(last_version=4)
    asked = requesting.request(entry=entry, by="Mia", trigger="manual")
    publication = asked.publication
    assert not asked.already_in_progress
    assert (publication.version, publication.state, publication.entry_id) == (5, "requested", entry.pk)
    assert publication.due_at is not None
    event = Event.objects.get(subject_id=str(publication.pk))
    assert (event.type, event.payload["version"]) == ("publication.requested", 5)


def test_a_second_request_is_given_the_first(db):
    entry = EntryFactory()
    first = requesting.request(entry=entry, by="Mia", trigger="manual")
    second = requesting.request(entry=entry, by="a schedule", trigger="schedule")
    assert second.publication.pk == first.publication.pk
    assert second.already_in_progress
    assert Publication.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_simultaneous_requests_make_one_publication():
    entry = EntryFactory()
    start, found = threading.Barrier(ASKERS), []

    def ask():
        start.wait()
        found.append(requesting.request(entry=entry, by="Mia", trigger="api"))
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(ASKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.publication.pk for each in found}) == 1
    assert [each.already_in_progress for each in found].count(False) == 1
    assert len(found) == ASKERS


def test_a_repeated_key_is_given_what_is_left_of_a_failure(db):
    entry = EntryFactory()
    first = requesting.request(entry=entry, by="Mia", trigger="api", idempotency_key="k").publication
    with transaction.atomic():
        failing.keep(first, "metadata_invalid", {})
        failing.remove(first)
    again = requesting.request(entry=entry, by="Mia", trigger="api", idempotency_key="k")
    assert again.already_in_progress
    assert isinstance(again.publication, Failure)
    assert again.publication.pk == first.pk
    other = requesting.request(entry=entry, by="Mia", trigger="api", idempotency_key="another")
    assert other.publication.version == first.version + 1


def test_a_failure_leaves_the_exports_of_all_rounds_to_be_deleted(db):
    publication = PublicationFactory(round=3)
    with transaction.atomic():
        failing.keep(publication, "export_refused", {})
        failing.remove(publication)
    keys = ExportCleanup.objects.filter(publication=publication.pk).values_list("export_key", flat=True)
    assert sorted(keys) == [f"{publication.pk}-{number}" for number in (1, 2, 3)]
    assert not Publication.objects.exists()
    assert Failure.objects.get().rounds == 3
