"""Keeps a process's leases alive, writes their progress, and gives up steps that hang.

Two threads: one beats, on its own connection, since a renewal must not wait behind a merge of the step's;
one watches the clocks and touches no database, so that nothing outside can hold it up. Neither decides what
becomes of a row: renewals stop, and recovery does the rest.
"""

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psycopg
import structlog
from django.db import connection
from psycopg import sql

from work import identity
from work.leases import Lease
from work.pipelines import Step, lease_seconds

log = structlog.get_logger(__name__)

RENEW = sql.SQL("""
UPDATE {table} SET locked_until = clock_timestamp() + %(lease)s * interval '1 second',
  heartbeat_at = clock_timestamp(), step = %(step)s, progress_done = %(done)s, progress_total = %(total)s,
  progress_unit = %(unit)s
WHERE id = %(id)s AND lease_token = %(token)s
""")
NOTE_HUNG = "UPDATE work_attempt SET hung_at_step = %(step)s WHERE token = %(token)s AND ended_at IS NULL"
EXPIRE = sql.SQL(
    "UPDATE {table} SET locked_until = clock_timestamp() WHERE id = %(id)s AND lease_token = %(token)s"
)
SEEN = """
INSERT INTO work_worker AS known
  (id, cluster, label, started_at, seen_at, busy_with, busy_since, took_at, clock_skew_seconds)
SELECT %(id)s, %(cluster)s, %(label)s, at, at, busy, CASE WHEN busy <> '' THEN at END,
  CASE WHEN busy <> '' THEN at END, %(clock)s - extract(epoch FROM at)
FROM (SELECT clock_timestamp() AS at, %(busy)s::text AS busy) AS now
ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at, busy_with = EXCLUDED.busy_with,
  took_at = coalesce(EXCLUDED.took_at, known.took_at), clock_skew_seconds = EXCLUDED.clock_skew_seconds,
  busy_since = CASE WHEN EXCLUDED.busy_with = known.busy_with THEN known.busy_since
    ELSE EXCLUDED.busy_since END
"""
STOPPED = """
UPDATE work_worker SET stopped_at = clock_timestamp(), busy_with = '', busy_since = NULL WHERE id = %(id)s
"""
# A step that does not come back this long after its lease was lost (or, when it was not silent, this long and
# its permitted silence) is in code that never looks: end the process.
PATIENCE_AFTER_LOST = 30.0
# Without a renewal for this part of the lease its holder stops by itself, before anybody may take the row.
TRUSTED_PART = 0.8
TAKEN, HUNG, NO_DATABASE = "taken", "hung", "no_database"
BEGINNING = Step("begin", lambda job, context: None)


@dataclass
class Held:
    """What the heart knows of one running job. `lost` holds why the lease is gone; the step sees it at its
    next check."""

    lease: Lease
    step: Step = BEGINNING
    done: int = 0
    total: int | None = None
    unit: str = ""
    renewed: float = field(default_factory=time.monotonic)
    entered: float = field(default_factory=time.monotonic)
    heard: float = field(default_factory=time.monotonic)
    written: tuple[Any, ...] = ()
    lost: str = ""
    lost_at: float = 0.0
    is_noted: bool = False
    is_over: bool = False
    killers: list[Callable[[], None]] = field(default_factory=list)

    def progress(self) -> tuple[Any, ...]:
        return (self.step.name, self.done, self.total, self.unit)

    def lose(self, why: str) -> None:
        self.lost_at = time.monotonic()
        self.lost = why
        log.warning(
            "lease.lost", why=why, pipeline=self.lease.pipeline.name, work_id=str(self.lease.row.pk),
            step=self.step.name,
        )  # fmt: skip
        for kill in list(self.killers):
            with contextlib.suppress(Exception):
                kill()


