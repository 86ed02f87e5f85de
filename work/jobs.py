"""What a step sees of its own work: progress, the check that it may go on, and the way to end."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from django.db import transaction

from work import heart, leases, stopping
from work.failures import LeaseLost, Stopping
from work.leases import Account, Lease
from work.pipelines import Fields, Step


class Job:
    """Handed to every step with the pipeline's context. Not shared between threads, but for the heart's
    reading.
    """

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.row = lease.row
        self.token = lease.token
        self.held = heart.Held(lease=lease)
        self.began = time.monotonic()
        self.has_ended = False
        self._steps: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def step(self, step: Step) -> Iterator[None]:
        """Name the step in progress; its duration is kept whether it returns or raises."""
        self.check()
        started = time.monotonic()
        self.held.entered = self.held.heard = started
        self.held.step = step
        self.held.done, self.held.total, self.held.unit = 0, None, ""
        self.lease.step = step.name
        heart.the().start()
        try:
            yield
        finally:
            self._steps.append({"name": step.name, "seconds": round(time.monotonic() - started, 3)})
            self.lease.steps = list(self._steps)

    def progress(self, done: int, *, total: int | None = None, unit: str = "") -> None:
        """Say how far the step is; the heart writes it with the next renewal. Raises as `check` does."""
        self.held.done, self.held.heard = done, time.monotonic()
        self.held.total = total if total is not None else self.held.total
        self.held.unit = unit or self.held.unit
        self.check()

    def check(self) -> None:
        """Between pieces of work. Raises LeaseLost when the lease is gone, Stopping when asked to stop."""
        if self.held.lost:
            raise self.loss()
        if stopping.is_asked():
            raise Stopping

    def loss(self) -> LeaseLost:
        """Why the lease is gone. That it was taken was seen by a write: the renewal, which was refused."""
        return LeaseLost(self.held.lost, tried="renew the lease" if self.held.lost == heart.TAKEN else "")

    @contextlib.contextmanager
    def killing(self, kill: Callable[[], None]) -> Iterator[None]:
        """While the block runs, a lost lease calls `kill` (of the step's child, say) from the heart's
        thread.
        """
        self.held.killers.append(kill)
        try:
            self._check_or(kill)
            yield
        finally:
            self.held.killers.remove(kill)

    def _check_or(self, kill: Callable[[], None]) -> None:
        """A lease lost just before: the heart has called its killers and will not do so again."""
        try:
            self.check()
        except BaseException:
            kill()
            raise

    def advance(self, *, state: str, fields: Fields | None = None) -> None:
        """Move the row to its next state, inside the open transaction of the effect, as its last statement.
        Raises LeaseLost.
        """
        leases.advance(self.lease, state=state, fields=fields)

    def finish(self, *, state: str, fields: Fields | None = None, account: Account | None = None) -> None:
        """End the row inside the open transaction of its effect, as its last statement. Raises LeaseLost."""
        self.lease.steps = [*self._steps, *self._running_step()]
        leases.finish(self.lease, state=state, fields=fields, account=account)
        transaction.on_commit(self._ended)

    def _running_step(self) -> list[dict[str, Any]]:
        """The step that finishes its row has not returned yet; its attempt tells of it all the same."""
        seconds = round(time.monotonic() - self.held.entered, 3)
        return [{"name": self.lease.step, "seconds": seconds}] if self.lease.step else []

    def _ended(self) -> None:
        self.has_ended = True
