"""How an attempt ends: each way of raising, and what the row and the attempt say afterwards."""

import datetime as dt
import time

import pytest
from django.db import IntegrityError, OperationalError, transaction
from django.db.models.functions import Now

from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import UploadFactory
from work import leases, recovery, runner, stopping
from work.failures import UNFORESEEN, Asks, PermanentFailure, Postponed, Stopping, TemporaryFailure
from work.models import Attempt, Outcome, RefusedWrite
from work.pipelines import Ending, Limits

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(with_steps):
    """Run one upload through the given steps; the upload and its last attempt."""

    def once(*steps, upload=None, **changes):
        upload = upload or UploadFactory()
        lease = leases.claim_next(with_steps(*steps, **changes))
        assert lease.row.pk == upload.pk
        runner.run(lease)
        upload.refresh_from_db()
        return upload, Attempt.objects.get(token=lease.token)

    return once


def raising(error):
    def step(job, context):
        raise error

    return step


def ends(job, context):
    with transaction.atomic():
        job.finish(state=UploadState.FAILED)


def test_steps_run_in_order_with_one_context_and_keep_their_durations(run):
    seen = []

    def first(job, context):
        context.append("first")

    def second(job, context):
        seen.extend([*context, "second"])
        ends(job, context)

    upload, attempt = run(first, second, begin=lambda row: [])

    assert seen == ["first", "second"]
    assert (upload.state, attempt.outcome) == (UploadState.FAILED, Outcome.FINISHED)
    assert [step["name"] for step in attempt.steps][:1] == ["first"]


def test_permanent_failure_ends_the_row_with_code_and_detail(run):
    upload, attempt = run(raising(PermanentFailure("unreadable", line=3)))

    assert (upload.state, upload.failure_code, upload.failure_detail) == (
        UploadState.FAILED,
        "unreadable",
        {"line": 3},
    )
    assert (attempt.outcome, attempt.code, upload.unanswered) == (Outcome.FAILED, "unreadable", 0)
    assert attempt.fingerprint


def test_permanent_failure_may_ask_a_person_instead(run):
    upload, _ = run(
        raising(PermanentFailure("unclear")),
        on_failure=lambda row, code, detail: Ending(UploadState.NEEDS_ANSWER, question="what_now"),
    )

    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "what_now")


def test_temporary_failure_backs_off_and_counts_as_an_answer(run):
    upload, attempt = run(raising(TemporaryFailure("storage_away")))

    assert (upload.state, upload.unanswered, attempt.outcome) == (
        UploadState.ACCEPTED,
        0,
        Outcome.TEMPORARY_FAILURE,
    )
    assert seconds_until_due(upload) == pytest.approx(5, abs=1)


def seconds_until_due(upload):
    now = Upload.objects.filter(pk=upload.pk).values_list(Now(), flat=True).get()
    return (upload.due_at - now).total_seconds()


def test_backoff_grows_to_a_quarter_of_an_hour(run, make_due):
    upload, waits = None, []
    for _ in range(10):
        upload, _ = run(raising(TemporaryFailure("storage_away")), upload=upload)
        waits.append(round(seconds_until_due(upload)))
        make_due(upload)

    assert waits[:4] == [5, 10, 20, 40]
    assert waits[-1] == 900


def test_temporary_failures_end_by_age(run, accepted_long_ago):
    upload = UploadFactory()
    accepted_long_ago(upload, dt.timedelta(hours=25))

    upload, attempt = run(raising(TemporaryFailure("storage_away")), upload=upload)

    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "storage_away")
    assert upload.failure_detail["gave_up_after_hours"] == pytest.approx(25, abs=0.1)
    assert attempt.outcome == Outcome.FAILED


def test_days_that_a_person_took_to_answer_do_not_count(run, accepted_long_ago):
    asks = raising(Asks("which_sheet", UploadState.NEEDS_ANSWER))
    upload, _ = run(asks)
    accepted_long_ago(upload, dt.timedelta(hours=50))
    Upload.objects.filter(pk=upload.pk).update(
        state=UploadState.ACCEPTED, asked_at=None, question=None, due_at=Now()
    )

    upload, _ = run(raising(TemporaryFailure("storage_away")), upload=upload)

    assert (upload.state, upload.failure_code) == (UploadState.ACCEPTED, "")


