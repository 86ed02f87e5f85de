"""Prometheus metrics, read from the tables when they are asked for and kept for ten seconds.

Several processes share the tables, so any of them gives the same numbers. Nothing names a tenant. What the
tables forget (retention) cannot be a counter that only grows: happenings are counted over the last hour.
"""

import threading
import time
from collections.abc import Iterator
from functools import lru_cache

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily

from work import metrics_queries as queries

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
KEPT_SECONDS = 10.0


class TablesCollector:
    """Asked by prometheus_client at every scrape; each family is one or two short statements."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from rows_by_pipeline()
        yield family(
            "paused_pipelines", "Pipelines that are paused by a person.", ["pipeline"], queries.paused()
        )
        yield family(
            "verdicts_last_hour",
            "Rows that ended in the last hour, by state.",
            ["pipeline", "state"],
            queries.verdicts(),
        )
        yield family(
            "attempts_last_hour",
            "Attempts (starts) that ended in the last hour, by outcome; died and hung are lost leases.",
            ["pipeline", "outcome"],
            queries.attempts(),
        )
        yield family(
            "starts_last_hour",
            "Claims made in the last hour, those that still run included.",
            ["pipeline"],
            queries.starts(),
        )
        yield family(
            "step_seconds",
            "Duration of steps in the last hour, at three quantiles.",
            ["pipeline", "step", "quantile"],
            queries.step_seconds(),
        )
        yield family(
            "refused_writes_last_hour",
            "Late writes refused by the fence in the last hour.",
            ["pipeline"],
            queries.refused_writes(),
        )
        yield family(
            "events_last_hour", "Events recorded in the last hour, by type.", ["type"], queries.events()
        )
        yield from deliveries_by_consumer()
        yield from health_of_parts()


def rows_by_pipeline() -> Iterator[GaugeMetricFamily]:
    depth = list(queries.depth())
    yield family("waiting_rows", "Rows that wait.", ["pipeline"], [(row[:1], row[1]) for row in depth])
    yield family(
        "due_rows", "Waiting rows that are due now.", ["pipeline"], [(row[:1], row[2]) for row in depth]
    )
    yield family("running_rows", "Rows under a lease.", ["pipeline"], [(row[:1], row[3]) for row in depth])
    yield family(
        "asking_rows", "Rows that wait for a person.", ["pipeline"], [(row[:1], row[4]) for row in depth]
    )
    yield family(
        "oldest_waiting_seconds",
        "Age of the oldest row that waits, since it was accepted.",
        ["pipeline"],
        [(row[:1], row[5]) for row in depth],
    )


def deliveries_by_consumer() -> Iterator[GaugeMetricFamily]:
    lag = list(queries.event_lag())
    yield family(
        "event_lag_seconds",
        "Age of the oldest event that a consumer has not taken.",
        ["consumer"],
        [(row[:1], row[1]) for row in lag],
    )
    yield family(
        "open_deliveries", "Deliveries not taken yet.", ["consumer"], [(row[:1], row[2]) for row in lag]
    )
    yield family("dead_letters", "Deliveries that gave up.", ["consumer"], [(row[:1], row[3]) for row in lag])


def health_of_parts() -> Iterator[GaugeMetricFamily]:
    workers = list(queries.workers())
    yield family("workers_alive", "Workers seen alive.", ["cluster"], [(row[:1], row[1]) for row in workers])
    yield family("workers_busy", "Workers at work.", ["cluster"], [(row[:1], row[2]) for row in workers])
    yield family(
        "clock_skew_seconds",
        "The largest difference, worker's clock minus database's, among live workers.",
        ["cluster"],
        [(row[:1], row[3]) for row in workers],
    )
    yield family(
        "canary_age_seconds",
        "Time since a canary last passed the cluster's whole path.",
        ["cluster"],
        queries.canaries(),
    )
    yield family(
        "cluster_hung", "1 when nothing passes and nobody works.", ["cluster"], queries.hung_clusters()
    )
    oldest, connections, most = queries.database()
    yield family(
        "oldest_transaction_seconds",
        "Age of the oldest open transaction in the database.",
        [],
        [((), oldest)],
    )
    yield family("database_connections", "Open connections of the database server.", [], [((), connections)])
    yield family("database_connections_limit", "Connections the server allows.", [], [((), most)])


def family(name: str, help_text: str, labels: list[str], samples: "queries.Samples") -> GaugeMetricFamily:
    metric = GaugeMetricFamily(f"waybill_{name}", help_text, labels=labels)
    for values, number in samples:
        metric.add_metric([str(value) for value in values], float(number))
    return metric


class Page:
    """The text of the last scrape, shared by the threads of this process; one of them reads anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._text = b""
        self._read = -KEPT_SECONDS

    def text(self) -> bytes:
        with self._lock:
            if time.monotonic() - self._read >= KEPT_SECONDS:
                self._text = generate_latest(registry())
                self._read = time.monotonic()
            return self._text


PAGE = Page()


@lru_cache(maxsize=1)
def registry() -> CollectorRegistry:
    made = CollectorRegistry()
    made.register(_Undescribed(TablesCollector()))
    return made


class _Undescribed:
    """Registering a collector scrapes it once unless it describes itself: that would read every table."""

    def __init__(self, collector: TablesCollector) -> None:
        self.collect = collector.collect

    def describe(self) -> list[GaugeMetricFamily]:
        return []
