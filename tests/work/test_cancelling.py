"""Withdrawing work while it waits, runs or asks; at the same instant as everything else that may end it."""

import pytest
from django.db import transaction

from ingestion.models import Upload
from ingestion.states import ACTIVE, TERMINAL, UPLOAD_MOVES, UploadState
from tests.factories import UploadFactory
from work import cancelling, leases, recovery
from work.failures import ForbiddenMove, LeaseLost, StateChanged
from work.models import Attempt, Decision, Event, Outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def cancel(pipeline):
    def withdraw(upload, **changes):
        cancelling.cancel(
            **{
                "pipeline": pipeline, "row": upload, "state": UploadState.CANCELLED, "allowed": ACTIVE,
                "by": "uploader", "why": "wrong file", "what": "upload.cancelled", "label": upload.filename,
                **changes,
            }
        )  # fmt: skip
        upload.refresh_from_db()

    return withdraw


def test_waiting_row_ends_as_cancelled_with_who_and_why(cancel, pipeline):
    upload = UploadFactory()

    cancel(upload)

    assert (upload.state, upload.due_at) == (UploadState.CANCELLED, None)
    assert upload.finished_at is not None
    decision = Decision.objects.get()
    assert (decision.by_label, decision.why, decision.shown) == (
        "uploader",
        "wrong file",
        {"state": "accepted", "step": ""},
    )
    assert Event.objects.get(type="upload.cancelled").subject_id == str(upload.pk)
    assert leases.claim_next(pipeline) is None


def test_running_row_is_fenced_off(cancel, pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)

    cancel(upload)

    assert (upload.state, upload.lease_token) == (UploadState.CANCELLED, None)
    assert Attempt.objects.get().outcome == Outcome.CANCELLED
    with pytest.raises(LeaseLost), transaction.atomic():
        leases.finish(lease, state=UploadState.FAILED)


def test_asking_row_can_be_withdrawn(cancel, pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)
    with transaction.atomic():
        leases.ask(lease, question="which_sheet", state=UploadState.NEEDS_ANSWER)

    cancel(upload)

    assert (upload.state, upload.question) == (UploadState.CANCELLED, None)


def test_row_of_a_dead_worker_can_be_withdrawn(cancel, pipeline, expire):
    upload = UploadFactory()
    expire(leases.claim_next(pipeline).row)

    cancel(upload)

    assert recovery.recover(pipeline).returned == 0
    assert upload.state == UploadState.CANCELLED


@pytest.mark.parametrize("state", TERMINAL)
def test_ended_row_says_how_it_ended(cancel, pipeline, state):
    upload = UploadFactory()
    Upload.objects.filter(pk=upload.pk).update(**ended(state))

    with pytest.raises(StateChanged) as changed:
        cancel(upload)

    assert changed.value.found == state
    assert not Decision.objects.exists()


def ended(state):
    columns = {"state": state, "due_at": None, "finished_at": "2026-06-01T00:00:00Z"}
    if state in (UploadState.PROCESSED, UploadState.PARTIAL):
        columns |= {"run": "0" * 32, "rows_read": 2, "valid": 1, "inserted": 1}
        columns |= {"refused": 1} if state == UploadState.PARTIAL else {"blank": 1}
    return columns


def test_state_outside_of_the_allowed_ones_changes_nothing(cancel):
    upload = UploadFactory()

    with pytest.raises(StateChanged):
        cancel(upload, allowed=[UploadState.PROCESSING])

    upload.refresh_from_db()
    assert upload.state == UploadState.ACCEPTED


def test_move_that_the_machine_does_not_have_is_an_error(cancel):
    upload = UploadFactory()

    with pytest.raises(ForbiddenMove):
        cancel(upload, state="invented")

    upload.refresh_from_db()
    assert upload.state == UploadState.ACCEPTED


def test_what_comes_with_the_withdrawal_is_one_transaction(cancel):
    upload = UploadFactory()

    def fails():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        cancel(upload, also=fails)

    upload.refresh_from_db()
    assert upload.state == UploadState.ACCEPTED
    assert not Decision.objects.exists()


def attempted(function, error):
    def call():
        try:
            function()
        except error:
            return False
        return True

    return call


@pytest.mark.django_db(transaction=True)
def test_withdrawal_and_finish_at_the_same_instant_have_one_winner(cancel, pipeline, at_once):
    for _ in range(20):
        upload = UploadFactory()
        lease = leases.claim_next(pipeline)

        def finish(lease=lease):
            with transaction.atomic():
                leases.finish(lease, state=UploadState.FAILED)

        withdrew, finished = at_once(
            attempted(lambda upload=upload: cancel(upload), StateChanged), attempted(finish, LeaseLost)
        )

        upload.refresh_from_db()
        assert withdrew != finished
        assert (upload.state == UploadState.CANCELLED) == withdrew


@pytest.mark.django_db(transaction=True)
def test_two_withdrawals_at_once_write_one_decision(cancel, at_once):
    upload = UploadFactory()

    results = at_once(*[attempted(lambda: cancel(Upload.objects.get(pk=upload.pk)), StateChanged)] * 4)

    assert sum(results) == 1
    assert Decision.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_withdrawal_and_claim_at_the_same_instant_leave_no_lease(cancel, pipeline, at_once):
    for _ in range(20):
        upload = UploadFactory()

        at_once(lambda upload=upload: cancel(upload), lambda: leases.claim_next(pipeline))

        upload.refresh_from_db()
        assert (upload.state, upload.lease_token) == (UploadState.CANCELLED, None)
        assert not Attempt.objects.filter(subject=upload.pk, ended_at=None).exists()


def test_every_active_state_may_be_withdrawn():
    assert all(UploadState.CANCELLED in UPLOAD_MOVES[state] for state in ACTIVE)
