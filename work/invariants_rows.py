"""The invariants of leased rows and their attempts: the second law, and that every claim has its story."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connection

from work import health, pipelines
from work.invariants import Breach, Invariant
from work.models import Attempt
from work.pipelines import Pipeline, lease_seconds

LIMIT = 200
CONSTRAINTS = (
    "is_leased_due_asking_or_finished", "lease_has_an_end", "finished_at_iff_terminal", "question_iff_asking",
    "unanswered_is_bounded",
)  # fmt: skip
MISSING_CONSTRAINTS = """
SELECT wanted.suffix FROM unnest(%s::text[]) AS wanted(suffix) WHERE NOT EXISTS (
  SELECT 1 FROM pg_constraint c WHERE c.conrelid = %s::regclass AND c.contype = 'c' AND c.convalidated
  AND c.conname LIKE '%%' || wanted.suffix)
"""
LAWLESS = """
SELECT id FROM {table} WHERE num_nonnulls(lease_token, due_at, asked_at, finished_at) <> 1
  OR (lease_token IS NULL) <> (locked_until IS NULL) OR (asked_at IS NULL) <> (question IS NULL)
  OR (finished_at IS NOT NULL) <> (state = ANY(%s)) LIMIT %s
"""
# Each part by its own partial index: what is unfinished is little, however long the table is.
UNBOUNDED = """
SELECT id, unanswered, starts FROM (
  SELECT id, unanswered, starts FROM {table} WHERE due_at IS NOT NULL
  UNION ALL SELECT id, unanswered, starts FROM {table} WHERE lease_token IS NOT NULL
  UNION ALL SELECT id, unanswered, starts FROM {table} WHERE asked_at IS NOT NULL) unfinished
WHERE unanswered < 0 OR unanswered > 3 OR unanswered > starts LIMIT %s
"""
ABANDONED = """
SELECT id, locked_until FROM {table} WHERE lease_token IS NOT NULL
  AND locked_until < now() - %s * interval '1 second' ORDER BY locked_until LIMIT %s
"""
IDLE = """
SELECT id, due_at FROM {table} WHERE due_at < now() - %s * interval '1 second' ORDER BY due_at LIMIT %s
"""
WITHOUT_ATTEMPT = """
SELECT id FROM {table} r WHERE lease_token IS NOT NULL AND NOT EXISTS (SELECT 1 FROM work_attempt a
  WHERE a.token = r.lease_token AND a.subject = r.id AND a.ended_at IS NULL) LIMIT %s
"""
WITHOUT_LEASE = """
SELECT subject, number FROM work_attempt a WHERE pipeline = %s AND ended_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM {table} r WHERE r.id = a.subject AND r.lease_token = a.token) LIMIT %s
"""
SECOND_OPEN = """
SELECT pipeline, subject, count(*) FROM work_attempt WHERE ended_at IS NULL
GROUP BY pipeline, subject HAVING count(*) > 1 LIMIT %s
"""


def second_law(deep: bool) -> list[Breach]:
    """The constraints stand on every leased table; a deep run also looks at every row."""
    breaches = []
    for pipeline in pipelines.every():
        missing = _rows(MISSING_CONSTRAINTS, [list(CONSTRAINTS), pipeline.table])
        breaches += [Breach(pipeline.table, f"The constraint {name} is missing.") for (name,) in missing]
        if deep or missing:
            lawless = _rows(
                LAWLESS.format(table=pipeline.table), [[str(state) for state in pipeline.terminal], LIMIT]
            )
            breaches += [Breach(_name(pipeline, pk), "Is not exactly one of leased, due, asking, finished.")
                         for (pk,) in lawless]  # fmt: skip
    return breaches


def unanswered_is_bounded(deep: bool) -> list[Breach]:
    return [
        Breach(_name(pipeline, pk), f"{unanswered} claims without an answer, of {starts} in all.")
        for pipeline in pipelines.every()
        for pk, unanswered, starts in _rows(UNBOUNDED.format(table=pipeline.table), [LIMIT])
    ]


def no_row_is_idle(deep: bool) -> list[Breach]:
    """Rows that wait for a person, for a stated time, behind others or for a worker are not idle."""
    breaches = []
    for pipeline in pipelines.every():
        abandoned = _rows(ABANDONED.format(table=pipeline.table), [patience(), LIMIT])
        breaches += [Breach(_name(pipeline, pk), f"Its lease ran out at {ended:%H:%M:%S}; nobody freed it.")
                     for pk, ended in abandoned]  # fmt: skip
        if _could_claim(pipeline):
            idle = _rows(IDLE.format(table=pipeline.table), [patience(), LIMIT])
            breaches += [Breach(_name(pipeline, pk), f"Due since {due:%H:%M:%S}, while workers were idle.")
                         for pk, due in idle]  # fmt: skip
    return breaches


def attempts_match_leases(deep: bool) -> list[Breach]:
    """Every lease has its open attempt, and every open attempt its lease."""
    breaches = []
    for pipeline in pipelines.every():
        unknown = _rows(WITHOUT_ATTEMPT.format(table=pipeline.table), [LIMIT])
        breaches += [Breach(_name(pipeline, pk), "Is leased without an open attempt.") for (pk,) in unknown]
        left = _rows(WITHOUT_LEASE.format(table=pipeline.table), [pipeline.name, LIMIT])
        breaches += [Breach(_name(pipeline, pk), f"Attempt {number} is open, but its lease is gone.")
                     for pk, number in left]  # fmt: skip
    known = [pipeline.name for pipeline in pipelines.every()]
    strange = Attempt.objects.filter(ended_at__isnull=True).exclude(pipeline__in=known)[:LIMIT]
    return breaches + [
        Breach(f"{attempt.pipeline} {attempt.subject}", "An attempt of an unknown pipeline is open.")
        for attempt in strange
    ]


def one_open_attempt(deep: bool) -> list[Breach]:
    return [
        Breach(f"{pipeline} {subject}", f"{count} attempts are open at once.")
        for pipeline, subject, count in _rows(SECOND_OPEN, [LIMIT])
    ]


def patience() -> float:
    """A lease, then recovery, then the sweep, each a tick late at worst."""
    return lease_seconds() + settings.RECOVERY_SECONDS + settings.SWEEP_SECONDS + 2 * settings.TICK_SECONDS


def _could_claim(pipeline: Pipeline) -> bool:
    """Workers live, none of them is busy or took anything lately, and nobody paused the pipeline."""
    workers = health.alive_workers(pipeline.cluster)
    if not workers.exists() or workers.filter(busy_since__isnull=False).exists():
        return False
    took = _rows(
        "SELECT 1 FROM work_worker WHERE cluster = %s AND took_at > now() - %s * interval '1 second' LIMIT 1",
        [pipeline.cluster, patience()],
    )
    paused = _rows("SELECT 1 FROM work_pipelinepause WHERE pipeline = %s", [pipeline.name])
    return not took and not paused


def _name(pipeline: Pipeline, pk: Any) -> str:
    return f"{pipeline.name} {pk}"


def _rows(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


EVERY = (
    Invariant("second_law", "Every row is leased, due, asking or finished", second_law),
    Invariant("unanswered_is_bounded", "No row is tried for ever", unanswered_is_bounded),
    Invariant("no_row_is_idle", "No row is idle past its lease and a sweep", no_row_is_idle),
    Invariant("attempts_match_leases", "Open attempts are the live leases", attempts_match_leases),
    Invariant("one_open_attempt", "One open attempt per row", one_open_attempt),
)
