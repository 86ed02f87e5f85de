import uuid

import pytest
from django.db import transaction
from django.db.models.functions import Now

from tests.factories import OrganisationFactory, UserFactory
from work import leases, mails, notices_ground, notifications, outbox, runner
from work.deliveries import PIPELINE
from work.models import (
    Delivery,
    DeliveryState,
    Mail,
    Notification,
    PeriodicRun,
    PeriodicState,
    Webhook,
    WebhookCall,
)
from work.outbox import seconds_from_now

pytestmark = pytest.mark.django_db

SUBJECT = "01a22d61-27c2-7615-b5f7-b2d9ee4a2546"


@pytest.fixture
def told(monkeypatch):
    """One notice for uploads, to their owners; returns a way to register others."""
    monkeypatch.setattr(notifications, "_registered", {})

    def register(pattern="upload.*", **changes):
        notifications.register(
            pattern,
            **{
                "recipients": notifications.owner,
                "title": lambda event: f"{event.subject_label} is done",
                "text": lambda event: f"{event.payload.get('rows', 0)} rows",
                "path": lambda event: f"/uploads/{event.subject_id}/",
                **changes,
            },
        )

    register()
    return register


def record(type="upload.processed", **payload):
    with transaction.atomic():
        return outbox.record(type, subject=SUBJECT, kind="upload", label="stations.csv", payload=payload)


def deliver():
    while (lease := leases.claim_next(PIPELINE)) is not None:
        runner.run(lease)


def test_the_owner_is_told_and_written_to(told):
    user = UserFactory(email="ann@example.org")

    event = record(owner=user.pk, rows=3)
    deliver()

    notification = Notification.objects.get()
    assert (notification.user, notification.event, notification.kind) == (user, event.pk, "upload.processed")
    assert (notification.title, notification.text, notification.path) == (
        "stations.csv is done", "3 rows", f"/uploads/{SUBJECT}/",
    )  # fmt: skip
    mail = Mail.objects.get()
    assert (mail.user, mail.key) == (user, f"notification:{notification.pk}")
    assert mail.text == f"3 rows\n\nhttp://127.0.0.1:8000/uploads/{SUBJECT}/\n"


@pytest.mark.parametrize(
    ("mailing", "mails_made", "for_digest"), [("at_once", 1, False), ("daily", 0, True), ("never", 0, False)]
)
def test_each_person_says_how_mails_come(told, mailing, mails_made, for_digest):
    record(owner=UserFactory(mailing=mailing).pk)
    deliver()

    assert Mail.objects.count() == mails_made
    assert Notification.objects.get().is_for_digest is for_digest


def test_a_person_without_an_address_is_told_on_the_page(told):
    record(owner=UserFactory(email="").pk)
    deliver()

    assert Notification.objects.count() == 1
    assert Mail.objects.count() == 0


def test_people_who_left_and_owners_unknown_are_not_told(told):
    record(owner=UserFactory(is_active=False).pk)
    record(owner=None)
    deliver()

    assert Notification.objects.count() == 0
    assert not Delivery.objects.exclude(state=DeliveryState.DELIVERED).exists()


def test_an_event_is_told_once_to_each(told):
    event = record(owner=UserFactory().pk)
    deliver()

    notifications.tell([event])

    assert Notification.objects.count() == 1
    assert Mail.objects.count() == 1


def test_a_death_before_the_commit_tells_nobody_twice(told):
    """The rows go with the transaction of the delivery, so the second try starts from nothing."""
    event = record(owner=UserFactory().pk)

    with transaction.atomic():
        notifications.tell([event])
        transaction.set_rollback(True)
    deliver()

    assert Notification.objects.count() == 1


def test_only_what_has_a_notice_is_delivered(told):
    told("dataset.created", recipients=notifications.operators)

    wanted = [record("upload.failed"), record("dataset.created")]
    record("record.mended")

    of_consumer = Delivery.objects.filter(consumer="notification").values_list("event", flat=True)
    assert set(of_consumer) == {event.pk for event in wanted}