def test_question_and_what_the_pipeline_says_of_it_are_one_transaction(run):
    def on_asking(row, question):
        Upload.objects.filter(pk=row.pk).update(filename=question)

    asks = raising(Asks("which_sheet", UploadState.NEEDS_ANSWER))
    asked, _ = run(asks, on_asking=on_asking)
    refused, _ = run(raising(Asks("which_sheet", "invented")), on_asking=on_asking)

    assert (asked.state, asked.filename) == (UploadState.NEEDS_ANSWER, "which_sheet")
    assert refused.filename == "stations.csv"


def test_age_is_read_from_the_database_and_not_from_the_workers_clock(run, monkeypatch):
    monkeypatch.setattr("django.utils.timezone.now", lambda: dt.datetime.now(dt.UTC) + dt.timedelta(days=3))

    upload, _ = run(raising(TemporaryFailure("storage_away")))

    assert upload.state == UploadState.ACCEPTED


def test_the_unforeseen_is_temporary_and_keeps_its_place_but_not_its_message(run):
    upload, attempt = run(raising(ValueError("cell says: secret")))

    assert (upload.state, attempt.code) == (UploadState.ACCEPTED, UNFORESEEN)
    assert "test_runner.py" in attempt.traceback
    assert "secret" not in attempt.traceback
    assert attempt.detail == {"error": "ValueError"}


def test_failures_of_one_cause_share_a_fingerprint(run):
    def here(job, context):
        raise ValueError("one")

    def there(job, context):
        raise ValueError("two")

    first, again, other = (run(step)[1].fingerprint for step in (here, here, there))

    assert first == again
    assert other not in {first, ""}


def test_postponed_counts_against_nobody(run, make_due):
    upload, attempt = run(raising(Postponed("budget", dt.timedelta(seconds=30))))

    assert (upload.postponed, upload.unanswered, attempt.outcome) == (1, 0, Outcome.POSTPONED)
    assert seconds_until_due(upload) == pytest.approx(30, abs=1)
    make_due(upload)
    upload, _ = run(raising(TemporaryFailure("storage_away")), upload=upload)
    assert seconds_until_due(upload) == pytest.approx(5, abs=1), "the postponed start made the backoff grow"


def test_asking_hands_the_row_to_a_person(run):
    upload, attempt = run(
        raising(Asks("which_sheet", UploadState.NEEDS_ANSWER, failure_detail={"sheets": 2}))
    )

    assert (upload.state, upload.question, upload.failure_detail) == (
        UploadState.NEEDS_ANSWER,
        "which_sheet",
        {"sheets": 2},
    )
    assert (attempt.outcome, attempt.code) == (Outcome.ASKED, "which_sheet")


def test_stop_releases_at_once_without_burning_an_attempt(run):
    def long_step(job, context):
        stopping.ask()
        job.progress(1)
        raise AssertionError("went on after the stop")

    upload, attempt = run(long_step)

    assert (upload.state, upload.postponed, upload.unanswered) == (UploadState.ACCEPTED, 1, 0)
    assert (attempt.outcome, attempt.code) == (Outcome.POSTPONED, "stopping")
    assert seconds_until_due(upload) <= 0


def test_stop_between_steps_starts_no_further_step(run):
    def first(job, context):
        stopping.ask()

    upload, _ = run(first, raising(AssertionError("started")))

    assert upload.postponed == 1


def test_last_step_without_an_end_is_told(run):
    upload, attempt = run(lambda job, context: None)

    assert (upload.state, attempt.detail) == (UploadState.ACCEPTED, {"error": "RuntimeError"})


def test_effect_and_end_are_one_transaction(run):
    def step(job, context):
        with transaction.atomic():
            Upload.objects.filter(pk=job.row.pk).update(filename="effect.csv")
            job.finish(state=UploadState.FAILED)
            raise PermanentFailure("after_the_fence")

    upload, _ = run(step)

    assert upload.filename != "effect.csv"
    assert upload.failure_code == "after_the_fence"


