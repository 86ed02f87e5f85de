"""Claim, release and finish: the only writers of lease columns, each one statement.

Every write by a worker matches its token. Zero rows mean that the lease was lost and nothing may be stored.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from django.db import connection, transaction
from django.db.models import Model
from psycopg.types.json import Jsonb

from work import crash, identity, prepared
from work.failures import LeaseLost
from work.models import Attempt, Leased, Outcome, RefusedWrite
from work.models.leased import MAX_UNANSWERED
from work.pipelines import ALL_BUT_ONE, Fields, Pipeline, alive_seconds, lease_seconds

ALL_WORKERS_BUT_ONE = """greatest(1, (SELECT count(*) - 1 FROM work_worker WHERE cluster = %(cluster)s
  AND seen_at > clock_timestamp() - %(alive)s * interval '1 second' AND stopped_at IS NULL))"""
LIVE_LEASES = """SELECT count(*) FROM {table} WHERE lease_token IS NOT NULL
  AND locked_until > clock_timestamp()"""

# Fair between organisations (fewest running first, then served longest ago), oldest first within one; a walk
# over the organisations that wait costs one index probe each, however long their queues are. Predicates stand
# at the level of FOR UPDATE, and nothing is sorted outside the lock, or a row could be claimed twice.
FAIR_PICK = """
orgs AS (
  (SELECT organisation_id FROM {table} WHERE due_at IS NOT NULL AND {open} ORDER BY organisation_id LIMIT 1)
  UNION ALL
  SELECT (SELECT j.organisation_id FROM {table} j WHERE j.due_at IS NOT NULL
          AND j.organisation_id > o.organisation_id ORDER BY j.organisation_id LIMIT 1)
  FROM orgs o WHERE o.organisation_id IS NOT NULL),
turn AS MATERIALIZED (
  SELECT o.organisation_id FROM orgs o
  LEFT JOIN LATERAL (SELECT count(*) n FROM {table} r
    WHERE r.organisation_id = o.organisation_id AND r.lease_token IS NOT NULL) r ON true
  LEFT JOIN LATERAL (SELECT started_at FROM {table} s
    WHERE s.organisation_id = o.organisation_id AND s.started_at IS NOT NULL
    ORDER BY s.started_at DESC LIMIT 1) s ON true
  WHERE o.organisation_id IS NOT NULL ORDER BY r.n, s.started_at NULLS FIRST, o.organisation_id),
pick AS (
  SELECT p.id FROM turn CROSS JOIN LATERAL (
    SELECT id FROM {table} j WHERE j.organisation_id = turn.organisation_id AND j.due_at IS NOT NULL
    AND j.due_at <= clock_timestamp() ORDER BY j.due_at, j.id LIMIT 1 FOR UPDATE SKIP LOCKED) p LIMIT 1)
"""
PLAIN_PICK = """
pick AS (
  SELECT id FROM {table} j WHERE j.due_at IS NOT NULL AND j.due_at <= clock_timestamp() AND {open}
  ORDER BY j.due_at, j.id LIMIT 1 FOR UPDATE SKIP LOCKED)
"""
CLAIM = """
WITH RECURSIVE {pick},
claimed AS (
  UPDATE {table} t SET lease_token = gen_random_uuid(),
    locked_until = clock_timestamp() + %(lease)s * interval '1 second', locked_by = %(worker)s,
    heartbeat_at = clock_timestamp(), started_at = clock_timestamp(), due_at = NULL,
    starts = t.starts + 1, unanswered = least(t.unanswered + 1, %(most)s), step = '',
    progress_done = 0, progress_total = NULL, progress_unit = '',
    state = CASE t.state WHEN %(initial)s THEN %(running)s ELSE t.state END
  FROM pick WHERE t.id = pick.id RETURNING t.*),
attempt AS (
  INSERT INTO work_attempt (pipeline, subject, number, token, worker, worker_label, organisation_id)
  SELECT %(pipeline)s, id, starts, lease_token, %(worker)s, %(label)s, {organisation} FROM claimed)
SELECT {columns} FROM claimed t
"""
END = """
WITH ended AS (
  UPDATE {table} SET lease_token = NULL, locked_until = NULL, locked_by = NULL, step = %(step)s,
    unanswered = unanswered - 1{assignments}
  WHERE id = %(id)s AND lease_token = %(token)s AND state = %(old)s RETURNING 1),
