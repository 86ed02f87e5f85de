"""What the metrics read: short statements by index, each a list of label values and a number."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

from work import health, pipelines
from work.identifiers import first_uuid7
from work.models import PipelinePause
from work.periodic import database_now
from work.pipelines import alive_seconds

Samples = Iterable[tuple[Sequence[Any], float]]
HOUR = dt.timedelta(hours=1)
CLOCK_TOLERANCE = dt.timedelta(hours=2)

DEPTH = """
SELECT count(*) FILTER (WHERE due_at IS NOT NULL),
  count(*) FILTER (WHERE due_at <= clock_timestamp()),
  count(*) FILTER (WHERE lease_token IS NOT NULL), count(*) FILTER (WHERE asked_at IS NOT NULL),
  coalesce(extract(epoch FROM clock_timestamp() - min(accepted_at) FILTER (WHERE due_at IS NOT NULL)), 0)
FROM {table} WHERE due_at IS NOT NULL OR lease_token IS NOT NULL OR asked_at IS NOT NULL
"""
VERDICTS = """
SELECT t.state, count(DISTINCT t.id) FROM work_attempt a JOIN {table} t ON t.id = a.subject
WHERE a.pipeline = %s AND a.ended_at > clock_timestamp() - interval '1 hour'
  AND t.finished_at > clock_timestamp() - interval '1 hour' GROUP BY t.state
"""
ATTEMPTS = """
SELECT pipeline, outcome, count(*) FROM work_attempt
WHERE ended_at > clock_timestamp() - interval '1 hour' GROUP BY pipeline, outcome
"""
STARTS = """
SELECT pipeline, count(*) FROM work_attempt
WHERE (ended_at IS NULL OR ended_at > clock_timestamp() - interval '1 hour')
  AND started_at > clock_timestamp() - interval '1 hour' GROUP BY pipeline
"""
STEPS = """
SELECT a.pipeline, s ->> 'name', percentile_cont(ARRAY[0.5, 0.95, 1.0])
  WITHIN GROUP (ORDER BY (s ->> 'seconds')::float)
FROM work_attempt a CROSS JOIN LATERAL jsonb_array_elements(a.steps) s
WHERE a.ended_at > clock_timestamp() - interval '1 hour' GROUP BY 1, 2
"""
REFUSED = """
SELECT pipeline, count(*) FROM work_refusedwrite
WHERE refused_at > clock_timestamp() - interval '1 hour' GROUP BY pipeline
"""
EVENTS = """
SELECT type, count(*) FROM work_event
WHERE id >= %s AND occurred_at > clock_timestamp() - interval '1 hour' GROUP BY type
"""
LAG = """
SELECT d.consumer,
  coalesce(extract(epoch FROM clock_timestamp() - min(e.occurred_at) FILTER (WHERE d.asked_at IS NULL)), 0),
  count(*) FILTER (WHERE d.asked_at IS NULL), count(*) FILTER (WHERE d.asked_at IS NOT NULL)
FROM work_delivery d JOIN work_event e ON e.id = d.event_id WHERE d.finished_at IS NULL GROUP BY d.consumer
"""
WORKERS = """
SELECT cluster, count(*), count(busy_since),
  (array_agg(clock_skew_seconds ORDER BY abs(clock_skew_seconds) DESC))[1]
FROM work_worker WHERE stopped_at IS NULL AND seen_at > clock_timestamp() - %s * interval '1 second'
GROUP BY cluster
"""
CANARIES = """
SELECT cluster, extract(epoch FROM clock_timestamp() - passed_at) FROM work_canary WHERE passed_at IS NOT NULL
"""
DATABASE = """
SELECT coalesce(extract(epoch FROM clock_timestamp() - min(xact_start)
    FILTER (WHERE datname = current_database() AND pid <> pg_backend_pid())), 0),
  count(*), current_setting('max_connections')::int
FROM pg_stat_activity WHERE backend_type = 'client backend'
"""


def depth() -> list[tuple[Any, ...]]:
    """Pipeline, waiting, due, running, asking, age of the oldest waiting."""
    return [
        (pipeline.name, *rows_of(DEPTH.format(table=pipeline.table))[0]) for pipeline in pipelines.every()
    ]


def paused() -> Samples:
    return [((name,), 1) for name in PipelinePause.objects.values_list("pipeline", flat=True)]


def verdicts() -> Samples:
    return [
        ((pipeline.name, state), number)
        for pipeline in pipelines.every()
        for state, number in rows_of(VERDICTS.format(table=pipeline.table), pipeline.name)
    ]


def attempts() -> Samples:
    return _samples(rows_of(ATTEMPTS))


def starts() -> Samples:
    return _samples(rows_of(STARTS))


def step_seconds() -> Samples:
    return [
        ((pipeline, step, quantile), seconds)
        for pipeline, step, values in rows_of(STEPS)
        for quantile, seconds in zip(("0.5", "0.95", "1"), values, strict=True)
    ]


def refused_writes() -> Samples:
    return _samples(rows_of(REFUSED))


def events() -> Samples:
    return _samples(rows_of(EVENTS, first_uuid7(database_now() - HOUR - CLOCK_TOLERANCE)))


def event_lag() -> list[tuple[Any, ...]]:
    """Consumer, age of the oldest event not taken, how many, dead letters."""
    return rows_of(LAG)


def workers() -> list[tuple[Any, ...]]:
    """Cluster, alive, busy, largest skew in seconds."""
    return rows_of(WORKERS, alive_seconds())


def canaries() -> Samples:
    return _samples(rows_of(CANARIES))


def hung_clusters() -> Samples:
    return [((cluster,), int(health.cluster_is_hung(cluster))) for cluster in health.CLUSTERS]


def database() -> tuple[float, int, int]:
    """Age of the oldest open transaction, connections, and their limit."""
    oldest, connections, most = rows_of(DATABASE)[0]
    return float(oldest), connections, most


def _samples(rows: Iterable[tuple[Any, ...]]) -> Samples:
    return [(row[:-1], row[-1]) for row in rows]


def rows_of(statement: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
