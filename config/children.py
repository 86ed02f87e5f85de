"""A part of Waybill as a supervised child: started, watched, started again, ended with all below it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import psutil

from config import processes

FIRST_BACKOFF_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 30.0
HEALTHY_SECONDS = 60  # who ran that long starts its backoff anew
LARGEST_LOG = 10 * 1024**2


@dataclass(frozen=True)
class Part:
    name: str
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    is_hung: Callable[[psutil.Process], bool] = lambda process: False


@dataclass
class Child:
    part: Part
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0  # the process's own creation time: number and time together name it for ever
    running_since: float = 0.0
    start_at: float = 0.0
    backoff: float = FIRST_BACKOFF_SECONDS
    starts: int = field(default=0)

    def start(self) -> None:
        with _open_log(self.part.log) as output:
            self.process = subprocess.Popen(
                self.part.command,
                env=dict(self.part.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a Ctrl-C in the terminal is for the supervisor alone
                preexec_fn=processes.die_with_parent(signal.SIGKILL, parent=os.getpid()),
            )
        self.starts += 1
        self.running_since = time.monotonic()
        try:
            self.started = psutil.Process(self.process.pid).create_time()
        except psutil.Error:
            self.started = time.time()

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def runs_for(self) -> float:
        return 0.0 if self.process is None else time.monotonic() - self.running_since

    def is_hung(self) -> bool:
        running = self.observed()
        return running is not None and self.part.is_hung(running)

    def observed(self) -> psutil.Process | None:
        if self.process is None or self.process.poll() is not None:
            return None
        return processes.known(self.process.pid, started=self.started)

    def ask_to_stop(self) -> None:
        """The parent alone: sent to all, SIGTERM would kill a cluster's sentinel and hang its parent."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """Ends the process and everything it started, also what survived it."""
        if self.process is None:
            return
        processes.send(signal.SIGKILL, processes.descended_from(self.process.pid, started=self.started))
        self.process.wait()
        self.process = None

    def plan_restart(self) -> float:
        """Clears away what is left of the dead one and says in how many seconds the next one starts."""
        if time.monotonic() - self.running_since > HEALTHY_SECONDS:
            self.backoff = FIRST_BACKOFF_SECONDS
        wait = self.backoff
        self.backoff = min(self.backoff * 2, LONGEST_BACKOFF_SECONDS)
        self.kill()
        self.start_at = time.monotonic() + wait
        return wait

    def start_if_due(self) -> bool:
        if self.process is None and time.monotonic() >= self.start_at:
            self.start()
            return True
        return False


def _open_log(log: Path) -> IO[bytes]:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_name(log.name + ".1"))
    return log.open("ab")