class Heart:
    def __init__(self) -> None:
        self._held: dict[Any, Held] = {}
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._connection: psycopg.Connection[Any] | None = None
        self._stop = threading.Event()
        self._seen = -math.inf
        self._said = ""
        self._parent = os.getppid()

    def start(self) -> None:
        """Begin to beat and to watch; harmless when it does already."""
        with self._lock:
            if not self._threads:
                self._stop.clear()
                self._threads = [
                    threading.Thread(target=target, name=f"heart {target.__name__}", daemon=True)
                    for target in (self._beat, self._watch)
                ]
                for thread in self._threads:
                    thread.start()

    def stop(self) -> None:
        """Say farewell and end both threads: this worker counts no more from now on."""
        with self._lock:
            threads, self._threads = self._threads, []
        if not threads:
            return
        self._stop.set()
        for thread in threads:
            thread.join(timeout=5.0)

    def hold(self, held: Held) -> None:
        with self._lock:
            self._held[held.lease.token] = held
        self.start()

    def drop(self, held: Held) -> None:
        """The job is over. One that hung stays until that is written down."""
        with self._lock:
            held.is_over = True
            if held.lost != HUNG or held.is_noted:
                self._held.pop(held.lease.token, None)

    def _everything(self) -> list[Held]:
        with self._lock:
            return list(self._held.values())

    def _watch(self) -> None:
        while not self._stop.wait(min(0.25, lease_seconds() / 10)):
            now = time.monotonic()
            for held in self._everything():
                _look(held, now)
            if os.getppid() != self._parent and self._parent != 1:
                os._exit(1)  # an orphan must not work on (where PR_SET_PDEATHSIG is missing)

    def _beat(self) -> None:
        while True:
            everything = self._everything()
            for held in everything:
                self._tend(held)
            self._report(everything)
            if self._stop.wait(min(0.5, lease_seconds() / 6)):
                break
        with contextlib.suppress(psycopg.Error):
            self._execute(STOPPED, {"id": identity.current().id})
        self._close()

    def _tend(self, held: Held) -> None:
        if held.lost:
            if held.lost == HUNG and not held.is_noted:
                self._note_hung(held)
            return
        age = time.monotonic() - held.renewed
        changed = held.progress() != held.written
        if age >= lease_seconds() / 3 or (changed and age >= min(1.0, lease_seconds() / 4)):
            self._renew(held)

    def _renew(self, held: Held) -> None:
        step, done, total, unit = progress = held.progress()
        lease = held.lease
        asked = time.monotonic()
        try:
            matched = self._execute(
                RENEW.format(table=sql.Identifier(lease.pipeline.table)),
                {
                    "lease": lease_seconds(), "id": lease.row.pk, "token": lease.token,
                    "step": step, "done": done, "total": total, "unit": unit,
                },
            )  # fmt: skip
        except psycopg.Error as error:
            log.warning("lease.renewal_failed", work_id=str(lease.row.pk), reason=type(error).__name__)
            return
        if matched:
            held.renewed, held.written = asked, progress
        elif held.lease.token in self._held:  # else it has just ended
            held.lose(TAKEN)

    def _note_hung(self, held: Held) -> None:
        """The attempt says hung and not died, and recovery need not wait for the lease to run out."""
        lease = held.lease
        with contextlib.suppress(psycopg.Error):  # unreachable: the next beat tries again
            self._execute(NOTE_HUNG, {"step": held.step.name, "token": lease.token})
            expire = EXPIRE.format(table=sql.Identifier(lease.pipeline.table))
            self._execute(expire, {"id": lease.row.pk, "token": lease.token})
            held.is_noted = True
        if held.is_noted and held.is_over:
            self.drop(held)

    def _report(self, everything: list[Held]) -> None:
        """At least every third of a lease, and within a second when what it is busy with has changed."""
        now = time.monotonic()
        under_way = [held.lease for held in everything if not held.is_over]
        busy = f"{under_way[0].pipeline.name} {under_way[0].row.pk}" if under_way else ""
        silent = now - self._seen
        if silent < lease_seconds() / 3 and (busy == self._said or silent < 1.0):
            return
        who = identity.current()
        values = {"id": who.id, "cluster": who.cluster, "label": who.label, "busy": busy}
        values |= {"clock": time.time()}
        try:
            self._execute(SEEN, values)
            self._seen, self._said = now, busy
        except psycopg.Error as error:
            log.warning("worker.not_reported", reason=type(error).__name__)

    def _execute(self, statement: Any, values: dict[str, Any]) -> int:
        if self._connection is None or self._connection.closed:
            self._connection = _connect()
        try:
            return self._connection.execute(statement, values).rowcount
        except psycopg.OperationalError:
            self._close()
            raise

    def _close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None


def _look(held: Held, now: float) -> None:
    """What the clocks alone say about a job."""
    if held.is_over:
        return
    if held.lost:
        patience = PATIENCE_AFTER_LOST + (0 if held.lost == HUNG else held.step.silent_for)
        if now - held.lost_at > patience:
            log.error("step.never_returned", step=held.step.name, work_id=str(held.lease.row.pk))
            os._exit(1)
    elif now - held.heard > held.step.silent_for or now - held.entered > held.step.at_most:
        held.lose(HUNG)
    elif now - held.renewed > lease_seconds() * TRUSTED_PART:
        held.lose(NO_DATABASE)


def _connect() -> psycopg.Connection[Any]:
    given = connection.get_connection_params()
    wanted = {name: value for name, value in given.items() if name not in ("cursor_factory", "context")}
    patience = max(1, int(lease_seconds() / 3))
    wanted |= {"connect_timeout": max(2, patience), "tcp_user_timeout": patience * 1000}
    made = psycopg.connect(**wanted, autocommit=True)
    made.execute(f"SET lock_timeout = '{min(2000, int(lease_seconds() * 250))}ms'")
    made.execute(f"SET statement_timeout = '{patience}s'")
    return made


_heart = Heart()


def the() -> Heart:
    return _heart


def _anew() -> None:
    global _heart  # threads and connections do not survive a fork
    _heart = Heart()


os.register_at_fork(after_in_child=_anew)