attempt AS (
  UPDATE work_attempt SET ended_at = clock_timestamp(), outcome = %(outcome)s, step = %(step)s{story}
  WHERE token = %(token)s AND ended_at IS NULL AND EXISTS (SELECT 1 FROM ended))
SELECT count(*) FROM ended
"""
ADVANCE = """
UPDATE {table} SET state = %(new)s, step = %(step)s{assignments}
WHERE id = %(id)s AND lease_token = %(token)s AND state = %(old)s RETURNING 1
"""
CAP_LOCK = "SELECT pg_advisory_xact_lock(hashtext('work.cap'), hashtext(%(pipeline)s))"


@dataclass
class Lease:
    """One claim: the row as it was claimed, and what the attempt will say of itself when it ends."""

    pipeline: Pipeline
    row: Any
    token: uuid.UUID
    state: str
    step: str = ""
    steps: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Account:
    """What an attempt says about how it ended."""

    outcome: Outcome
    code: str = ""
    detail: Fields | None = None
    traceback: str = ""
    fingerprint: str = ""


def claim_next(pipeline: Pipeline) -> Lease | None:
    """Claim the next due row of a pipeline, or None: nothing due, paused, at its cap. Commits by itself."""
    _alone()
    who = identity.current()
    model = pipeline.model
    statement = _claim_statement(model, pipeline.limits.running)
    values = {
        "lease": lease_seconds(), "alive": alive_seconds(), "worker": who.id, "label": who.label,
        "cluster": pipeline.cluster, "cap": pipeline.limits.running, "pipeline": pipeline.name,
        "initial": pipeline.initial, "running": pipeline.running, "most": MAX_UNANSWERED,
    }  # fmt: skip
    if pipeline.limits.running is None:
        found = prepared.fetch(statement, values)
    else:
        with transaction.atomic():
            # counted by a later statement than the lock, or two idle workers pass the cap at once
            prepared.fetch(CAP_LOCK, {"pipeline": pipeline.name})
            found = prepared.fetch(statement, values)
            crash.point("claim.before")
    crash.point("claim.after")
    if found is None:
        return None
    row = prepared.instance(model, found)
    return Lease(pipeline=pipeline, row=row, token=row.lease_token, state=row.state)


def release(
    lease: Lease, account: Account, *, due_in: float, postponed: bool = False, state: str | None = None
) -> None:
    """Give the row back, due again in so many seconds; this is an answer. Raises LeaseLost.

    A state in which a worker is at work goes back to the pipeline's initial one, any other is kept.
    """
    assignments = ", due_at = clock_timestamp() + %(due_in)s * interval '1 second', state = %(new)s"
    if postponed:
        assignments += ", postponed = postponed + 1"
    new = state or lease.pipeline.waiting_state(lease.state)
    _alone()
    _end(lease, account, assignments, {"due_in": due_in, "new": new}, tried="release")
    crash.point("release.after")


def advance(lease: Lease, *, state: str, fields: Fields | None = None) -> None:
    """Move the row to the next state under the same lease. The fence: the last statement of the effect's
    transaction, which the caller opened. Raises LeaseLost.
    """
    _joined()
    lease.pipeline.check_move(lease.state, state)
    more, params = _assignments(lease.pipeline.model, fields or {})
    statement = ADVANCE.format(table=lease.pipeline.table, assignments=more)
    values = {
        "id": lease.row.pk, "token": lease.token, "old": lease.state, "new": state, "step": lease.step,
        **params,
    }  # fmt: skip
    if prepared.fetch(statement, values) is None:
        raise LeaseLost("taken", tried=f"advance to {state}")
    transaction.on_commit(partial(_advanced, lease, state))


def _advanced(lease: Lease, state: str) -> None:
    lease.state = lease.row.state = state


def ask(
    lease: Lease, *, question: str, state: str, fields: Fields | None = None, account: Account | None = None
) -> None:
    """Hand the row to a person: it asks `question` and no worker holds it. Raises LeaseLost.

    The last statement of the caller's transaction.
    """
    _joined()
    more, params = _assignments(lease.pipeline.model, fields or {})
    assignments = ", asked_at = clock_timestamp(), question = %(question)s, state = %(new)s" + more
    account = account or Account(Outcome.ASKED, code=question)
    _end(lease, account, assignments, {"question": question, "new": state, **params}, tried=f"ask {question}")


def finish(lease: Lease, *, state: str, fields: Fields | None = None, account: Account | None = None) -> None:
    """End the row. The fence: the last statement of the effect's transaction, which the caller opened.

    Raises LeaseLost when the token no longer matches; the caller lets it pass, so that its transaction
    rolls back.
    """
    _joined()
    more, params = _assignments(lease.pipeline.model, fields or {})
    assignments = ", finished_at = clock_timestamp(), state = %(new)s" + more
    account = account or Account(Outcome.FINISHED)
    _end(lease, account, assignments, {"new": state, **params}, tried=f"finish as {state}")
    crash.point("finish.before")
    if crash.is_armed():
        transaction.on_commit(partial(crash.point, "finish.after"))


def has_answered(lease: Lease) -> bool:
    """Whether an answer of this very lease was stored: its commit came through, its confirmation did not."""
    ended = Attempt.objects.filter(token=lease.token, outcome__isnull=False)
    return ended.exclude(outcome__in=(Outcome.DIED, Outcome.HUNG, Outcome.CANCELLED)).exists()


def record_refused(lease: Lease, *, tried: str) -> None:
    """Keep the story of a late write: in a transaction of its own, after the refused one was rolled back."""
    found = (
        lease.pipeline.rows.filter(pk=lease.row.pk)
        .values("state", "lease_token", "locked_by", "starts")
        .first()
    )
    RefusedWrite.objects.create(
        pipeline=lease.pipeline.name,
        subject=lease.row.pk,
        token=lease.token,
        worker_label=identity.current().label,
        step=lease.step,
        tried=tried[:60],
        found={name: str(value) for name, value in (found or {"state": "gone"}).items() if value is not None},
    )


@lru_cache
def _claim_statement(model: type[Leased], cap: int | None) -> str:
    table, pick = model._meta.db_table, FAIR_PICK if model.FAIR else PLAIN_PICK
    return CLAIM.format(
        pick=pick.format(table=table, open=_open(table, cap)),
        table=table,
        columns=prepared.columns(model, "t"),
        organisation="organisation_id" if model.FAIR else "NULL::uuid",
    )


def _open(table: str, cap: int | None) -> str:
    """Whether the pipeline may claim at all: not paused, and below its cap of live leases."""
    paused = "NOT EXISTS (SELECT 1 FROM work_pipelinepause WHERE pipeline = %(pipeline)s)"
    if cap is None:
        return paused
    most = ALL_WORKERS_BUT_ONE if cap == ALL_BUT_ONE else "%(cap)s::bigint"
    return f"{paused} AND ({LIVE_LEASES.format(table=table)}) < {most}"


def _end(lease: Lease, account: Account, assignments: str, params: Mapping[str, Any], *, tried: str) -> None:
    lease.pipeline.check_move(lease.state, params["new"])
    told = _story(lease, account)
    story = "".join(f", {name} = %(story_{name})s" for name in told)
    statement = END.format(table=lease.pipeline.table, assignments=assignments, story=story)
    values: dict[str, Any] = {
        "id": lease.row.pk, "token": lease.token, "old": lease.state, "step": lease.step,
        "outcome": account.outcome.value, **params,
        **{f"story_{name}": value for name, value in told.items()},
    }  # fmt: skip
    if prepared.fetch(statement, values) != (1,):
        raise LeaseLost("taken", tried=tried)


def _story(lease: Lease, account: Account) -> dict[str, Any]:
    """What there is to tell beside the outcome; an attempt's columns are empty from the start."""
    told = {
        "steps": Jsonb(list(lease.steps)) if lease.steps else None, "code": account.code,
        "detail": Jsonb(dict(account.detail)) if account.detail else None, "traceback": account.traceback,
        "fingerprint": account.fingerprint,
    }  # fmt: skip
    return {name: value for name, value in told.items() if value}


def _assignments(model: type[Leased], fields: Fields) -> tuple[str, dict[str, Any]]:
    """Columns of the model as SQL assignments, each value adapted by its field."""
    text, params = "", {}
    for name, value in fields.items():
        field: Any = model._meta.get_field(name)
        prepared = value.pk if isinstance(value, Model) else value
        text += f", {connection.ops.quote_name(field.column)} = %(field_{name})s"
        params[f"field_{name}"] = field.get_db_prep_save(prepared, connection)
    return text, params


def _joined() -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("the fence joins the transaction of its effect: open one")


def _alone() -> None:
    """What `atomic(durable=True)` says, for one statement that commits by itself."""
    if connection.in_atomic_block and not getattr(connection.atomic_blocks[-1], "_from_testcase", False):
        raise RuntimeError("a claim or release is a transaction of its own")
