"""Errors of the API as application/problem+json (RFC 9457): a stable code, a sentence, and what to do."""

import json
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from ninja import Schema
from pydantic import ConfigDict, Field

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """Raised by API code. `extra` becomes members of the answer; `headers` are set on it."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        remedy: str = "",
        *,
        headers: dict[str, str] | None = None,
        **extra: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.remedy = remedy
        self.headers = headers or {}
        self.extra = extra


class ProblemBody(Schema):
    """What every answer of status 400 and above looks like."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int = Field(ge=400, le=599)
    code: str
    detail: str
    remedy: str | None = None


def body(problem: Problem) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "code": problem.code,
        "detail": problem.message,
    }
    if problem.remedy:
        fields["remedy"] = problem.remedy
    return fields | problem.extra


def response(problem: Problem) -> HttpResponse:
    answer = HttpResponse(
        json.dumps(body(problem), default=str), status=problem.status, content_type=MEDIA_TYPE
    )
    for name, value in problem.headers.items():
        answer[name] = value
    return answer


def responses(*statuses: int) -> dict[int, type[ProblemBody]]:
    """For an operation's `response=`: the problems it may answer with, beside those that any may."""
    return dict.fromkeys((400, 401, 403, 404, 422, 429, 503, *statuses), ProblemBody)
