import os
import time
import uuid

import pytest
from django.contrib.sessions.models import Session
from django.db.models.functions import Now

from tests.factories import OrganisationFactory, UploadFactory, UserFactory
from work import leases, mails, outbox, periodic, retention, runner
from work.models import (
    Attempt,
    CallState,
    CaseClaim,
    CheckState,
    Decision,
    Delivery,
    DeliveryState,
    Event,
    IdempotencyKey,
    InvariantRun,
    Mail,
    MailState,
    Notification,
    Outcome,
    PeriodicRun,
    PeriodicState,
    RateWindow,
    RefusedWrite,
    Webhook,
    WebhookCall,
    Worker,
)
from work.outbox import seconds_from_now
from work.retention import Kept

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    settings.VAR_DIR, settings.FILES_DIR = tmp_path / "var", tmp_path / "files"
    (tmp_path / "var" / "tmp").mkdir(parents=True)
    (tmp_path / "files" / ".incoming").mkdir(parents=True)
    return tmp_path


def days_ago(days):
    return seconds_from_now(-days * 86400)


class Job:
    """What pruning needs of a job: where it says how far it is."""

    told = 0

    def progress(self, done, *, total=None, unit=""):
        self.told = done


def prune():
    return retention.prune(Job())


def finished(model, days, **columns):
    return model.objects.create(due_at=None, finished_at=days_ago(days), **columns)


def key(days):
    return IdempotencyKey.objects.create(
        organisation=OrganisationFactory(), actor="a", key="k", fingerprint="f", subject=uuid.uuid4(),
        accepted_at=days_ago(days),
    )  # fmt: skip


def attempt(days, pipeline):
    return Attempt.objects.create(
        pipeline=pipeline, subject=uuid.uuid4(), number=1, token=uuid.uuid4(), worker=uuid.uuid4(),
        started_at=days_ago(days), ended_at=days_ago(days), outcome=Outcome.FINISHED,
    )  # fmt: skip


def mail(days, state):
    return finished(
        Mail, days, user=UserFactory(), key=uuid.uuid4().hex, message_id=uuid.uuid4().hex, subject="s",
        text="t", state=state,
    )  # fmt: skip


def delivery(days, state):
    event = outbox.record("upload.accepted", subject="s", kind="upload")
    event.deliveries.all().delete()
    return finished(Delivery, days, event=event, consumer="audit", state=state)


def call(days):
    webhook = Webhook.objects.create(url="https://x", secret="s")
    return finished(WebhookCall, days, webhook=webhook, event=uuid.uuid4(), body={}, state=CallState.ANSWERED)


@pytest.mark.parametrize(
    ("make", "days"),
    [
        (key, 7),
        (lambda days: attempt(days, "delivery"), 7),
        (lambda days: attempt(days, "upload"), 365),
        (lambda days: mail(days, MailState.SENT), 30),
        (lambda days: mail(days, MailState.FAILED), 90),
        (lambda days: delivery(days, DeliveryState.DELIVERED), 14),
        (lambda days: delivery(days, DeliveryState.DISCARDED), 90),
        (call, 30),
        (lambda days: Worker.objects.create(id=uuid.uuid4(), cluster="x", label="x",
                                            seen_at=days_ago(days)), 7),
        (lambda days: RefusedWrite.objects.create(pipeline="x", subject=uuid.uuid4(), token=uuid.uuid4(),
                                                  tried="x", refused_at=days_ago(days)), 365),
        (lambda days: Notification.objects.create(user=UserFactory(), event=uuid.uuid4(), kind="x", title="x",
                                                  path="/", made_at=days_ago(days)), 180),
        (lambda days: CaseClaim.objects.create(case="x", by=UserFactory(), until=days_ago(days)), 1),
        (lambda days: RateWindow.objects.create(key="x", began_at=days_ago(days), taken=1), 1),
    ],
)  # fmt: skip
def test_what_is_old_goes_and_what_is_younger_stays(make, days):
    model, old = type(made := make(days + 0.1)), made.pk
    prune()
    assert not model.objects.filter(pk=old).exists()

    young = make(days - 0.1)
    prune()
    assert model.objects.filter(pk=young.pk).exists()


def test_sessions_go_when_they_have_ended():
    for number, days in enumerate((1, -1)):
        Session.objects.create(session_key=str(number), session_data="", expire_date=days_ago(days))

    prune()

    assert [session.session_key for session in Session.objects.all()] == ["1"]


