"""The body that every piece of work has in the API; apps extend it with what is their own."""

import datetime as dt
from typing import Any

from ninja import Schema
from pydantic import ConfigDict

from work import failure_texts, waiting
from work.pipelines import Pipeline


class Progress(Schema):
    done: int
    total: int | None
    unit: str
    heard_at: dt.datetime | None


class FailureBody(Schema):
    code: str
    message: str
    remedy: str


class WhyWaiting(Schema):
    """`until` or `since` says when it may change, or since when it holds."""

    code: str
    sentence: str
    until: dt.datetime | None
    since: dt.datetime | None


class WorkBody(Schema):
    id: str
    status: str
    step: str
    progress: Progress
    attempts: int
    failure: FailureBody | None
    why_waiting: WhyWaiting | None
    correlation_id: str
    accepted_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None
    status_url: str


class StrictSchema(Schema):
    """For what programs send: a field that we do not know is an error, not something to overlook."""

    model_config = ConfigDict(extra="forbid")


def work_body(pipeline: Pipeline, row: Any, *, status_url: str) -> dict[str, Any]:
    """Reads why an unfinished row is not moving, which costs a few queries: for one row, not for lists."""
    reason = waiting.why(pipeline, row) if row.finished_at is None else None
    return brief_body(row, status_url=status_url) | {
        "why_waiting": reason
        and {
            "code": reason.code,
            "sentence": reason.sentence,
            "until": reason.until,
            "since": reason.since,
        }
    }


def brief_body(row: Any, *, status_url: str) -> dict[str, Any]:
    """The same without `why_waiting`, from the row alone: for lists."""
    return {
        "id": str(row.pk),
        "status": row.state,
        "step": row.step,
        "progress": {
            "done": row.progress_done,
            "total": row.progress_total,
            "unit": row.progress_unit,
            "heard_at": row.heartbeat_at,
        },
        "attempts": row.starts,
        "failure": _failure(row),
        "why_waiting": None,
        "correlation_id": row.correlation_id,
        "accepted_at": row.accepted_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "status_url": status_url,
    }


def _failure(row: Any) -> dict[str, str] | None:
    if not row.failure_code:
        return None
    message, remedy = failure_texts.describe(row.failure_code, row.failure_detail)
    return {"code": row.failure_code, "message": message, "remedy": remedy}
