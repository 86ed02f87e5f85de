import threading

import pytest
from django.db import connection, transaction

from tests.factories import UserFactory
from work import consumers, deliveries, leases, outbox, runner
from work.consumers import Consumer
from work.deliveries import PIPELINE
from work.failures import PermanentFailure, StateChanged, TemporaryFailure
from work.models import Decision, Delivery, DeliveryState, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def consumer(monkeypatch):
    """Registers one consumer, given by its function; returns its name."""

    def make(handle, **options):
        made = Consumer("tested", handle, **options)
        monkeypatch.setattr(consumers, "_registered", {"tested": made})
        return made

    return make


def record(number=1, type="upload.accepted"):
    with transaction.atomic():
        return outbox.record(type, subject=f"s{number}", kind="upload", payload={"number": number})


def drain():
    while (lease := leases.claim_next(PIPELINE)) is not None:
        runner.run(lease)


def test_a_delivery_is_handled_once(consumer):
    handled = []
    consumer(lambda events: handled.extend(event.payload["number"] for event in events))
    record(1)
    record(2)

    drain()
    drain()

    assert sorted(handled) == [1, 2]
    assert set(Delivery.objects.values_list("state", flat=True)) == {DeliveryState.DELIVERED}


def test_the_effect_goes_back_when_the_consumer_fails(consumer):
    def fails(events):
        UserFactory()
        raise TemporaryFailure("not_now")

    consumer(fails)
    event = record()

    drain()

    delivery = event.deliveries.get()
    assert (delivery.state, delivery.due_at is not None) == (DeliveryState.PENDING, True)
    assert not type(UserFactory.build()).objects.exists()


def test_one_consumer_that_fails_delays_no_other(monkeypatch):
    handled = []

    def fails(events):
        raise TemporaryFailure("not_now")

    chosen = [Consumer("fails", fails), Consumer("works", lambda events: handled.extend(events))]
    monkeypatch.setattr(consumers, "_registered", {each.name: each for each in chosen})
    record()

    drain()

    assert len(handled) == 1


def test_a_permanent_failure_is_a_dead_letter_and_told(consumer):
    def fails(events):
        raise PermanentFailure("never")

    consumer(fails, types=("upload.*",))
    event = record()

    drain()

    delivery = event.deliveries.get()
    assert (delivery.state, delivery.question, delivery.failure_code) == ("dead", "dead_letter", "never")
    told = Event.objects.get(type="delivery.dead")
    assert told.causation_id == event.pk
    assert told.payload["consumer"] == "tested"


def test_the_death_of_the_news_of_a_death_is_not_told(consumer):
    """A consumer that fails at everything would otherwise make events for ever."""

    def fails(events):
        raise PermanentFailure("never")

    consumer(fails)
    record()

    drain()

    assert Event.objects.count() == 2
    assert set(Delivery.objects.values_list("state", flat=True)) == {DeliveryState.DEAD}


def test_a_delivery_of_an_unknown_consumer_is_a_dead_letter(consumer, monkeypatch):
    consumer(lambda events: None)
    event = record()
    monkeypatch.setattr(consumers, "_registered", {})

    drain()

    assert event.deliveries.get().failure_code == "consumer_unknown"


@pytest.fixture
def dead(consumer):
    answers = [PermanentFailure("never")]

    def fails_once(events):
        if answers:
            raise answers.pop()

    consumer(fails_once, types=("upload.*",))
    event = record()
    drain()
    return event.deliveries.get()


def test_a_dead_letter_is_replayed(dead):
    deliveries.replay(delivery=dead, by=UserFactory(), why="mended")

    drain()

    dead.refresh_from_db()
    assert dead.state == DeliveryState.DELIVERED
    assert Decision.objects.get().what == "delivery.replayed"
    assert Decision.objects.get().why == "mended"


def test_a_dead_letter_is_discarded(dead):
    deliveries.discard(delivery=dead, by=UserFactory(), why="of no use")

    dead.refresh_from_db()
    assert (dead.state, dead.finished_at is not None) == (DeliveryState.DISCARDED, True)
    assert Decision.objects.get().shown["failure"] == "never"


def test_a_letter_is_decided_once(dead):
    deliveries.replay(delivery=dead, by=UserFactory(), why="mended")

    with pytest.raises(StateChanged) as refused:
        deliveries.discard(delivery=dead, by=UserFactory(), why="of no use")
    assert refused.value.found == DeliveryState.PENDING
    assert Decision.objects.count() == 1


def test_a_batch_takes_waiting_events_along(consumer):
    sizes = []
    consumer(lambda events: sizes.append(len(events)), batch=4)
    for number in range(6):
        record(number)

    drain()

    assert sizes == [4, 2]


def test_a_batch_that_fails_finishes_nothing(consumer):
    def fails(events):
        raise TemporaryFailure("not_now")

    consumer(fails, batch=4)
    for number in range(3):
        record(number)

    runner.run(leases.claim_next(PIPELINE))

    assert set(Delivery.objects.values_list("state", flat=True)) == {DeliveryState.PENDING}


@pytest.mark.django_db(transaction=True)
def test_batches_of_one_consumer_run_one_at_a_time(consumer):
    """Two workers lead a batch each; the second waits until the first has committed."""
    running, most, seen, gate = [], [], [], threading.Barrier(2)

    def handle(events):
        running.append(1)
        most.append(len(running))
        seen.extend(event.payload["number"] for event in events)
        running.pop()

    consumer(handle, batch=3)
    for number in range(8):
        record(number)

    def work():
        try:
            lease = leases.claim_next(PIPELINE)
            gate.wait(5)
            runner.run(lease)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    drain()

    assert max(most) == 1
    assert sorted(seen) == list(range(8))
