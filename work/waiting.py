"""Why a row is not moving: one sentence, true at the moment it is read."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from work import health, periodic
from work.failure_texts import describe
from work.failures import UNFORESEEN
from work.models import Attempt, Outcome, PipelinePause, Worker
from work.pipelines import ALL_BUT_ONE, Pipeline, lease_seconds

BACKING_OFF = (Outcome.TEMPORARY_FAILURE,)


@dataclass(frozen=True)
class Reason:
    """`code` is stable; `until` or `since` says when it may change, or since when it holds."""

    code: str
    sentence: str
    until: dt.datetime | None = None
    since: dt.datetime | None = None


def why(pipeline: Pipeline, row: Any) -> Reason | None:
    """None for a row that is worked on under a live lease, or finished. Cheap enough for one row, not for a
    list.
    """
    if row.finished_at is not None:
        return None
    if row.asked_at is not None:
        return Reason("asks_a_person", "Waits for a person's decision.", since=row.asked_at)
    now = periodic.database_now()
    if row.lease_token is not None:
        return _behind_a_lease(pipeline, row, now)
    return (
        _paused(pipeline) or _not_due(pipeline, row, now) or _no_worker(pipeline, now)
        or _at_the_cap(pipeline, now) or _behind_others(pipeline, row)
    )  # fmt: skip


def of_list(pipeline: Pipeline, rows: Iterable[Any]) -> dict[Any, Reason]:
    """The reasons of a page of rows, by their ids, in a few queries; places in line are not counted."""
    unfinished = [row for row in rows if row.finished_at is None]
    if not unfinished:
        return {}
    now = periodic.database_now()
    asks = Reason("asks_a_person", "Waits for a person's decision.")
    all_alike = _paused(pipeline) or _no_worker(pipeline, now) or _at_the_cap(pipeline, now)
    found: dict[Any, Reason] = {}
    for row in unfinished:
        if row.asked_at is not None:
            found[row.pk] = asks
        elif row.lease_token is None and row.due_at > now:
            found[row.pk] = Reason("not_due", "Tries again later.", until=row.due_at)
        elif row.lease_token is None:
            found[row.pk] = all_alike or Reason("next", "Waits for its turn.")
        elif row.locked_until < now:
            found[row.pk] = Reason(
                "lease_expired", "Its worker gave no sign of life.", since=row.locked_until
            )
    return found


def _behind_a_lease(pipeline: Pipeline, row: Any, now: dt.datetime) -> Reason | None:
    silent = now - max(row.heartbeat_at or row.started_at, row.started_at)
    if row.locked_until > now and silent.total_seconds() < lease_seconds() / 2:
        return None
    if row.locked_until > now:
        return Reason(
            "waits_for_lease",
            f"Worker {_holder(pipeline, row)} holds it, silent for {int(silent.total_seconds())} s; "
            "without a sign of life its lease runs out.",
            until=row.locked_until,
        )
    return Reason(
        "lease_expired",
        "Its worker gave no sign of life; recovery will free it within a minute.",
        since=row.locked_until,
    )


def _holder(pipeline: Pipeline, row: Any) -> str:
    held = Attempt.objects.filter(pipeline=pipeline.name, subject=row.pk, ended_at__isnull=True).first()
    return held.worker_label if held else str(row.locked_by)


def _paused(pipeline: Pipeline) -> Reason | None:
    held = PipelinePause.objects.filter(pipeline=pipeline.name).first()
    if held is None:
        return None
    return Reason("paused", f"{pipeline.title} are paused by {held.paused_by_label}.", since=held.paused_at)


def _not_due(pipeline: Pipeline, row: Any, now: dt.datetime) -> Reason | None:
    if row.due_at <= now:
        return None
    last = Attempt.objects.filter(pipeline=pipeline.name, subject=row.pk).order_by("-number").first()
    if last is not None and last.outcome in BACKING_OFF:
        return Reason("backing_off", f"It is tried again. {_said(last)}", until=row.due_at)
    return Reason("not_due", "It is due later.", until=row.due_at)


def _said(last: Attempt) -> str:
    """The sentence of a failure that is not final: only of the unforeseen do the texts say that it is."""
    if last.code == UNFORESEEN:
        return "The last try failed for a reason that was not foreseen."
    return describe(last.code, last.detail)[0]


def _no_worker(pipeline: Pipeline, now: dt.datetime) -> Reason | None:
    if health.alive_workers(pipeline.cluster).exists():
        return None
    seen = health.last_seen(pipeline.cluster)
    if seen is None:
        return Reason("no_worker", "No worker has been seen yet.")
    return Reason("no_worker", f"No worker was seen for {int((now - seen).total_seconds())} s.", since=seen)


def _at_the_cap(pipeline: Pipeline, now: dt.datetime) -> Reason | None:
    cap = pipeline.limits.running
    if cap is None:
        return None
    if cap == ALL_BUT_ONE:
        cap = max(1, health.alive_workers(pipeline.cluster).count() - 1)
    running = pipeline.rows.running().filter(locked_until__gt=now).count()
    if running < cap:
        return None
    return Reason("at_the_cap", f"{running} of at most {cap} run now; it follows when one of them ends.")


def _behind_others(pipeline: Pipeline, row: Any) -> Reason:
    before = pipeline.rows.waiting().filter(due_at__lt=row.due_at)
    if pipeline.model.FAIR:
        before = before.filter(organisation=row.organisation_id)
    number = before.count()
    if number:
        whose = " of its organisation" if pipeline.model.FAIR else ""
        return Reason("behind_others", f"Waits behind {number} other{'s' if number > 1 else ''}{whose}.")
    if Worker.objects.filter(cluster=pipeline.cluster, busy_since__isnull=False).exists():
        return Reason("next", "It is next, as soon as a worker is free.")
    return Reason("next", "A worker is being woken for it.")
