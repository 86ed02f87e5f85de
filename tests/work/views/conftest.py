"""People to look at pages with, and rows for them to see."""

import datetime as dt
import uuid

import pytest
from django.test import Client
from django.utils import timezone

from tests.factories import MembershipFactory, OrganisationFactory, UserFactory
from work import decisions, outbox
from work.models import (
    Attempt,
    BulkAction,
    BulkOutcome,
    Canary,
    Delivery,
    DeliveryState,
    Notification,
    PeriodicRun,
    RefusedWrite,
    Worker,
)


@pytest.fixture(autouse=True)
def no_worker_lives(db):
    """The heart of a test that ran leased work leaves its row behind, past that test's transaction."""
    Worker.objects.all().delete()


@pytest.fixture
def organisation(db):
    return OrganisationFactory(title="Region North")


@pytest.fixture
def operator(db):
    return UserFactory(operator=True, username="operator")


@pytest.fixture
def member(organisation):
    return MembershipFactory(organisation=organisation).user


@pytest.fixture
def as_operator(operator):
    return signed_in(operator)


@pytest.fixture
def as_member(member):
    return signed_in(member)


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


class Rows:
    """Makes so many of what a list page shows."""

    def __init__(self, organisation, operator):
        self.organisation = organisation
        self.operator = operator

    def events(self, number=1, **given):
        given = {"subject": "7", "kind": "upload", "label": "stations.csv", "payload": {"rows": 4}} | given
        return [
            outbox.record("upload.processed", organisation=self.organisation, **given) for _ in range(number)
        ]

    def decisions(self, number=1):
        return [
            decisions.record(
                "upload.cancelled", by=self.operator, kind="upload", subject=n, label="stations.csv",
                organisation=self.organisation, why="wrong quarter", shown={"state": "accepted"},
            )
            for n in range(number)
        ]  # fmt: skip

    def letters(self, number=1):
        made = []
        for event in self.events(number):
            Delivery.objects.filter(event=event, consumer="audit").update(
                state=DeliveryState.DEAD, due_at=None, asked_at=timezone.now(), question="dead_letter",
                failure_code="store_away", starts=2,
            )  # fmt: skip
            made.append(event.deliveries.get(consumer="audit"))
        return made

    def attempts(self, number=1, *, subject=None, pipeline="periodic", fingerprint="f" * 32):
        started = timezone.now() - dt.timedelta(minutes=5)
        return [
            Attempt.objects.create(
                pipeline=pipeline, subject=subject or uuid.uuid4(), number=n + 1, token=uuid.uuid4(),
                worker=uuid.uuid4(), worker_label="host:7", started_at=started, ended_at=timezone.now(),
                outcome="failed", code="store_away", step="run_job", fingerprint=fingerprint,
                steps=[{"name": "run_job", "seconds": 1.5}], traceback="  File x.py\nValueError",
            )
            for n in range(number)
        ]  # fmt: skip

    def runs(self, number=1, **columns):
        ended = {"due_at": None, "finished_at": timezone.now(), "state": "succeeded", "did": "rang"} | columns
        return [
            PeriodicRun.objects.create(
                name="sweep",
                slot=timezone.now() - dt.timedelta(minutes=n),
                started_at=timezone.now(),
                **ended,
            )
            for n in range(number)
        ]

    def workers(self, number=1):
        Canary.objects.update_or_create(cluster="ground", defaults={"passed_at": timezone.now()})
        return [
            Worker.objects.create(id=uuid.uuid4(), cluster="ground", label=f"host:{n}") for n in range(number)
        ]

    def notifications(self, user, number=1):
        return [
            Notification.objects.create(
                user=user, organisation=self.organisation, event=uuid.uuid4(), kind="upload.processed",
                title="stations.csv is processed", text="All rows are stored.", path="/uploads/",
            )
            for _ in range(number)
        ]  # fmt: skip

    def bulk(self, number=1, outcomes=1, **columns):
        made = []
        for _ in range(number):
            action = BulkAction.objects.create(
                action="delivery.replay", rule={"filter": {"consumer": ["audit"]}}, reason="store is back",
                requested_by=self.operator, requested_by_label="operator",
                previewed={"matching": 3, "eligible": 3, "not_eligible": {}}, counts={"changed": outcomes},
                **columns,
            )  # fmt: skip
            for n in range(outcomes):
                BulkOutcome.objects.create(
                    bulk=action, subject=uuid.uuid4(), label=f"row {n}", outcome="changed"
                )
            made.append(action)
        return made

    def refused(self, number=1, *, subject=None):
        return [
            RefusedWrite.objects.create(
                pipeline="periodic", subject=subject or uuid.uuid4(), token=uuid.uuid4(),
                worker_label="host:7", step="run_job", tried="finish as succeeded",
            )
            for _ in range(number)
        ]  # fmt: skip


@pytest.fixture
def rows(organisation, operator):
    return Rows(organisation, operator)