def run_of(days, state=PeriodicState.SUCCEEDED, **columns):
    at = days_ago(days)
    return finished(PeriodicRun, days, name="sweep", slot=at, started_at=at, state=state, **columns)


def test_the_newest_run_of_a_job_stays():
    run_of(20)
    newest = run_of(10)

    prune()

    assert list(PeriodicRun.objects.all()) == [newest]


def test_a_run_by_hand_stands_in_for_no_slot():
    """The next slot is counted from the newest one of the schedule."""
    scheduled = run_of(20)
    run_of(10, trigger="person")

    prune()

    assert scheduled in PeriodicRun.objects.all()


def test_failed_runs_stay_longer():
    failed = run_of(80, PeriodicState.FAILED)
    run_of(100, PeriodicState.FAILED)
    run_of(1)

    prune()

    assert set(PeriodicRun.objects.filter(state=PeriodicState.FAILED)) == {failed}


def test_the_last_runs_of_the_invariants_stay():
    for days in (300, 200):
        for is_deep in (False, True):
            finished(InvariantRun, days, is_deep=is_deep, state=CheckState.CHECKED)

    prune()

    assert sorted(InvariantRun.objects.values_list("is_deep", flat=True)) == [False, True]


def test_what_waits_stays_whatever_its_age():
    mail = mails.queue(user=UserFactory(), key="k", subject="s", text="t")
    Mail.objects.update(accepted_at=days_ago(1000))
    upload = UploadFactory()
    open_attempt = Attempt.objects.create(
        pipeline="upload", subject=upload.pk, number=1, token=uuid.uuid4(), worker=uuid.uuid4(),
        started_at=days_ago(1000),
    )  # fmt: skip

    prune()

    assert Mail.objects.filter(pk=mail.pk).exists()
    assert Attempt.objects.filter(pk=open_attempt.pk).exists()


def test_history_stays_for_ever():
    Event.objects.create(type="x", subject_kind="x", subject_id="x", occurred_at=days_ago(4000))
    Decision.objects.create(what="x", by_label="x", subject_kind="x", decided_at=days_ago(4000))

    prune()

    assert Event.objects.count() == 1
    assert Decision.objects.count() == 1


def test_pruning_goes_in_batches_and_says_what_it_did(monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    for number in range(5):
        CaseClaim.objects.create(case=str(number), by=UserFactory(), until=days_ago(2))
    job = Job()

    assert retention.prune(job) == "5 claims on cases"
    assert job.told == 5
    assert prune() == "nothing was old enough"


def test_another_app_adds_its_line(monkeypatch):
    monkeypatch.setattr(retention, "_registered", [])
    user = UserFactory(username="old", is_active=True)
    retention.register(
        Kept("people", retention.DAY, "a test", lambda since: type(user).objects.filter(is_active=True),
             drop=lambda rows: rows.update(is_active=False))
    )  # fmt: skip

    assert prune() == "1 people"
    user.refresh_from_db()
    assert not user.is_active
    assert "people" in [kept.what for kept in retention.table()]


def test_temporary_files_of_killed_runs_are_removed(folders):
    old, young = folders / "var" / "tmp" / "old", folders / "var" / "tmp" / "young"
    old.mkdir()
    (old / "part").write_text("x")
    young.write_text("x")
    incoming = folders / "files" / ".incoming" / "tmpabc"
    incoming.write_text("x")
    original = folders / "files" / "organisation" / "sha"
    original.parent.mkdir()
    original.write_text("x")
    two_days_ago = time.time() - 2 * 86400
    for path in (old, incoming, original):
        os.utime(path, (two_days_ago, two_days_ago))

    assert prune() == "2 temporary files"
    assert (old.exists(), young.exists(), incoming.exists(), original.exists()) == (False, True, False, True)


def test_the_job_runs_in_the_ledger():
    run = periodic.start(name="retention", by=UserFactory(), why="test")
    Delivery.objects.all().delete()
    PeriodicRun.objects.filter(pk=run.pk).update(due_at=Now())

    runner.run(leases.claim_next(periodic.PIPELINE))

    run.refresh_from_db()
    assert (run.state, run.did) == (PeriodicState.SUCCEEDED, "nothing was old enough")
