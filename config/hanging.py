"""When a running part counts as hung. A busy one never does: it is restarted only when it neither answers
nor does anything."""

import http.client
import time

import psutil
from django.db import DatabaseError, close_old_connections

from work import health

WORKED_SECONDS = 0.5  # of processor time; less is waiting


class ClusterWatch:
    """The canary and the leases tell; without a database nothing can be told, and nothing is restarted."""

    def __init__(self, cluster: str) -> None:
        self.cluster = cluster

    def __call__(self, process: psutil.Process) -> bool:
        try:
            close_old_connections()
            return health.cluster_is_hung(self.cluster)
        except DatabaseError:
            return False


class WebWatch:
    """Hung: for so long no answer to the simplest question, and no processor time used meanwhile. With all
    threads busy on long uploads there is no answer either, but the processor is used."""

    def __init__(self, *, host: str, port: int, after_seconds: float) -> None:
        self.host = host
        self.port = port
        self.after_seconds = after_seconds
        self.quiet_since: float | None = None
        self.used_then = 0.0

    def __call__(self, process: psutil.Process) -> bool:
        used = _processor_seconds(process)
        if self.answers() or self.quiet_since is None or used - self.used_then > WORKED_SECONDS:
            self.quiet_since, self.used_then = time.monotonic(), used
            return False
        if time.monotonic() - self.quiet_since < self.after_seconds:
            return False
        self.quiet_since = None  # the next one gets its own time
        return True

    def answers(self, *, seconds: float = 2) -> bool:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def _processor_seconds(process: psutil.Process) -> float:
    total = 0.0
    for one in [process, *_below(process)]:
        try:
            times = one.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total


def _below(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []
