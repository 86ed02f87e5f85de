"""One supervisor per folder: a lock that ends with its holder, and notes of who runs and what was started."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from config import processes
from config.children import Child

SETTLING_SECONDS = 2  # a supervisor whose terminal just went away needs a moment to notice
STOPPING_SECONDS = 60


class AlreadyRunning(Exception):
    """Waybill runs from this folder already."""


class Instance:
    def __init__(self, var: Path) -> None:
        self.lock_path = var / "lock"
        self.notes_path = var / "processes.json"
        self.lock: IO[str] | None = None

    def take(self) -> None:
        """Waits for one that is just stopping; refuses beside one that runs."""
        self.lock_path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.lock_path.open("a+")
        begun = time.monotonic()
        while not _locked(lock):
            waited = time.monotonic() - begun
            note = _read(self.lock_path)
            if waited > (STOPPING_SECONDS if note.get("stopping") else SETTLING_SECONDS):
                lock.close()
                raise AlreadyRunning(
                    f"Waybill runs from this folder already: {note.get('address', 'starting')} "
                    f"(process {note.get('pid', 'unknown')})."
                )
            time.sleep(0.1)
        self.lock = lock

    def say(self, **note: str | int | bool) -> None:
        assert self.lock is not None  # noqa: S101 - only the holder writes
        self.lock.seek(0)
        self.lock.truncate()
        self.lock.write(json.dumps({"pid": os.getpid(), **note}))
        self.lock.flush()

    def remember(self, children: Iterable[Child]) -> None:
        """Written before anything can go wrong with the child, replaced as a whole."""
        notes = [
            {"name": child.part.name, "pid": child.process.pid, "started": child.started}
            for child in children
            if child.process is not None
        ]
        half = self.notes_path.with_suffix(".part")
        half.write_text(json.dumps(notes))
        half.replace(self.notes_path)

    def end_leftovers(self) -> list[str]:
        """Ends what an earlier, killed supervisor had started, and names it."""
        found = []
        notes = _read(self.notes_path, default=[])
        for note in notes:
            left = processes.descended_from(note["pid"], started=note["started"])
            if left:
                processes.send(signal.SIGKILL, left)
                found.append(note["name"])
        return found


def _locked(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(path: Path, *, default: Any = None) -> Any:
    """A note half written by a killed process counts as none."""
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {} if default is None else default
