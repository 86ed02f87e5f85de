"""When a running part counts as hung. A busy one never does: it is restarted only when it neither answers
nor does anything."""

import http.client
import time
from datetime import timedelta

import psutil
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.db.models.functions import Now

from work import canaries, health
from work.models import Canary

CANARIES_MISSED = 2
WORKED_SECONDS = 0.5  # of processor time; less is waiting


class ClusterWatch:
    """The canary and the leases tell; without a database nothing can be told, and nothing is restarted. A
    hung ground sends no canary any more, so the watch sends its own when the last one is long ago."""

    def __init__(self, cluster: str) -> None:
        self.cluster = cluster

    def __call__(self, process: psutil.Process) -> bool:
        try:
            close_old_connections()
            self.send_if_quiet()
            return health.cluster_is_hung(self.cluster)
        except DatabaseError:
            return False

    def send_if_quiet(self) -> None:
        long_ago = Now() - timedelta(seconds=CANARIES_MISSED * settings.TICK_SECONDS)
        quiet = Canary.objects.filter(cluster=self.cluster, waiting_since=None, passed_at__lt=long_ago)
        if quiet.exists():
            canaries.send(self.cluster)


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
