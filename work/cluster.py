"""What we change in django-q2 1.11: a broker that deletes what it takes, a queue that no killed reader can
freeze, and a parent that passes SIGTERM on to running steps. Each stock behaviour lost or repeated work."""

import contextlib
import ctypes
import fcntl
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from multiprocessing.reduction import ForkingPickler
from multiprocessing.sharedctypes import RawValue
from multiprocessing.util import Finalize
from typing import Any

import django_q.cluster
from django.db import InterfaceError, OperationalError, connection
from django.db.backends.signals import connection_created
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signals import post_spawn
from django_q.tasks import async_task

from work import heart, identity, stopping
from work.pipelines import GROUND, lease_seconds

PR_SET_PDEATHSIG = 1
IDLE_IN_TRANSACTION_SECONDS = 10.0  # at least; nothing waits for anything within a transaction
_is_worker = False
TAKE = """
DELETE FROM django_q_ormq WHERE id = (SELECT id FROM django_q_ormq WHERE key = %s ORDER BY id LIMIT 1)
RETURNING id, payload
"""


class DeletingBroker(ORM):
    """The queue never runs anything again by itself: a doorbell that is taken is gone, and the sweep rings
    anew.
    """

    def queue_size(self) -> int:
        return OrmQ.objects.filter(key=self.list_key).count()

    def dequeue(self) -> list[tuple[int, str]] | None:
        try:
            self.get_connection()  # closes a connection that has gone stale
            with connection.cursor() as cursor:
                cursor.execute(TAKE, [self.list_key])
                row = cursor.fetchone()
        except (OperationalError, InterfaceError):
            connection.close()  # the database restarts; stock django-q2 sleeps 10 s and ends the pusher
            row = None
        if row is None:
            time.sleep(Conf.POLL)
            return None
        return [row]

    def acknowledge(self, task_id: Any) -> None:
        """Nothing to do: the row went when it was taken."""


class ProcessLock:
    """A lock between processes that the kernel takes from a process that is killed while it holds it."""

    def __init__(self) -> None:
        self._descriptor, path = tempfile.mkstemp(prefix="waybill-lock-")
        os.unlink(path)  # noqa: PTH108 (the descriptor alone is passed on to forked children)

    def acquire(self) -> bool:
        fcntl.lockf(self._descriptor, fcntl.LOCK_EX)
        return True

    def release(self) -> None:
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *args: Any) -> None:
        self.release()


class PatientQueue(Queue):
    """A queue that no killed process can freeze: nobody waits while holding a lock, locks end with their
    holder, and nothing is counted that a killed process could leave miscounted.

    A worker that was asked to stop ends without another task (its sentinel replaces it unless all stop). With
    a bound, a task is put in only when the one before it was taken out: the others wait in the database.
    """

    _poll: Callable[[float], bool]
    _recv_bytes: Callable[[], bytes]

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__(0, ctx=multiprocessing.get_context("fork"))
        self._is_bounded = maxsize > 0
        self._rlock, self._wlock = ProcessLock(), ProcessLock()

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        while self._is_bounded and self._poll(0) and not stopping.is_asked():
            time.sleep(0.05)
        super().put(obj)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        while True:
            if _is_worker and stopping.is_asked():
                return "STOP"
            if self._poll(0.5):
                with self._rlock:
                    if self._poll(0):  # else another reader was faster
                        return ForkingPickler.loads(self._recv_bytes())

    def qsize(self) -> int:
        """One or none: nobody counts. None once it is closed, when django-q2 asks for its last statistics."""
        try:
            return int(self._poll(0))
        except OSError:
            return 0

    def empty(self) -> bool:
        return not self.qsize()


class Timer:
    """django-q2's time-out of a worker, which we do not use, without the lock a killed worker holds."""

    def __init__(self) -> None:
        self._shared = RawValue("f", -1.0)

    @property
    def value(self) -> float:
        return float(self._shared.value)

    @value.setter
    def value(self, value: float) -> None:
        self._shared.value = value

    def get_lock(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


class Sentinel(django_q.cluster.Sentinel):
    """Leaves SIGTERM to the parent: sent to the whole group, it would end the sentinel and with it, at once,
    every worker."""

    def start(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().start()

    def spawn_worker(self) -> None:
        queues = self.task_queue, self.result_queue
        self.spawn_process(django_q.cluster.worker, *queues, Timer(), self.timeout)


class Cluster(django_q.cluster.Cluster):
    """Tells running steps first, so that a deploy costs seconds and no lease."""

    def wait(self) -> bool:
        """Until the cluster was stopped (True) or its sentinel died (False)."""
        while not self.has_stopped and self.sentinel.is_alive():
            self.sentinel.join(1.0)
        return bool(self.has_stopped)

    def sig_handler(self, signum: int, frame: Any) -> None:
        if self.sentinel is None:
            sys.exit(0)  # nothing has started yet
        stopping.tell_workers()
        super().sig_handler(signum, frame)


def prepare() -> None:
    """Put our parts in place; called by `manage.py qcluster` before anything forks."""
    django_q.cluster.Queue = PatientQueue
    django_q.cluster.Sentinel = Sentinel
    stopping.open_pipe()
    parent = os.getpid()
    os.register_at_fork(after_in_child=lambda: _die_with_parent(parent))
    post_spawn.connect(_worker_started, dispatch_uid="work.cluster")


def start_ticker(every: float) -> None:
    """For tests with periods below django-q2's minute: a thread of the parent that enqueues the tick."""
    threading.Thread(target=_tick_for_ever, args=(every,), name="ticker", daemon=True).start()


def _tick_for_ever(every: float) -> None:
    while True:
        time.sleep(every)
        try:
            if DeletingBroker(list_key=GROUND).queue_size() < 2:
                async_task("work.tasks.tick", cluster=GROUND)
        except Exception:
            connection.close()


def _worker_started(**kwargs: Any) -> None:
    global _is_worker
    _is_worker = True
    signal.signal(signal.SIGTERM, lambda signum, frame: stopping.ask())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    identity.current()
    connection_created.connect(_end_idle_transactions, dispatch_uid="work.cluster")
    heart.the().start()
    Finalize(None, heart.the().stop, exitpriority=100)  # its row says that it stopped


def _end_idle_transactions(connection: Any, **kwargs: Any) -> None:
    """A worker that freezes within a transaction must not keep its locks from those who take over."""
    seconds = max(IDLE_IN_TRANSACTION_SECONDS, lease_seconds())
    with connection.cursor() as cursor:
        cursor.execute(f"SET idle_in_transaction_session_timeout = {int(seconds * 1000)}")


def _die_with_parent(expected: int) -> None:
    """Children go with their parent, however it ended; where prctl is missing the heart looks at getppid."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the sentinel's deafness is not for its children
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1 and expected != 1:  # the parent went before the call
        os._exit(1)
