"""Rows whose worker gave no answer: returned, failed after three, or parked; never finished and failed."""

import dataclasses
import datetime as dt
import uuid

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models.functions import Now

from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import UploadFactory
from work import leases, recovery
from work.failures import LeaseLost
from work.models import Attempt, Event, Outcome, RefusedWrite, Worker
from work.pipelines import Ending
from work.recovery import DIED_REPEATEDLY, PARKED

pytestmark = pytest.mark.django_db


@pytest.fixture
def expired(pipeline, expire):
    """An upload whose worker died after its claim."""

    def make(number=1):
        upload = UploadFactory()
        for _ in range(number):
            lease = leases.claim_next(pipeline)
            expire(lease.row)
            if number > 1:
                recovery.recover(pipeline)
        upload.refresh_from_db()
        return upload

    return make


def test_expired_row_goes_back_and_its_attempt_died(pipeline, expired):
    upload = expired()

    counts = recovery.recover(pipeline)

    upload.refresh_from_db()
    attempt = Attempt.objects.get()
    assert str(counts) == "1 returned, 0 ended, 0 parked, 0 left"
    assert (upload.state, upload.lease_token, upload.unanswered) == (UploadState.ACCEPTED, None, 1)
    assert upload.due_at is not None
    assert (attempt.outcome, attempt.code) == (Outcome.DIED, "no_answer")


def test_recovered_row_is_claimed_once_more_with_the_next_number(pipeline, expired):
    expired()
    recovery.recover(pipeline)

    lease = leases.claim_next(pipeline)

    assert lease.row.starts == 2
    assert leases.claim_next(pipeline) is None
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == [Outcome.DIED, None]


def test_lost_attempt_is_told_with_the_worker_and_the_step(pipeline, expired):
    upload = expired()
    Upload.objects.filter(pk=upload.pk).update(step="read")

    recovery.recover(pipeline)

    told = Event.objects.get(type="work.attempt_lost")
    assert told.subject_id == str(upload.pk)
    assert told.payload["step"] == "read"
    assert told.payload["worker"] == Attempt.objects.get().worker_label


def test_three_deaths_fail_the_row_for_good(pipeline, expired):
    upload = expired(3)

    assert (upload.state, upload.failure_code, upload.starts) == (UploadState.FAILED, DIED_REPEATEDLY, 3)
    assert leases.claim_next(pipeline) is None
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {Outcome.DIED}


def test_answers_between_deaths_are_forgiven(pipeline, expired):
    """Temporary failures answer: a long outage fails nothing for good."""
    upload = expired()
    recovery.recover(pipeline)
    for _ in range(6):
        leases.release(leases.claim_next(pipeline), leases.Account(Outcome.TEMPORARY_FAILURE), due_in=0)

    upload.refresh_from_db()
    assert (upload.state, upload.starts, upload.unanswered) == (UploadState.ACCEPTED, 7, 1)


def test_live_lease_is_never_taken_however_old_the_attempt(pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)
    Upload.objects.filter(pk=upload.pk).update(started_at=Now() - dt.timedelta(days=2))

    recovery.recover(pipeline)

    upload.refresh_from_db()
    assert upload.lease_token == lease.token


def test_row_of_a_worker_that_is_known_to_nobody_is_recovered(pipeline, expired):
    upload = expired()
    Worker.objects.all().delete()
    Upload.objects.filter(pk=upload.pk).update(locked_by=uuid.uuid4())

    assert recovery.recover(pipeline).returned == 1


def test_row_without_an_attempt_is_recovered(pipeline):
    """The attempt's table may have been cleaned by hand; the row must not hang for it."""
    upload = UploadFactory(running=True)
    Upload.objects.filter(pk=upload.pk).update(locked_until=Now() - dt.timedelta(seconds=1))

    assert recovery.recover(pipeline).returned == 1


@pytest.mark.django_db(transaction=True)
def test_two_recoveries_at_once_return_a_row_once(pipeline, expired, at_once):
    for _ in range(20):
        expired()

    counts = at_once(*[lambda: recovery.recover(pipeline)] * 4)

    assert sum(count.returned for count in counts) == 20
    assert Event.objects.filter(type="work.attempt_lost").count() == 20


def finish(lease):
    try:
        with transaction.atomic():
            leases.finish(lease, state=UploadState.FAILED, fields={"failure_code": "finished"})
    except LeaseLost:
        return False
    return True


