"""What we changed in django-q2: the broker, the queue, the stop, the pump, the doorbell, the one schedule."""

import multiprocessing
import os
import signal
import time

import pytest
from django.conf import settings as project
from django.db import InternalError, connection, transaction
from django_q.models import OrmQ, Schedule

from config import processes
from ingestion.models import Upload
from tests.factories import UploadFactory
from work import cluster, crash, doorbell, identity, leases, pipelines, schedules, stopping, tasks
from work.cluster import DeletingBroker, PatientQueue, ProcessLock, Timer
from work.models import Canary, PeriodicRun

fork = multiprocessing.get_context("fork")


@pytest.fixture
def queue():
    made = PatientQueue()
    yield made
    made.close()


def started(target, *arguments):
    child = fork.Process(target=target, args=arguments, daemon=True)
    child.start()
    return child


def test_queue_gives_what_was_put(queue):
    queue.put({"func": "x"})

    assert queue.get() == {"func": "x"}
    assert queue.empty()


def test_readers_killed_while_idle_freeze_no_other(queue):
    readers = [started(queue.get) for _ in range(6)]
    time.sleep(0.3)
    for reader in readers:
        os.kill(reader.pid, signal.SIGKILL)
        reader.join()

    queue.put("still read")

    assert queue.get() == "still read"


def test_lock_ends_with_its_holder():
    lock = ProcessLock()
    said = fork.Event()

    def hold():
        lock.acquire()
        said.set()
        time.sleep(60)

    holder = started(hold)
    assert said.wait(5)
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()

    with lock:
        pass


def test_lock_excludes_other_processes():
    lock = ProcessLock()
    told, tell = fork.Pipe(duplex=False)  # at once, where a queue would tell by a thread that may come late

    def other():
        with lock:
            tell.send("other")

    with lock:
        child = started(other)
        time.sleep(0.2)
        tell.send("first")
    child.join(5)

    assert [told.recv() for _ in range(2) if told.poll(5)] == ["first", "other"]


@pytest.fixture
def bounded():
    made = PatientQueue(maxsize=1)
    yield made
    made.close()


def test_bounded_queue_takes_the_next_when_the_last_was_taken_out(bounded):
    queue = bounded
    queue.put(1)
    assert processes.wait_until(lambda: not queue.empty(), seconds=5)
    writer = started(queue.put, 2)
    writer.join(0.3)
    assert writer.is_alive()

    assert queue.get() == 1
    assert queue.get() == 2
    writer.join(5)


def test_worker_that_was_asked_to_stop_takes_nothing_more(queue, monkeypatch):
    monkeypatch.setattr(cluster, "_is_worker", True)
    queue.put("a doorbell")
    stopping.ask()

    assert queue.get() == "STOP"


def test_nobody_waits_for_room_while_all_stop(bounded):
    bounded.put(1)
    processes.wait_until(lambda: not bounded.empty(), seconds=5)
    stopping.ask()

    bounded.put("STOP")  # returns


def test_timer_needs_no_lock():
    timer = Timer()
    timer.value = -2

    with timer.get_lock():
        assert timer.value == -2


def test_stop_reaches_processes_forked_before_it():
    stopping.open_pipe()
    seen = fork.Event()

    def wait():
        while not stopping.is_asked():
            time.sleep(0.01)
        seen.set()

    children = [started(wait) for _ in range(2)]
    stopping.tell_workers()

    assert seen.wait(5)
    for child in children:
        child.join(5)
        assert child.exitcode == 0
    os.read(stopping._pipe[0], 10)  # later tests inherit an empty pipe


@pytest.mark.django_db
class TestBroker:
    def put(self, key="pipelines"):
        return OrmQ.objects.create(key=key, payload="x", lock="2026-06-01T00:00:00Z")

    def test_what_is_taken_is_gone(self):
        first, second = self.put(), self.put()
        broker = DeletingBroker(list_key="pipelines")

        assert broker.dequeue() == [(first.pk, "x")]
        assert broker.queue_size() == 1
        broker.acknowledge(first.pk)
        assert OrmQ.objects.get() == second

    def test_only_its_own_cluster_is_read(self, monkeypatch):
        monkeypatch.setattr(cluster.time, "sleep", lambda seconds: None)
        self.put("ground")

        assert DeletingBroker(list_key="pipelines").dequeue() is None
        assert OrmQ.objects.count() == 1

    def test_ring_is_left_out_while_as_many_wait_as_there_are_workers(
        self, django_capture_on_commit_callbacks
    ):
        with django_capture_on_commit_callbacks(execute=True):
            for _ in range(10):
                doorbell.ring()

        most = project.PIPELINE_WORKERS + doorbell.OTHER_TASKS
        assert OrmQ.objects.filter(key="pipelines").count() == most

    def test_tick_rings_the_ground_beside_its_canary(self, django_capture_on_commit_callbacks):
        """With one worker a waiting canary must not stand for a ring, or what was planned would never run."""
        doorbell.send_canary("ground")
        PeriodicRun.objects.create(name="recovery", slot="2026-06-01T00:00:00Z")

        with django_capture_on_commit_callbacks(execute=True):
            tasks.tick()

        waiting = [row.task["func"] for row in OrmQ.objects.filter(key="ground")]
        assert "work.tasks.pump" in waiting

    def test_ring_carries_nothing(self, django_capture_on_commit_callbacks):
        with django_capture_on_commit_callbacks(execute=True):
            doorbell.ring("ground")

        task = OrmQ.objects.get().task
        assert (task["func"], task["args"], task["kwargs"]) == ("work.tasks.pump", (), {})

    def test_broken_ring_reaches_no_caller(self, django_capture_on_commit_callbacks, monkeypatch):
        def fails(*args, **kwargs):
            raise RuntimeError("no broker")

        monkeypatch.setattr(doorbell, "async_task", fails)
        with django_capture_on_commit_callbacks(execute=True):
            doorbell.ring()

    def test_canary_waits_behind_no_long_queue(self):
        for _ in range(20):
            self.put()

        doorbell.send_canary("pipelines")

        assert OrmQ.objects.count() == 20


