"""How many database connections each process may hold, and whether the server has room for them all.
A web server with unbounded threads once opened a hundred and answered every third request with an error."""

from dataclasses import dataclass

WEB_THREADS = 8
PER_WORKER = 2  # the work's own and the heart's
PER_CLUSTER = 3  # pusher, monitor, sentinel
KEPT_FREE = 10  # for people, commands and the server's own reserve


class TooFewConnections(Exception):
    """The database allows fewer connections than the processes may hold."""


@dataclass(frozen=True)
class Row:
    process: str
    connections: int


def budget(*, ground_workers: int, pipeline_workers: int) -> list[Row]:
    return [
        Row(f"web, {WEB_THREADS} threads", WEB_THREADS),
        _cluster("ground", ground_workers),
        _cluster("pipelines", pipeline_workers),
        Row("supervisor", 1),
    ]


def _cluster(name: str, workers: int) -> Row:
    label = f"qcluster {name}, {workers} worker{'s' if workers != 1 else ''}"
    return Row(label, workers * PER_WORKER + PER_CLUSTER)


def needed(rows: list[Row]) -> int:
    return sum(row.connections for row in rows) + KEPT_FREE


def check(rows: list[Row], *, max_connections: int) -> None:
    if needed(rows) > max_connections:
        raise TooFewConnections(
            f"The database allows {max_connections} connections, but {needed(rows)} may be needed:\n"
            + table(rows)
            + "\nRaise max_connections in PostgreSQL, or lower PIPELINE_WORKERS."
        )


def table(rows: list[Row]) -> str:
    lines = [*rows, Row("kept free", KEPT_FREE)]
    return "\n".join(f"  {row.process:<32}{row.connections:>4}" for row in lines)
