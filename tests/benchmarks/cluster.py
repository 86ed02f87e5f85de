"""A cluster for the pipelines as production runs it, and the memory that it takes.

Memory is the summed proportional set size (PSS) of the cluster and its reader child, looked at 20 times a
second.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from django.conf import settings
from django.db import connection

from work.models import Worker

MIB = 1 << 20
ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def running_cluster() -> Iterator[psutil.Process]:
    """`manage.py qcluster` for the pipelines, as production runs it."""
    connection.close()
    environment = {**os.environ, "Q_CLUSTER_NAME": "pipelines", "LOG_LEVEL": "WARNING"}
    log = (settings.VAR_DIR / "benchmarks" / "cluster.log").open("ab")
    command = [sys.executable, "manage.py", "qcluster"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while Worker.objects.filter(cluster="pipelines", stopped_at=None).count() < settings.PIPELINE_WORKERS:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the cluster did not start: see {log.name}")
            time.sleep(0.1)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)
        log.close()


class Memory:
    def __init__(self, parent: psutil.Process) -> None:
        self.parent, self.peak = parent, 0.0
        self.stopped = threading.Event()

    def now(self) -> float:
        total = 0.0
        for process in [self.parent, *self.parent.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                total += process.memory_full_info().pss
        return total

    def watch(self) -> None:
        while not self.stopped.wait(0.05):
            self.peak = max(self.peak, self.now())


@contextlib.contextmanager
def watched(parent: psutil.Process) -> Iterator[Memory]:
    memory = Memory(parent)
    thread = threading.Thread(target=memory.watch, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        memory.stopped.set()
        thread.join()
