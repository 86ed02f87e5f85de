"""Finding and ending operating system processes, only ever ones that belong to this installation."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import psutil

PR_SET_PDEATHSIG = 1  # from <linux/prctl.h>


def die_with_parent(how: signal.Signals, *, parent: int) -> Callable[[], None]:
    """For Popen's preexec_fn: the child gets `how` when the process that starts it is gone. Linux only;
    elsewhere the next start finds what was left."""
    set_signal = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def in_the_child() -> None:
        if set_signal:
            set_signal(PR_SET_PDEATHSIG, int(how), 0, 0, 0)
            if os.getppid() != parent:  # the parent died between fork and prctl
                os._exit(1)

    return in_the_child


def working_in(folder: Path) -> list[psutil.Process]:
    """Processes whose working folder is exactly this one."""
    real = str(folder.resolve())
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == real:
                found.append(process)
        except psutil.Error:
            continue  # gone meanwhile, or somebody else's
    return found


def known(pid: int, *, started: float) -> psutil.Process | None:
    """The process noted down earlier, unless its number went to another one."""
    try:
        process = psutil.Process(pid)
        # The clock may have been stepped a little between the note and now.
        return process if abs(process.create_time() - started) < 2 else None
    except psutil.Error:
        return None


def descended_from(pid: int, *, started: float) -> list[psutil.Process]:
    """The process noted down earlier and all below it, and what stayed of its session when it is gone itself.
    A number is not given to another process while a session still goes by it."""
    leader = known(pid, started=started)
    if leader is None and psutil.pid_exists(pid):
        return []
    found = {process.pid: process for process in _session(pid)}
    if leader is not None:
        found[pid] = leader
        with suppress(psutil.Error):  # ended meanwhile
            found |= {process.pid: process for process in leader.children(recursive=True)}
    return list(found.values())


def _session(leader: int) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader:
                found.append(process)
        except OSError:
            continue
    return found


def send(how: signal.Signals, processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        try:
            process.send_signal(how)
        except psutil.Error:
            continue


def wait_until(condition: Callable[[], bool], *, seconds: float, every: float = 0.05) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True
