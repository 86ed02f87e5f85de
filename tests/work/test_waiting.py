"""Why a row is not moving: each reason, with its moment."""

import datetime as dt
import uuid

import pytest
from django.db import transaction
from django.db.models.functions import Now

from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import DatasetFactory, UploadFactory
from work import leases, pauses, waiting
from work.models import Outcome, Worker
from work.pipelines import PIPELINES, Limits

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker():
    return Worker.objects.create(id=uuid.uuid4(), cluster=PIPELINES, label="host:1")


@pytest.fixture
def why(pipeline):
    def reason(upload, pipeline=pipeline):
        upload.refresh_from_db()
        return waiting.why(pipeline, upload)

    return reason


def age(upload, **columns):
    Upload.objects.filter(pk=upload.pk).update(**columns)


def ago(seconds):
    return Now() - dt.timedelta(seconds=seconds)


def test_row_under_a_live_lease_moves(why, pipeline):
    upload = UploadFactory()
    leases.claim_next(pipeline)

    assert why(upload) is None


def test_finished_row_waits_for_nothing(why, pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)
    with transaction.atomic():
        leases.finish(lease, state=UploadState.FAILED)

    assert why(upload) is None


def test_silent_worker_is_named_with_the_end_of_its_lease(why, pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)
    age(upload, heartbeat_at=ago(40), started_at=ago(90), locked_until=ago(-20))

    reason = why(upload)

    assert reason.code == "waits_for_lease"
    assert reason.sentence.startswith(f"Worker {leases.identity.current().label} holds it, silent for 40 s")
    upload.refresh_from_db()
    assert reason.until == upload.locked_until
    assert lease.row.pk == upload.pk


def test_expired_lease_waits_for_recovery(why, pipeline):
    upload = UploadFactory()
    leases.claim_next(pipeline)
    age(upload, locked_until=ago(5), heartbeat_at=ago(65), started_at=ago(70))

    reason = why(upload)

    assert (reason.code, reason.since) == ("lease_expired", upload.locked_until)


def test_question_waits_for_a_person(why, pipeline):
    upload = UploadFactory()
    lease = leases.claim_next(pipeline)
    with transaction.atomic():
        leases.ask(lease, question="which_sheet", state=UploadState.NEEDS_ANSWER)

    assert (why(upload).code, why(upload).since) == ("asks_a_person", upload.asked_at)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [("unforeseen_error", "was not foreseen"), ("original_missing", "It is tried again.")],
)
def test_backing_off_until_its_time(why, pipeline, code, sentence):
    upload = UploadFactory()
    account = leases.Account(Outcome.TEMPORARY_FAILURE, code=code)
    leases.release(leases.claim_next(pipeline), account, due_in=40)

    reason = why(upload)

    assert (reason.code, reason.until) == ("backing_off", upload.due_at)
    assert (sentence in reason.sentence, code in reason.sentence) == (True, False)


def test_postponed_row_is_not_said_to_have_failed(why, pipeline):
    upload = UploadFactory()
    account = leases.Account(Outcome.POSTPONED, code="budget")
    leases.release(leases.claim_next(pipeline), account, due_in=40, postponed=True)

    assert why(upload).code == "not_due"


def test_paused_pipeline_says_who_and_since_when(why, pipeline):
    upload = UploadFactory()
    held = pauses.pause(pipeline=pipeline, by="Ada", why="maintenance")

    reason = why(upload)

    assert (reason.code, reason.since) == ("paused", held.paused_at)
    assert "Ada" in reason.sentence


def test_no_worker_was_ever_seen(why):
    assert why(UploadFactory()).sentence == "No worker has been seen yet."


def test_no_worker_is_seen_any_more(why, worker):
    Worker.objects.update(seen_at=ago(90))

    reason = why(UploadFactory())

    assert (reason.code, reason.sentence) == ("no_worker", "No worker was seen for 90 s.")


def test_row_at_the_cap(why, with_steps, worker):
    pipeline = with_steps(limits=Limits(running=1))
    UploadFactory()
    leases.claim_next(pipeline)

    assert why(UploadFactory(), pipeline).code == "at_the_cap"


def test_expired_lease_holds_no_row_at_the_cap(why, with_steps, worker, expire):
    pipeline = with_steps(limits=Limits(running=1))
    UploadFactory()
    expire(leases.claim_next(pipeline).row)

    assert why(UploadFactory(), pipeline).code == "next"


def test_row_behind_others_of_its_organisation(why, worker):
    dataset = DatasetFactory()
    for _ in range(2):
        age(UploadFactory(dataset=dataset), due_at=ago(5))
    age(UploadFactory(), due_at=ago(9))

    reason = why(UploadFactory(dataset=dataset))

    assert reason.sentence == "Waits behind 2 others of its organisation."


def test_next_row_says_whether_workers_are_busy(why, worker):
    upload = UploadFactory()
    assert why(upload).sentence == "A worker is being woken for it."

    Worker.objects.update(busy_since=Now())

    assert why(upload).sentence == "It is next, as soon as a worker is free."


def test_list_gives_a_reason_for_each_unfinished_row(pipeline, worker):
    running, waits = UploadFactory(), UploadFactory()
    age(running, due_at=ago(50))
    leases.claim_next(pipeline)

    rows = list(Upload.objects.all())

    assert waiting.of_list(pipeline, rows)[waits.pk].code == "next"
