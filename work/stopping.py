"""Tells running steps that the process is asked to stop.

SIGTERM reaches only the parent of a cluster (sent to all, it would kill the sentinel). The parent writes
one byte
into a pipe that every worker inherited; nobody reads it, so every worker sees it.
"""

import contextlib
import os
import select
import threading

_asked = threading.Event()
_pipe: tuple[int, int] | None = None


def open_pipe() -> None:
    """Called once by the cluster's parent before it forks."""
    global _pipe
    if _pipe is None:
        _pipe = os.pipe()
        for end in _pipe:
            os.set_blocking(end, False)


def tell_workers() -> None:
    """Safe in a signal handler, and as often as one likes."""
    _asked.set()
    if _pipe is not None:
        with contextlib.suppress(BlockingIOError):
            os.write(_pipe[1], b"s")


def ask() -> None:
    """Ask this process alone to stop: the handler of SIGTERM in a worker."""
    _asked.set()


def is_asked() -> bool:
    if not _asked.is_set() and _pipe is not None and select.select([_pipe[0]], [], [], 0)[0]:
        _asked.set()
    return _asked.is_set()


def reset() -> None:
    """For a process that goes on after a stop, as tests do."""
    _asked.clear()
