"""Whether this installation is ready and at work, for load balancers and supervisors. Names no tenant.

Only the database and the storage make it unready: accepting goes on without workers.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.db import connection, transaction

from work import health, storage

log = structlog.get_logger(__name__)

PATIENCE_MS = 2000
WELL = frozenset({"ok", "healthy", "busy"})


@dataclass(frozen=True)
class Readiness:
    """`parts` says ok or unavailable, and of clusters the word of work.health."""

    parts: dict[str, str] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        return all(self.parts[part] == "ok" for part in ("database", "storage"))

    @property
    def is_at_work(self) -> bool:
        """A cluster whose workers are all busy is at work; so is one that has just started."""
        return self.is_ready and not {"hung", "silent"}.intersection(self.parts.values())

    @property
    def status(self) -> str:
        if not self.is_ready:
            return "unavailable"
        return "ready" if WELL.issuperset(self.parts.values()) else "degraded"

    def body(self) -> dict[str, Any]:
        return {"status": self.status, "parts": self.parts}


def readiness() -> Readiness:
    database = _word(database_answers)
    clusters = cluster_words() if database == "ok" else dict.fromkeys(health.CLUSTERS, "unknown")
    return Readiness({"database": database, "storage": _word(storage_answers), **clusters})


def cluster_words() -> dict[str, str]:
    return {cluster.cluster: cluster.state for cluster in health.clusters()}


def database_answers() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {PATIENCE_MS}")
        cursor.execute("SELECT 1")


def storage_answers() -> None:
    """In a thread of its own, since a store that is away may keep its client trying for minutes."""
    asked = _asking.submit(_ask_storage)
    asked.result(timeout=PATIENCE_MS / 1000)


def _ask_storage() -> None:
    storage.files().look()


_asking = ThreadPoolExecutor(max_workers=1, thread_name_prefix="probe")


def _word(probe: Callable[[], None]) -> str:
    try:
        probe()
    except Exception as error:  # whatever it raises, it did not answer
        why = {"reason": str(error)} if isinstance(error, storage.StorageUnavailable) else {}
        log.warning("probe.failed", probe=probe.__name__, error=type(error).__name__, **why)
        return "unavailable"
    return "ok"