def test_late_effect_is_rolled_back_and_its_write_recorded(run, pipeline, expire):
    def step(job, context):
        expire(job.row)
        recovery.recover(pipeline)
        with transaction.atomic():
            Upload.objects.filter(pk=job.row.pk).update(filename="effect.csv")
            job.finish(state=UploadState.FAILED)

    upload, attempt = run(step)

    assert (upload.state, upload.filename) == (UploadState.ACCEPTED, "stations.csv")
    assert attempt.outcome == Outcome.DIED
    assert RefusedWrite.objects.get().tried == "finish as failed"


def test_late_failure_is_refused_too(run, pipeline, expire):
    def step(job, context):
        expire(job.row)
        recovery.recover(pipeline)
        raise PermanentFailure("unreadable")

    upload, _ = run(step)

    assert (upload.state, upload.failure_code) == (UploadState.ACCEPTED, "")
    assert RefusedWrite.objects.count() == 1


def test_what_a_step_raises_after_its_lease_was_lost_is_no_failure_of_its_own(run):
    """The heart kills the step's child; the step then sees a broken pipe."""

    def step(job, context):
        job.held.lose("hung")
        raise PermanentFailure("reader_killed")

    upload, attempt = run(step)

    assert (upload.state, upload.failure_code, attempt.outcome) == (UploadState.PROCESSING, "", None)
    assert not RefusedWrite.objects.exists()


def test_commit_without_confirmation_is_not_called_a_late_write(run):
    def step(job, context):
        ends(job, context)
        job.has_ended = False  # as when the connection breaks between the commit and its answer
        raise OperationalError("server closed the connection unexpectedly")

    upload, attempt = run(step)

    assert (upload.state, attempt.outcome) == (UploadState.FAILED, Outcome.FINISHED)
    assert not RefusedWrite.objects.exists()


def test_answer_waits_for_a_database_that_is_away(run, monkeypatch):
    """Three restarts of the database under one row must not look like three deaths."""
    monkeypatch.setattr(runner, "ANSWER_AGAIN_SECONDS", 0.01)
    away = iter([OperationalError("the database system is starting up")] * 3)

    def on_failure(row, code, detail):
        for error in away:
            raise error
        return Ending(UploadState.FAILED)

    upload, _ = run(raising(PermanentFailure("unreadable")), on_failure=on_failure)

    assert (upload.state, upload.unanswered) == (UploadState.FAILED, 0)


def test_answer_that_cannot_be_written_is_left_to_recovery(run):
    def on_failure(row, code, detail):
        raise IntegrityError("an error in the pipeline's own part")

    upload, attempt = run(raising(PermanentFailure("unreadable")), on_failure=on_failure)

    assert (upload.state, attempt.outcome, upload.unanswered) == (UploadState.PROCESSING, None, 1)


def test_error_in_the_context_is_an_answer_too(run):
    def begin(row):
        raise TemporaryFailure("schema_gone")

    upload, attempt = run(begin=begin)

    assert (upload.state, attempt.code) == (UploadState.ACCEPTED, "schema_gone")


def test_limits_of_age_are_the_pipelines_own(run, accepted_long_ago):
    upload = UploadFactory()
    accepted_long_ago(upload, dt.timedelta(minutes=11))

    upload, _ = run(
        raising(TemporaryFailure("away")),
        upload=upload,
        limits=Limits(running=None, gives_up_after=dt.timedelta(minutes=10)),
    )

    assert upload.state == UploadState.FAILED


def test_move_that_the_machine_does_not_have_writes_nothing(run):
    def step(job, context):
        with transaction.atomic():
            Upload.objects.filter(pk=job.row.pk).update(filename="effect.csv")
            job.finish(state="invented")

    upload, attempt = run(step)

    assert (upload.state, upload.filename) == (UploadState.ACCEPTED, "stations.csv")
    assert attempt.detail == {"error": "ForbiddenMove"}


def test_stopping_is_raised_by_progress_and_by_check(run):
    seen = []

    def step(job, context):
        job.progress(1, total=10, unit="rows")
        stopping.ask()
        for call in (job.check, lambda: job.progress(2)):
            try:
                call()
            except Stopping:
                seen.append("stopped")
        ends(job, context)

    run(step)

    assert seen == ["stopped", "stopped"]


def test_run_takes_no_longer_than_its_steps(run):
    begun = time.monotonic()
    run(ends)

    assert time.monotonic() - begun < 2