@pytest.mark.django_db(transaction=True)
def test_recovery_and_finish_at_the_same_instant_have_one_winner(pipeline, expire, at_once):
    for _ in range(25):
        upload = UploadFactory()
        lease = leases.claim_next(pipeline)
        expire(lease.row)

        finished, counts = at_once(lambda lease=lease: finish(lease), lambda: recovery.recover(pipeline))

        upload.refresh_from_db()
        outcome = Attempt.objects.get(token=lease.token).outcome
        assert (finished, counts.returned, counts.left) in {(True, 0, 0), (False, 1, 0)}
        assert (upload.state == UploadState.FAILED, outcome == Outcome.FINISHED) == (finished, finished)
        Upload.objects.filter(pk=upload.pk, state=UploadState.ACCEPTED).delete()


def test_row_that_cannot_be_recovered_is_parked_and_stops_no_other(pipeline, expired):
    bad, good = expired(), expired()

    def on_expiry(row, died):
        if row.pk == bad.pk:
            raise KeyError("nobody thought of this")
        return Ending(UploadState.ACCEPTED)

    counts = recovery.recover(dataclasses.replace(pipeline, on_expiry=on_expiry))

    bad.refresh_from_db()
    good.refresh_from_db()
    assert (counts.parked, counts.returned) == (1, 1)
    assert (bad.question, bad.lease_token, good.state) == (PARKED, None, UploadState.ACCEPTED)
    assert Attempt.objects.get(subject=bad.pk).outcome == Outcome.DIED


def test_busy_database_parks_nothing(pipeline, expired):
    upload = expired()

    def on_expiry(row, died):
        raise OperationalError("deadlock detected")

    counts = recovery.recover(dataclasses.replace(pipeline, on_expiry=on_expiry))

    upload.refresh_from_db()
    assert (counts.left, counts.parked, upload.question) == (1, 0, None)
    assert recovery.recover(pipeline).returned == 1


def test_ending_that_the_machine_does_not_have_parks_the_row(pipeline, expired):
    upload = expired()
    lawless = dataclasses.replace(pipeline, on_expiry=lambda row, died: Ending("invented"))

    assert recovery.recover(lawless).parked == 1
    upload.refresh_from_db()
    assert upload.state == UploadState.PROCESSING


def test_pipeline_may_close_instead_of_requeue(pipeline, expired):
    upload = expired()
    closing = dataclasses.replace(
        pipeline, on_expiry=lambda row, died: Ending(UploadState.FAILED, {"failure_code": "interrupted"})
    )

    assert recovery.recover(closing).ended == 1
    upload.refresh_from_db()
    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "interrupted")


def test_pages_are_all_seen(pipeline, monkeypatch, expire):
    monkeypatch.setattr(recovery, "PAGE", 3)
    for _ in range(8):
        UploadFactory()
        expire(leases.claim_next(pipeline).row)

    assert recovery.recover(pipeline).returned == 8


def test_late_finish_after_recovery_reaches_the_token_not_the_state(pipeline, expired, expire):
    """The row is under a new lease in the same state: only the token tells the late worker from the new."""
    UploadFactory()
    late = leases.claim_next(pipeline)
    expire(late.row)
    recovery.recover(pipeline)
    fresh = leases.claim_next(pipeline)
    assert (fresh.row.pk, fresh.state) == (late.row.pk, late.state)

    assert not finish(late)
    assert finish(fresh)


def test_refused_write_says_what_was_tried_and_what_was_found(pipeline, expired, expire):
    UploadFactory()
    late = leases.claim_next(pipeline)
    expire(late.row)
    recovery.recover(pipeline)

    leases.record_refused(late, tried="finish as processed")

    refused = RefusedWrite.objects.get()
    assert (refused.token, refused.tried) == (late.token, "finish as processed")
    assert refused.found["state"] == UploadState.ACCEPTED


def test_open_attempt_beside_an_unleased_row_cannot_be(pipeline, expired):
    expired()
    recovery.recover(pipeline)
    lease = leases.claim_next(pipeline)

    with pytest.raises(IntegrityError, match="one_open_attempt_per_subject"), transaction.atomic():
        Attempt.objects.filter(number=1).update(ended_at=None, outcome=None)
    assert Attempt.objects.filter(subject=lease.row.pk, ended_at__isnull=True).count() == 1


@pytest.mark.django_db(transaction=True)
def test_recovery_holds_no_lock_when_it_is_done(pipeline, expired):
    expired()
    recovery.recover(pipeline)

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        assert cursor.fetchone() == (0,)
