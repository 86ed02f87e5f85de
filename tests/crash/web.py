"""A request whose process is killed in the middle, as a web server may be: no lease stands behind it."""

import os
import signal
import tempfile
from pathlib import Path

from django.db import connections


def killed_at(point, act):
    """Run `act` in a process of its own that is killed at the point."""
    connections.close_all()  # no two processes may use one
    with tempfile.TemporaryDirectory(prefix="waybill-kills-") as folder:
        child = os.fork()
        if not child:
            os.environ |= {"WAYBILL_KILL": f"{point}:1", "WAYBILL_KILL_DIR": folder}
            try:
                act()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        reached = (Path(folder) / point).exists()
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL
    return reached
