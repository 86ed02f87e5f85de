import uuid

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import DatasetFactory, UploadFactory
from work import leases
from work.failures import LeaseLost
from work.leases import Account
from work.models import Attempt, Outcome, PipelinePause

pytestmark = pytest.mark.django_db


def test_claim_moves_the_row_and_opens_an_attempt(pipeline):
    upload = UploadFactory()

    lease = leases.claim_next(pipeline)

    upload.refresh_from_db()
    attempt = Attempt.objects.get()
    assert lease.row.pk == upload.pk
    assert (upload.state, upload.starts, upload.unanswered) == (UploadState.PROCESSING, 1, 1)
    assert upload.lease_token == lease.token == attempt.token
    assert upload.due_at is None
    assert attempt.number == 1


def test_claim_takes_nothing_when_nothing_is_due(pipeline):
    Upload.objects.filter(pk=UploadFactory().pk).update(due_at=Now() + timedelta_hours(1))

    assert leases.claim_next(pipeline) is None


def test_claim_takes_nothing_from_a_paused_pipeline(pipeline):
    UploadFactory()
    PipelinePause.objects.create(pipeline="upload", paused_by_label="operator", reason="maintenance")

    assert leases.claim_next(pipeline) is None


def test_claim_takes_turns_between_organisations(pipeline):
    big, small = DatasetFactory(), DatasetFactory()
    for _ in range(5):
        UploadFactory(dataset=big)
    UploadFactory(dataset=small)

    served = [leases.claim_next(pipeline).row.organisation_id for _ in range(2)]

    assert set(served) == {big.organisation_id, small.organisation_id}


def test_claim_takes_the_oldest_of_an_organisation_first(pipeline):
    dataset = DatasetFactory()
    first, second = UploadFactory(dataset=dataset), UploadFactory(dataset=dataset)
    Upload.objects.filter(pk=second.pk).update(due_at=Now() - timedelta_hours(1))

    assert [leases.claim_next(pipeline).row.pk for _ in range(2)] == [second.pk, first.pk]


def test_finish_ends_row_and_attempt(pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)

    with transaction.atomic():
        leases.finish(lease, state=UploadState.FAILED, fields={"failure_code": "unreadable"})

    upload.refresh_from_db()
    assert (upload.state, upload.failure_code, upload.unanswered) == (UploadState.FAILED, "unreadable", 0)
    assert upload.finished_at is not None
    assert Attempt.objects.get().outcome == Outcome.FINISHED


@pytest.mark.django_db(transaction=True)
def test_finish_outside_a_transaction_is_refused(pipeline):
    UploadFactory()
    lease = leases.claim_next(pipeline)

    with pytest.raises(RuntimeError):
        leases.finish(lease, state=UploadState.FAILED)


def test_a_late_finish_with_an_older_token_changes_nothing(pipeline):
    upload = UploadFactory()
    old = leases.claim_next(pipeline)
    leases.release(old, Account(Outcome.TEMPORARY_FAILURE), due_in=0)
    new = leases.claim_next(pipeline)

    with pytest.raises(LeaseLost), transaction.atomic():
        leases.finish(old, state=UploadState.FAILED)

    upload.refresh_from_db()
    assert upload.state == UploadState.PROCESSING
    assert upload.lease_token == new.token


def test_tokens_never_repeat(pipeline):
    UploadFactory()
    tokens = set()
    for _ in range(20):
        lease = leases.claim_next(pipeline)
        tokens.add(lease.token)
        leases.release(lease, Account(Outcome.POSTPONED), due_in=0, postponed=True)

    assert len(tokens) == 20


def test_release_counts_what_was_postponed_against_nobody(pipeline):
    upload = UploadFactory()
    leases.release(leases.claim_next(pipeline), Account(Outcome.POSTPONED), due_in=30, postponed=True)

    upload.refresh_from_db()
    assert (upload.postponed, upload.unanswered, upload.state) == (1, 0, UploadState.ACCEPTED)
    assert upload.due_at is not None


def test_ask_hands_the_row_to_a_person(pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)

    with transaction.atomic():
        leases.ask(lease, question="which_column", state=UploadState.NEEDS_ANSWER)

    upload.refresh_from_db()
    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "which_column")
    assert upload.asked_at is not None


def test_second_law_is_a_constraint():
    upload = UploadFactory()

    with pytest.raises(IntegrityError, match="upload_is_leased_due_asking_or_finished"), transaction.atomic():
        Upload.objects.filter(pk=upload.pk).update(due_at=None)


def test_saving_a_leased_row_whole_is_refused():
    upload = UploadFactory()

    with pytest.raises(ValueError, match="update_fields"):
        upload.save()
    with pytest.raises(ValueError, match="lease_token"):
        upload.save(update_fields=["lease_token"])


def test_one_open_attempt_per_subject_is_a_constraint(pipeline):
    UploadFactory()
    lease = leases.claim_next(pipeline)

    with pytest.raises(IntegrityError, match="one_open_attempt_per_subject"), transaction.atomic():
        Attempt.objects.create(
            pipeline="upload",
            subject=lease.row.pk,
            number=2,
            token=uuid.uuid4(),
            worker=uuid.uuid4(),
            worker_label="x",
        )


def test_renewals_stay_heap_only(pipeline):
    """An index on locked_until or progress would make every renewal write every index."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(indexdef, ' ') FROM pg_indexes WHERE tablename = 'ingestion_upload'"
        )
        (definitions,) = cursor.fetchone()

    assert "locked_until" not in definitions
    assert "progress" not in definitions


def timedelta_hours(hours):
    import datetime as dt

    return dt.timedelta(hours=hours)
