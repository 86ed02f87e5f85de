import pytest

from config.connections import TooFewConnections, budget, check, needed


def test_budget_counts_every_process():
    rows = budget(ground_workers=1, pipeline_workers=3)

    assert [(row.process, row.connections) for row in rows] == [
        ("web, 8 threads", 8),
        ("qcluster ground, 1 worker", 5),
        ("qcluster pipelines, 3 workers", 9),
        ("supervisor", 1),
    ]


def test_exactly_enough_connections_pass():
    rows = budget(ground_workers=1, pipeline_workers=3)

    check(rows, max_connections=needed(rows))


def test_one_too_few_is_refused_with_the_table():
    rows = budget(ground_workers=1, pipeline_workers=3)

    with pytest.raises(TooFewConnections, match=r"(?s)allows 32 connections, but 33.*web, 8 threads +8"):
        check(rows, max_connections=32)