@pytest.mark.django_db
def test_schedule_is_one_row_without_arguments():
    Schedule.objects.create(name="stranger", func="os.remove", args="malformed(")
    for _ in range(2):
        Schedule.objects.create(name="tick", func="old")

    schedules.sync()
    schedules.sync()

    schedule = Schedule.objects.get()
    assert (schedule.func, schedule.args, schedule.kwargs) == ("work.tasks.tick", None, None)


@pytest.fixture
def only(monkeypatch, with_steps):
    def register(*given):
        monkeypatch.setattr(pipelines, "_registered", {one.name: one for one in given})

    return register


@pytest.fixture
def in_pipelines(monkeypatch):
    monkeypatch.setenv("Q_CLUSTER_NAME", "pipelines")
    monkeypatch.setattr(identity, "_current", None)


@pytest.mark.django_db(transaction=True)
class TestPump:
    pytestmark = pytest.mark.usefixtures("in_pipelines")

    def test_it_works_until_nothing_is_claimable(self, only, with_steps):
        UploadFactory.create_batch(3)
        only(with_steps())

        tasks.pump()

        assert not Upload.objects.unfinished().exists()

    def test_pipeline_that_cannot_be_claimed_from_holds_up_no_other(self, only, with_steps, monkeypatch):
        UploadFactory()
        broken, good = with_steps(name="broken", limits=pipelines.Limits(running="no number")), with_steps()
        only(broken, good)

        tasks.pump()

        assert not Upload.objects.unfinished().exists()

    def test_it_claims_nothing_after_a_stop(self, only, with_steps):
        UploadFactory()
        only(with_steps())
        stopping.ask()

        tasks.pump()

        assert Upload.objects.waiting().count() == 1

    def test_it_gives_the_queue_a_turn(self, only, with_steps, monkeypatch):
        rung = []
        monkeypatch.setattr(tasks, "PUMP_SECONDS", 0.0)
        monkeypatch.setattr(doorbell, "ring", rung.append)
        UploadFactory.create_batch(3)
        only(with_steps())

        tasks.pump()

        assert rung == ["pipelines"]
        assert Upload.objects.waiting().count() == 2

    def test_second_doorbell_finds_nothing(self, only, with_steps):
        UploadFactory()
        only(with_steps())
        tasks.pump()

        tasks.pump()

        assert Upload.objects.get().starts == 1

    def test_canary_passes_through_a_worker(self):
        tasks.canary()

        assert Canary.objects.get(cluster="pipelines").passed_at is not None


def test_identity_is_anew_in_every_process():
    mine, theirs = identity.current(), fork.Queue()
    child = started(lambda: theirs.put(identity.current()))

    other = theirs.get(timeout=5)
    child.join(5)
    assert other.id != mine.id
    assert other.label != mine.label


@pytest.mark.django_db(transaction=True)
def test_transaction_of_a_frozen_worker_is_ended(monkeypatch):
    monkeypatch.setattr(cluster, "IDLE_IN_TRANSACTION_SECONDS", 0.2)
    monkeypatch.setattr(cluster, "lease_seconds", lambda: 0.1)
    cluster._end_idle_transactions(connection)

    def freeze():
        with transaction.atomic():
            UploadFactory()
            time.sleep(0.6)
            UploadFactory()

    with pytest.raises(InternalError, match="idle-in-transaction"):
        freeze()

    connection.close()
    assert not Upload.objects.exists()


class TestKillPoints:
    def test_point_is_inert_unless_armed(self, monkeypatch):
        monkeypatch.delenv("WAYBILL_KILL", raising=False)
        crash.point("anywhere")
        assert not crash.is_armed()

    @pytest.mark.parametrize("how", ["named", "asked"])
    def test_process_dies_at_the_chosen_passage_and_once(self, monkeypatch, tmp_path, how):
        monkeypatch.setenv("WAYBILL_KILL", "here:2" if how == "named" else "ask")
        monkeypatch.setenv("WAYBILL_KILL_DIR", str(tmp_path))
        if how == "asked":
            (tmp_path / "kill").write_text("here:2")

        def pass_by():
            crash.point("elsewhere")
            crash.point("here")

        codes = []
        for _ in range(3):
            child = started(pass_by)
            child.join(5)
            codes.append(child.exitcode)

        assert codes == [0, -signal.SIGKILL, 0]
        assert (tmp_path / "here").read_text() == "3"


@pytest.mark.django_db
def test_claim_does_not_wait_for_a_doorbell(pipeline):
    """Correctness does not need the nudge: whoever looks finds the row."""
    UploadFactory()

    assert leases.claim_next(pipeline) is not None
