"""What the database says of itself: connections against their limit, and its oldest open transactions."""

import datetime as dt
from dataclasses import dataclass

from django.db import connection

USAGE = """
SELECT count(*), current_setting('max_connections')::int,
  count(*) FILTER (WHERE datname = current_database()), current_setting('server_version')
FROM pg_stat_activity WHERE backend_type = 'client backend'
"""
# No query texts: they may hold values of cells.
OLDEST = """
SELECT pid, coalesce(application_name, ''), coalesce(state, ''), xact_start,
  extract(epoch FROM clock_timestamp() - xact_start)::float,
  coalesce(wait_event_type, ''), cardinality(pg_blocking_pids(pid))
FROM pg_stat_activity
WHERE backend_type = 'client backend' AND datname = current_database() AND xact_start IS NOT NULL
  AND pid <> pg_backend_pid()
ORDER BY xact_start LIMIT 10
"""


@dataclass(frozen=True)
class Transaction:
    """`blocked_by` is how many other connections it waits for."""

    pid: int
    application: str
    state: str
    since: dt.datetime
    seconds: float
    waits_for: str
    blocked_by: int


@dataclass(frozen=True)
class Database:
    connections: int
    limit: int
    own: int
    version: str
    oldest: list[Transaction]


def read() -> Database:
    with connection.cursor() as cursor:
        cursor.execute(USAGE)
        connections, limit, own, version = cursor.fetchone()
        cursor.execute(OLDEST)
        oldest = [Transaction(*row) for row in cursor.fetchall()]
    return Database(connections, limit, own, version, oldest)
