"""One thread per process that keeps its leases alive, writes their progress, and gives up steps that hang.

It has its own connection: a renewal must not wait behind a merge of the step's. It never decides what
becomes of a
row; it stops renewing, and recovery does the rest.
"""

import contextlib
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

from work import identity, stopping
from work.leases import Lease
from work.pipelines import Step, lease_seconds

log = structlog.get_logger(__name__)

RENEW = sql.SQL("""
UPDATE {table} SET locked_until = clock_timestamp() + %(lease)s * interval '1 second',
  heartbeat_at = clock_timestamp(), step = %(step)s, progress_done = %(done)s, progress_total = %(total)s, progress_unit = %(unit)s
WHERE id = %(id)s AND lease_token = %(token)s
""")
NOTE_HUNG = "UPDATE work_attempt SET hung_at_step = %(step)s WHERE token = %(token)s AND ended_at IS NULL"
EXPIRE = sql.SQL(
    "UPDATE {table} SET locked_until = clock_timestamp() WHERE id = %(id)s AND lease_token = %(token)s"
)
SEEN = """
INSERT INTO work_worker (id, cluster, label, started_at, seen_at, busy_with, busy_since, took_at,
clock_skew_seconds)
VALUES (%(id)s, %(cluster)s, %(label)s, clock_timestamp(), clock_timestamp(), %(busy)s, NULL, NULL,
  %(clock)s - extract(epoch FROM clock_timestamp()))
ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp(),
  took_at = CASE WHEN %(busy)s <> '' THEN clock_timestamp() ELSE work_worker.took_at END,
  busy_since = CASE WHEN %(busy)s = '' THEN NULL
    WHEN work_worker.busy_with = %(busy)s THEN work_worker.busy_since ELSE clock_timestamp() END,
  busy_with = %(busy)s, clock_skew_seconds = EXCLUDED.clock_skew_seconds
"""
# A step that does not come back this long after it was given up is in code that never looks: end the process.
PATIENCE_AFTER_HUNG = 30.0


@dataclass
class Held:
    """What the heart knows of one running job. `lost` holds why the lease is gone; the step sees it at its
    next check.
    """

    lease: Lease
    step: Step | None = None
    done: int = 0
    total: int | None = None
    unit: str = ""
    renewed: float = field(default_factory=time.monotonic)
    entered: float = field(default_factory=time.monotonic)
    heard: float = field(default_factory=time.monotonic)
    written: tuple[Any, ...] = ()
    lost: str = ""
    hung_at: float = 0.0
    killers: list[Callable[[], None]] = field(default_factory=list)

    def progress(self) -> tuple[Any, ...]:
        return (self.step.name if self.step else "", self.done, self.total, self.unit)

    def lose(self, why: str) -> None:
        self.lost = why
        for kill in list(self.killers):
            with contextlib.suppress(Exception):
                kill()


class Heart:
    def __init__(self) -> None:
        self._held: dict[Any, Held] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._connection: psycopg.Connection[Any] | None = None
        self._wake = threading.Event()
        self._seen = 0.0
        self._parent = os.getppid()

    def start(self) -> None:
        """Begin to beat; harmless when it beats already."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._beat, name="heart", daemon=True)
                self._thread.start()

    def hold(self, held: Held) -> None:
        with self._lock:
            self._held[held.lease.token] = held
        self.start()
        self._seen = 0.0  # the worker's row says at once what it is busy with
        self._wake.set()

    def drop(self, held: Held) -> None:
        with self._lock:
            self._held.pop(held.lease.token, None)
        self._seen = 0.0
        self._wake.set()

    def _beat(self) -> None:
        while True:
            started = time.monotonic()
            with self._lock:
                everything = list(self._held.values())
            for held in everything:
                self._tend(held)
            self._report(everything)
            stopping.is_asked()
            if os.getppid() != self._parent and self._parent != 1:
                os._exit(
                    1
                )  # the cluster is gone: an orphan must not work on (where PR_SET_PDEATHSIG is missing)
            self._wake.wait(max(0.02, min(1.0, lease_seconds() / 6) - (time.monotonic() - started)))
            self._wake.clear()

    def _tend(self, held: Held) -> None:
        now = time.monotonic()
        if held.hung_at:
            if now - held.hung_at > PATIENCE_AFTER_HUNG:
                log.error(
                    "step.never_returned", pipeline=held.lease.pipeline.name, work_id=str(held.lease.row.pk)
                )
                os._exit(1)
            return
        if held.lost:
            return
        if held.step is not None and (
            now - held.heard > held.step.silent_for or now - held.entered > held.step.at_most
        ):
            self._give_up(held, now)
            return
        changed = held.progress() != held.written and now - held.renewed > min(1.0, lease_seconds() / 4)
        if changed or now - held.renewed >= lease_seconds() / 3:
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
            if time.monotonic() - held.renewed > lease_seconds() * 0.8:
                held.lose("no_database")
            log.warning("lease.renewal_failed", work_id=str(lease.row.pk), reason=type(error).__name__)
            return
        if matched:
            held.renewed, held.written = asked, progress
        else:
            held.lose("taken")

    def _give_up(self, held: Held, now: float) -> None:
        held.hung_at = now
        lease, step = held.lease, held.step.name if held.step else ""
        log.error("step.hung", pipeline=lease.pipeline.name, work_id=str(lease.row.pk), step=step)
        held.lose("hung")
        with contextlib.suppress(psycopg.Error):  # unreachable: the lease runs out by itself
            self._execute(NOTE_HUNG, {"step": step, "token": lease.token})
            expire = EXPIRE.format(table=sql.Identifier(lease.pipeline.table))
            self._execute(expire, {"id": lease.row.pk, "token": lease.token})

    def _report(self, everything: list[Held]) -> None:
        now = time.monotonic()
        if now - self._seen < lease_seconds() / 3:
            return
        who = identity.current()
        busy = f"{everything[0].lease.pipeline.name} {everything[0].lease.row.pk}" if everything else ""
        values = {
            "id": who.id,
            "cluster": who.cluster,
            "label": who.label,
            "busy": busy,
            "clock": time.time(),
        }
        with contextlib.suppress(psycopg.Error):
            self._execute(SEEN, values)
            self._seen = now

    def _execute(self, statement: Any, values: dict[str, Any]) -> int:
        if self._connection is None or self._connection.closed:
            self._connection = self._connect()
        try:
            return self._connection.execute(statement, values).rowcount
        except psycopg.OperationalError:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None
            raise

    def _connect(self) -> psycopg.Connection[Any]:
        given = connection.get_connection_params()
        wanted = {name: value for name, value in given.items() if name not in ("cursor_factory", "context")}
        patience = max(1, int(lease_seconds() / 3))
        made = psycopg.connect(**{**wanted, "connect_timeout": max(2, patience)}, autocommit=True)
        made.execute(f"SET lock_timeout = '{min(2000, int(lease_seconds() * 250))}ms'")
        made.execute(f"SET statement_timeout = '{patience}s'")
        return made


_heart = Heart()


def the() -> Heart:
    return _heart


def _anew() -> None:
    global _heart
    _heart = Heart()


os.register_at_fork(after_in_child=_anew)
