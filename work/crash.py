"""Named points at which a test can have the process killed. Inert unless WAYBILL_KILL is set.

WAYBILL_KILL is `name:n`: kill at the n-th passage of that point (`name:n:stop` freezes it there); or `ask`:
read that from the file `kill` of WAYBILL_KILL_DIR at each passage, a line for each point. Passages are
counted there over all processes: one kill happens once and not in every worker, and a test can see which
points were reached.
"""

import fcntl
import os
import signal
from contextlib import suppress
from pathlib import Path


def is_armed() -> bool:
    return "WAYBILL_KILL" in os.environ


def point(name: str) -> None:
    """Die here if this is the chosen passage."""
    chosen = os.environ.get("WAYBILL_KILL")
    if chosen is None:
        return
    folder = Path(os.environ["WAYBILL_KILL_DIR"])
    passage = _count(folder / name)
    if chosen == "ask":
        chosen = ""
        with suppress(FileNotFoundError):
            chosen = (folder / "kill").read_text()
    for line in chosen.splitlines():
        wanted, number, how, *_ = f"{line}:::".split(":")
        if name == wanted and passage == int(number or 1):
            os.kill(os.getpid(), signal.SIGSTOP if how == "stop" else signal.SIGKILL)


def _count(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        passage = int(os.read(descriptor, 20) or 0) + 1
        # Written over and never emptied before: who reads meanwhile takes no lock.
        os.pwrite(descriptor, str(passage).encode(), 0)
    finally:
        os.close(descriptor)
    return passage
