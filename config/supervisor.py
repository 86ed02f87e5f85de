"""Keeps the parts of one machine running: restarts who died, exited or hangs, and ends everything at the end.
It does no work of its own, so that nothing but a signal can stop it."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType

from config import processes
from config.children import Child, Part
from config.embedded import Server
from config.instance import Instance
from config.postgres_place import PostgresUnavailable

LOOK_SECONDS = 0.2
HUNG_SECONDS = 120
HUNG_CHECKS = 8  # within that time
GRACE_SECONDS = 20
DATABASE_RETRY_SECONDS = 5


class StopAsked(BaseException):
    """A signal asked us to stop. Not an Exception: nothing on the way may catch it."""


class Supervisor:
    def __init__(
        self,
        parts: Sequence[Part],
        *,
        instance: Instance,
        database: Server | None,
        tell: Callable[[str], None],
        with_parent: bool = False,
        hung_seconds: float = HUNG_SECONDS,
    ) -> None:
        self.children = [Child(part) for part in parts]
        self.errands: list[Child] = []  # run once, never started again
        self.instance = instance
        self.database = database
        self.tell = tell
        self.parent = os.getppid() if with_parent else None
        self.asked = 0
        self.interruptible = False
        self.hung_seconds = hung_seconds
        self.next_hung_check = time.monotonic() + hung_seconds

    def listen(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """Between starting a child and noting it down nothing may interrupt; there the loop looks itself."""
        self.asked += 1
        if self.interruptible:
            raise StopAsked

    def start(self, *names: str) -> None:
        """The named parts, or all that do not run yet. Until then none is looked after."""
        for child in self.children:
            if child.process is None and (not names or child.part.name in names):
                child.start()
        self._remember()

    def start_errand(self, part: Part) -> Child:
        child = Child(part)
        self.errands.append(child)
        child.start()
        self._remember()
        return child

    def _remember(self) -> None:
        self.instance.remember([*self.children, *self.errands])

    def run(self, *, every_look: Callable[[], None]) -> None:
        """Until a signal comes or, when asked for, the parent is gone."""
        while not self.asked and (self.parent is None or os.getppid() == self.parent):
            self.interruptibly(self._look_after_database)
            self._look_after_children()
            every_look()
            self.interruptibly(self._find_hung)
            self.interruptibly(lambda: time.sleep(LOOK_SECONDS))

    def interruptibly(self, function: Callable[[], None]) -> None:
        """A signal may end the function wherever it stands, with StopAsked."""
        self.interruptible = True
        try:
            if self.asked:
                raise StopAsked
            function()
        finally:
            self.interruptible = False

    def _look_after_database(self) -> None:
        if self.database is None or self.database.is_running():
            return
        self.tell("PostgreSQL ended. Starting it again.")
        try:
            self.database.start()
        except PostgresUnavailable as problem:
            self.tell(str(problem))
            time.sleep(DATABASE_RETRY_SECONDS)

    def _look_after_children(self) -> None:
        changed = False
        for child in self.children:
            if child.has_ended() and child.process is not None:
                how = _how_it_ended(child.process.returncode)
                wait = child.plan_restart()
                self.tell(
                    f"{child.part.name} {how}. Starting it again in {wait:g} s. Its log: {child.part.log}"
                )
            changed |= child.start_if_due()
        if changed:
            self._remember()

    def _find_hung(self) -> None:
        if time.monotonic() < self.next_hung_check:
            return
        self.next_hung_check = time.monotonic() + self.hung_seconds / HUNG_CHECKS
        for child in self.children:
            # What a young one does not do yet its predecessor, or a long stop, left undone.
            if child.runs_for() > self.hung_seconds and child.is_hung():
                self.tell(f"{child.part.name} hangs. Ending it.")
                processes.send(signal.SIGKILL, filter(None, [child.observed()]))

    def stop(self, *, grace: float = GRACE_SECONDS) -> None:
        """All are asked at once; who is still there after the grace, or at a second signal, is killed."""
        asked_before = self.asked
        self.instance.say(stopping=True)
        everyone = [*self.children, *self.errands]
        for child in everyone:
            child.ask_to_stop()

        def all_ended() -> bool:
            return self.asked > asked_before or all(c.process is None or c.has_ended() for c in everyone)

        processes.wait_until(all_ended, seconds=grace)
        for child in everyone:
            child.kill()
        if self.database is not None:
            self.database.stop()
        self.instance.remember([])


def _how_it_ended(code: int) -> str:
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"exited with {code}"
