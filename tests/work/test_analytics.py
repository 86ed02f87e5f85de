import datetime as dt
import threading

import pytest
from django.db import connection, transaction

from tests.factories import OrganisationFactory
from work import analytics, leases, outbox, runner
from work.analytics import Figure
from work.deliveries import PIPELINE
from work.models import DailyFigure, Delivery, DeliveryState, Event

pytestmark = pytest.mark.django_db

DAY = dt.date(2026, 6, 1)


def of_upload(event):
    yield Figure(event.payload["dataset"], "verdict", event.type.partition(".")[2])
    for code, count in event.payload.get("errors", {}).items():
        yield Figure(event.payload["dataset"], "errors", code, count)
    yield analytics.lasted(event.payload["dataset"], "seconds", event.payload["seconds"])


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(analytics, "_registered", {})
    analytics.register("upload.*", of_upload)


def record(organisation=None, type="upload.processed", **payload):
    with transaction.atomic():
        return outbox.record(
            type, subject="u", kind="upload", organisation=organisation,
            payload={"dataset": "airports", "seconds": 1.5, **payload},
        )  # fmt: skip


def deliver():
    while (lease := leases.claim_next(PIPELINE)) is not None:
        runner.run(lease)


def rows(measure):
    today = dt.datetime.now(dt.UTC).date()
    return analytics.figures(measure, since=today - dt.timedelta(days=1), until=today)


def test_events_add_up_per_day(registered):
    organisation = OrganisationFactory()
    record(organisation, errors={"required": 3, "type": 1})
    record(organisation, errors={"required": 2})
    record(organisation, type="upload.failed")
    deliver()

    assert analytics.by_key(rows("errors")) == {"required": 5, "type": 1}
    assert analytics.by_key(rows("verdict")) == {"processed": 2, "failed": 1}
    ((_, day),) = analytics.by_day(rows("verdict")).items()
    assert day == {"processed": 2, "failed": 1}


def test_organisations_and_datasets_are_kept_apart(registered):
    ours, others = OrganisationFactory(), OrganisationFactory()
    record(ours)
    record(ours, dataset="runways")
    record(others)
    deliver()

    today = dt.datetime.now(dt.UTC).date()
    verdicts = {"measure": "verdict", "since": today - dt.timedelta(days=1), "until": today}
    assert analytics.by_key(analytics.figures(**verdicts, organisations=[ours])) == {"processed": 2}
    assert analytics.by_key(analytics.figures(**verdicts, organisations=[ours], dataset="runways")) == {
        "processed": 1
    }
    assert analytics.by_key(analytics.figures(**verdicts)) == {"processed": 3}


def test_a_redelivery_adds_nothing(registered):
    record(OrganisationFactory())
    deliver()
    Delivery.objects.filter(consumer="analytics").update(accepted_at="2026-01-01T00:00Z")

    deliver()

    assert analytics.by_key(rows("verdict")) == {"processed": 1}


def test_a_delivery_that_fails_after_adding_adds_nothing(registered):
    event = record(OrganisationFactory())

    with transaction.atomic():
        analytics.add([event])
        transaction.set_rollback(True)
    assert not DailyFigure.objects.exists()
    deliver()

    assert analytics.by_key(rows("verdict")) == {"processed": 1}


def test_only_events_with_figures_are_delivered(registered):
    record(OrganisationFactory(), type="dataset.created")

    assert not Delivery.objects.filter(consumer="analytics").exists()


def test_events_of_no_organisation_have_no_figures(registered):
    record(None)
    deliver()

    assert not DailyFigure.objects.exists()
    assert Delivery.objects.get(consumer="analytics").state == DeliveryState.DELIVERED


def test_a_day_is_one_of_utc(registered):
    organisation = OrganisationFactory()
    late = dt.datetime(2026, 6, 1, 23, 30, tzinfo=dt.timezone(dt.timedelta(hours=-2)))
    event = Event(
        type="upload.processed", organisation=organisation, occurred_at=late,
        payload={"dataset": "airports", "seconds": 1},
    )  # fmt: skip

    analytics.add([event])

    assert set(DailyFigure.objects.values_list("day", flat=True)) == {DAY + dt.timedelta(days=1)}


def test_a_pattern_is_registered_once(registered):
    with pytest.raises(ValueError, match="upload"):
        analytics.register("upload.*", of_upload)


@pytest.mark.parametrize(
    ("seconds", "length"),
    [
        (0, "0"),
        (-1, "0"),
        (0.01234, "0.0123"),
        (1.5, "1.5"),
        (12.345, "12.3"),
        (1234.5, "1230"),
        (99999, "100000"),
    ],
)
def test_durations_are_kept_to_three_digits(seconds, length):
    assert analytics.lasted("d", "seconds", seconds).key == length


def test_percentiles_equal_those_of_the_sorted_list():
    lengths = {"0.5": 50, "2": 44, "30": 5, "600": 1}
    everything = sorted(float(length) for length, count in lengths.items() for _ in range(count))

    assert analytics.percentile(lengths, 0.5) == everything[49] == 0.5
    assert analytics.percentile(lengths, 0.95) == everything[94] == 30
    assert analytics.percentile(lengths, 1) == 600
    assert analytics.percentile({}, 0.5) is None


def test_percentiles_of_what_happened(registered):
    organisation = OrganisationFactory()
    for seconds in (1, 2, 3, 4, 100):
        record(organisation, seconds=seconds)
    deliver()

    lengths = analytics.by_key(rows("seconds"))
    assert analytics.percentile(lengths, 0.5) == 3
    assert analytics.percentile(lengths, 0.95) == 100


@pytest.mark.django_db(transaction=True)
def test_two_adders_at_once_lose_nothing(registered):
    organisation = OrganisationFactory()
    events = [
        record(organisation, dataset=f"d-{number % 5}", errors={"a": 1, "b": 1}) for number in range(40)
    ]
    gate = threading.Barrier(2)

    def work(mine):
        try:
            gate.wait(5)
            for event in mine:
                with transaction.atomic():
                    analytics.add([event, events[0]])
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(part,)) for part in (events[:20], events[:19:-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert analytics.by_key(rows("verdict")) == {"processed": 80}
    assert analytics.by_key(rows("errors")) == {"a": 80, "b": 80}
