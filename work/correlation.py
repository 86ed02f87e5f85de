"""The correlation id: one per action of a user, carried from the request to every row, event and log line of
it.
"""

import contextlib
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import structlog
from django.http import HttpRequest, HttpResponse

from work.identifiers import uuid7

HEADER = "X-Correlation-Id"
_current: ContextVar[str] = ContextVar("correlation_id", default="")


def current() -> str:
    """The id of the action in progress; empty outside of any."""
    return _current.get()


@contextlib.contextmanager
def bound(correlation_id: str, **context: str) -> Iterator[str]:
    """Carry an id (a fresh one when empty) and more log context through the block."""
    chosen = correlation_id or str(uuid7())
    token = _current.set(chosen)
    try:
        with structlog.contextvars.bound_contextvars(correlation_id=chosen, **context):
            yield chosen
    finally:
        _current.reset(token)


class CorrelationMiddleware:
    """Takes the caller's id when it is plain, else makes one; answers with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        with bound(given if re.fullmatch(r"[A-Za-z0-9._-]{8,64}", given) else "") as chosen:
            response = self.get_response(request)
        response[HEADER] = chosen
        return response
