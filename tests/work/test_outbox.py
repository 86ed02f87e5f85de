import pytest
from django.db import transaction

from tests.factories import OrganisationFactory, UserFactory
from work import consumers, correlation, outbox
from work.consumers import Consumer
from work.models import Delivery, DeliveryState, Event


@pytest.fixture
def only(monkeypatch):
    def choose(*chosen):
        monkeypatch.setattr(consumers, "_registered", {each.name: each for each in chosen})

    return choose


def nothing(events):
    pass


@pytest.mark.django_db(transaction=True)
def test_recording_outside_a_transaction_is_refused():
    with pytest.raises(RuntimeError, match="transaction"):
        outbox.record("upload.accepted", subject="s", kind="upload")
    assert not Event.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_event_goes_with_its_transaction():
    with transaction.atomic():
        outbox.record("upload.accepted", subject="s", kind="upload")
        transaction.set_rollback(True)

    assert not Event.objects.exists()
    assert not Delivery.objects.exists()


@pytest.mark.django_db
def test_every_interested_consumer_has_a_delivery(only):
    only(
        Consumer("all", nothing),
        Consumer("uploads", nothing, types=("upload.*",)),
        Consumer("other", nothing, types=("dataset.*", "schema.changed")),
    )

    event = outbox.record("upload.accepted", subject="s", kind="upload")

    assert set(event.deliveries.values_list("consumer", "state")) == {
        ("all", DeliveryState.PENDING),
        ("uploads", DeliveryState.PENDING),
    }


@pytest.mark.django_db
def test_an_event_says_who_what_and_in_which_action(only):
    only()
    organisation, user = OrganisationFactory(), UserFactory(username="ann")

    with correlation.bound("action-12345"):
        event = outbox.record(
            "dataset.created", subject=organisation, kind="dataset", organisation=organisation, by=user,
            label="x" * 300, payload={"rows": 3},
        )  # fmt: skip

    event.refresh_from_db()
    assert event.subject_id == str(organisation.pk)
    assert (event.actor, event.correlation_id, event.payload) == ("ann", "action-12345", {"rows": 3})
    assert len(event.subject_label) == 200
    assert event.occurred_at is not None


@pytest.mark.django_db
def test_deliveries_carry_the_correlation_id():
    with correlation.bound("action-12345"):
        event = outbox.record("upload.accepted", subject="s", kind="upload")

    assert set(event.deliveries.values_list("correlation_id", flat=True)) == {"action-12345"}
