"""Finding and ending operating system processes, only ever ones that belong to this installation."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
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


def family(parent: psutil.Process) -> list[psutil.Process]:
    """The process and all below it, and what stayed of its session after the parents between were gone."""
    try:
        below = parent.children(recursive=True)
    except psutil.Error:
        below = []
    return [parent, *below, *(p for p in _session(parent.pid) if p not in below and p != parent)]


def _session(leader: int) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader:
                found.append(process)
        except (ProcessLookupError, PermissionError):
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