def test_the_first_pattern_that_matches_speaks(told):
    told("*", title=lambda event: "anything")
    record(owner=UserFactory().pk)
    deliver()

    assert Notification.objects.get().title == "stations.csv is done"


def test_a_pattern_is_registered_once(told):
    with pytest.raises(ValueError, match="upload"):
        told()


def test_the_same_title_is_quiet_for_a_while(told):
    user = UserFactory()
    told("work.parked", recipients=lambda event: [user], quiet_for=notices_ground.QUIET)
    for _ in range(3):
        record("work.parked")
    deliver()
    assert Notification.objects.count() == 1

    Notification.objects.update(made_at=seconds_from_now(-2 * 3600))
    record("work.parked")
    deliver()
    assert Notification.objects.count() == 2


def test_what_needs_a_person_calls_the_webhooks(told):
    ours, others = OrganisationFactory(), OrganisationFactory()
    hooks = [
        Webhook.objects.create(url="https://x", organisation=org, secret="s") for org in (ours, others, None)
    ]
    Webhook.objects.create(url="https://x", organisation=ours, secret="s", is_active=False)
    told("upload_needs", needs_person=True)
    with transaction.atomic():
        outbox.record("upload_needs", subject="u", kind="upload", organisation=ours)
    record()
    deliver()

    assert set(WebhookCall.objects.values_list("webhook", flat=True)) == {hooks[0].pk, hooks[2].pk}


def test_reading():
    user = UserFactory()
    first, second, third = (
        Notification.objects.create(user=user, event=uuid.uuid4(), kind="x", title="t", path=path)
        for path in ("/a", "/b", "/c")
    )

    assert notifications.unread(user).count() == 3
    assert notifications.mark_read(by=user, path="/b") == 1
    assert notifications.mark_read(by=user, upto=second) == 1
    assert set(notifications.unread(user)) == {third}
    assert notifications.mark_read(by=UserFactory()) == 0
    first.refresh_from_db()
    assert first.read_at is not None


def failed_run(*, minutes_ago):
    return PeriodicRun.objects.create(
        name="sweep", slot=seconds_from_now(-60 * minutes_ago), state=PeriodicState.FAILED, due_at=None,
        finished_at=Now(),
    )  # fmt: skip


def fail_job(run):
    with transaction.atomic():
        outbox.record("periodic.failed", subject=run, kind="periodic", label="sweep", payload={"code": "x"})
    deliver()


def test_operators_hear_of_a_job_when_it_begins_to_fail():
    operator = UserFactory(operator=True)
    UserFactory()

    fail_job(failed_run(minutes_ago=3))
    fail_job(failed_run(minutes_ago=2))

    assert list(Notification.objects.values_list("user", "kind")) == [(operator.pk, "periodic.failed")]


def test_operators_hear_again_after_the_job_succeeded():
    UserFactory(operator=True)
    fail_job(failed_run(minutes_ago=9))
    Notification.objects.update(made_at=seconds_from_now(-2 * 3600))
    PeriodicRun.objects.create(
        name="sweep", slot=seconds_from_now(-300), state=PeriodicState.SUCCEEDED, due_at=None,
        started_at=Now(), finished_at=Now(),
    )  # fmt: skip

    fail_job(failed_run(minutes_ago=1))

    assert Notification.objects.count() == 2


@pytest.mark.parametrize(
    ("type", "payload", "words"),
    [
        ("delivery.dead", {"consumer": "audit", "code": "x"}, "given up by the consumer audit"),
        ("work.parked", {}, "could not be freed"),
        ("invariant.broken", {"count": 2, "first": "Entry 3 was changed."}, "Does not hold any more"),
    ],
)
def test_operators_hear_of_what_the_ground_cannot_mend(type, payload, words):
    UserFactory(operator=True)

    record(type, **payload)
    deliver()

    assert words in Notification.objects.get().title


def test_the_whole_way_from_event_to_mail(told, mailoutbox):
    record(owner=UserFactory().pk, rows=3)
    deliver()
    runner.run(leases.claim_next(mails.PIPELINE))

    assert [mail.subject for mail in mailoutbox] == ["stations.csv is done"]
