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
    with path.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        passage = int(file.read() or 0) + 1
        file.truncate(0)
        file.write(str(passage))
        file.flush()
    return passage
