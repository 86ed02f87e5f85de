"""The heart: it renews, writes progress, and stops renewing what hangs or cannot reach the database."""

import subprocess
import threading
import time

import psycopg
import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from config import processes
from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import UploadFactory
from work import cancelling, heart, leases, recovery, runner
from work.failures import LeaseLost
from work.heart import HUNG, NO_DATABASE, TAKEN
from work.jobs import Job
from work.models import Attempt, Outcome, RefusedWrite, Worker
from work.pipelines import Step

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("short_lease")]


def eventually(condition, seconds=5):
    assert processes.wait_until(condition, seconds=seconds, every=0.02)


@pytest.fixture
def job(pipeline, beating):
    """A claimed upload whose lease the heart holds."""
    UploadFactory()
    made = Job(leases.claim_next(pipeline))
    beating.hold(made.held)
    yield made
    beating.drop(made.held)


def column(job, name):
    return Upload.objects.filter(pk=job.row.pk).values_list(name, flat=True).get()


def test_lease_is_renewed_while_the_step_works(job):
    first = column(job, "locked_until")

    eventually(lambda: column(job, "locked_until") > first)
    assert job.held.lost == ""


def test_step_longer_than_its_lease_is_not_taken(with_steps, pipeline):
    """A quarter of the lease is left to the machine's hiccups."""

    def long_step(job, context):
        ends = time.monotonic() + 2.5
        while time.monotonic() < ends:
            recovery.recover(pipeline)
            job.progress(1)
            time.sleep(0.05)
        with transaction.atomic():
            job.finish(state=UploadState.FAILED)

    UploadFactory()
    runner.run(leases.claim_next(with_steps(long_step)))

    assert Attempt.objects.get().outcome == Outcome.FINISHED


def test_progress_and_step_reach_the_row(job):
    with job.step(Step("read", lambda job, context: None)):
        job.progress(5, total=20, unit="rows")
        eventually(lambda: column(job, "progress_done") == 5)

        row = Upload.objects.get(pk=job.row.pk)
        assert (row.step, row.progress_total, row.progress_unit) == ("read", 20, "rows")
        assert row.heartbeat_at is not None


def test_progress_starts_anew_with_each_step(job):
    with job.step(Step("read", lambda job, context: None)):
        job.progress(5, total=20, unit="rows")
    with job.step(Step("store", lambda job, context: None)):
        assert job.held.progress() == ("store", 0, None, "")


def test_lease_taken_by_somebody_else_is_noticed(job):
    Upload.objects.filter(pk=job.row.pk).update(
        lease_token=None, locked_until=None, locked_by=None, due_at=Now(), state=UploadState.ACCEPTED
    )

    eventually(lambda: job.held.lost == TAKEN)
    with pytest.raises(LeaseLost) as lost:
        job.check()
    assert lost.value.tried == "renew the lease"


def test_cancelled_work_stops_at_its_next_check_and_ends_as_cancelled(with_steps, pipeline):
    upload = UploadFactory()

    def step(job, context):
        cancelling.cancel(
            pipeline=pipeline, row=upload, state=UploadState.CANCELLED, allowed=[UploadState.PROCESSING],
            by="uploader", why="wrong file", what="upload.cancelled", label="x",
        )  # fmt: skip
        ends = time.monotonic() + 5
        while time.monotonic() < ends:
            job.progress(1)
            time.sleep(0.02)

    runner.run(leases.claim_next(with_steps(step)))

    upload.refresh_from_db()
    assert upload.state == UploadState.CANCELLED
    assert Attempt.objects.get().outcome == Outcome.CANCELLED
    assert RefusedWrite.objects.get().found["state"] == UploadState.CANCELLED


def test_silent_step_ends_as_hung_and_its_child_is_killed(with_steps, pipeline):
    child = subprocess.Popen(["/bin/sleep", "60"])

    def silent(job, context):
        with job.killing(child.kill):
            child.wait()
        job.check()

    upload = UploadFactory()
    runner.run(leases.claim_next(with_steps(Step("silent", silent, silent_for=0.3))))

    eventually(lambda: Attempt.objects.get().hung_at_step == "silent")
    eventually(lambda: recovery.recover(pipeline).returned == 1)
    attempt = Attempt.objects.get()
    assert child.returncode == -9
    assert (attempt.outcome, attempt.step) == (Outcome.HUNG, "silent")
    upload.refresh_from_db()
    assert upload.unanswered == 1


def test_step_that_reports_for_ever_ends_at_its_limit(with_steps):
    def busy(job, context):
        while True:
            job.progress(1)
            time.sleep(0.02)

    UploadFactory()
    begun = time.monotonic()
    runner.run(leases.claim_next(with_steps(Step("busy", busy, at_most=0.4))))

    assert 0.3 < time.monotonic() - begun < 3


def test_context_that_never_comes_is_hung_too(with_steps, monkeypatch):
    monkeypatch.setattr(heart, "BEGINNING", Step("begin", lambda job, context: None, silent_for=0.2))
    UploadFactory()
    lease = leases.claim_next(with_steps())
    held = heart.Held(lease=lease, step=heart.BEGINNING)
    heart.the().hold(held)

    eventually(lambda: held.lost == HUNG)
    heart.the().drop(held)


def test_killer_of_a_lease_lost_before_is_called(job):
    called = []
    job.held.lose(TAKEN)

    with pytest.raises(LeaseLost), job.killing(lambda: called.append("killed")):
        raise AssertionError("the block ran")

    assert called == ["killed"]


def test_holder_stops_itself_before_its_lease_ends_when_renewals_fail(job, monkeypatch):
    def away():
        raise psycopg.OperationalError("no route to the database")

    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
    eventually(lambda: heart.the()._connection is not None)
    monkeypatch.setattr(heart, "_connect", away)
    heart.the()._close()

    eventually(lambda: job.held.lost == NO_DATABASE, seconds=3)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    assert column(job, "locked_until") > now, "it stopped only after its lease had ended"


def test_watch_is_held_up_by_nothing_outside(job, monkeypatch):
    """A database that takes the connection and never answers blocks the beat, not the watch."""
    release = threading.Event()
    monkeypatch.setattr(heart.Heart, "_execute", lambda *args: release.wait(10) and 0)

    eventually(lambda: job.held.lost == NO_DATABASE, seconds=3)
    release.set()


def test_renewal_waits_behind_no_transaction_of_the_step(job):
    """The fence stands last: until then the effect's transaction does not hold the row."""
    with transaction.atomic():
        Attempt.objects.filter(token=job.token).update(code="effect")
        first = Upload.objects.filter(pk=job.row.pk).values_list("locked_until", flat=True).get()
        eventually(lambda: column(job, "locked_until") > first)
        leases.finish(job.lease, state=UploadState.FAILED)


def test_worker_says_that_it_lives_and_what_it_is_busy_with(job):
    eventually(lambda: Worker.objects.filter(busy_with=f"upload {job.row.pk}").exists())

    worker = Worker.objects.get()
    assert worker.busy_since is not None
    assert worker.took_at is not None
    assert abs(worker.clock_skew_seconds) < 1


def test_worker_that_stops_says_so(job, beating):
    eventually(lambda: Worker.objects.exists())

    beating.stop()

    worker = Worker.objects.get()
    assert worker.stopped_at is not None
    assert worker.busy_since is None


def test_ended_job_is_not_renewed(job, pipeline):
    with transaction.atomic():
        job.finish(state=UploadState.FAILED)
    heart.the().drop(job.held)
    time.sleep(0.5)

    assert job.held.lost == ""
    assert not pipeline.rows.exclude(lease_token=None).exists()
