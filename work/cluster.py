"""What we change in django-q2 1.11: a broker that deletes what it takes, a queue that no killed reader can
freeze, and a parent that passes SIGTERM on to running steps. Each stock behaviour lost or repeated work."""

import ctypes
import os
import signal
import sys
import threading
import time
from multiprocessing.reduction import ForkingPickler
from typing import Any

import django_q.cluster
from django.db import connection
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.queues import Queue
from django_q.signals import post_spawn
from django_q.tasks import async_task

from work import heart, identity, stopping
from work.pipelines import GROUND

PR_SET_PDEATHSIG = 1
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
        self.get_connection()  # closes a connection that has gone stale
        with connection.cursor() as cursor:
            cursor.execute(TAKE, [self.list_key])
            row = cursor.fetchone()
        if row is None:
            time.sleep(Conf.POLL)
            return None
        return [row]

    def acknowledge(self, task_id: Any) -> None:
        """Nothing to do: the row went when it was taken."""


class PatientQueue(Queue):
    """Waits for something to read before it takes the read lock: a reader killed while idle holds no lock."""

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if not block or timeout is not None:
            return super().get(block, timeout)
        while True:
            self._poll(None)
            if self._rlock.acquire(timeout=1.0):
                try:
                    if not self._poll(0):
                        continue  # another reader was faster
                    taken = self._recv_bytes()
                    self._sem.release()
                finally:
                    self._rlock.release()
                self.size.increment(-1)
                return ForkingPickler.loads(taken)


class Cluster(django_q.cluster.Cluster):
    """Tells running steps first, so that a deploy costs seconds and no lease."""

    def sig_handler(self, signum: int, frame: Any) -> None:
        stopping.tell_workers()
        super().sig_handler(signum, frame)


def prepare() -> None:
    """Put our parts in place; called by `manage.py qcluster` before anything forks."""
    django_q.cluster.Queue = PatientQueue
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
            if DeletingBroker(list_key=GROUND).queue_size() < 10:
                async_task("work.tasks.tick", cluster=GROUND)
        except Exception:
            connection.close()


def _worker_started(**kwargs: Any) -> None:
    signal.signal(signal.SIGTERM, lambda signum, frame: stopping.ask())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    identity.current()
    heart.the().start()


def _die_with_parent(expected: int) -> None:
    """Children go with their parent, however it ended; where prctl is missing the heart looks at getppid."""
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1 and expected != 1:  # the parent went before the call
        os._exit(1)
