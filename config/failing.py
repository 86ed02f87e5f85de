"""The answer to a request that failed by an error: is it ours, or will the same request pass in a moment?"""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views import defaults

from work import problems
from work.problems import Problem

RETRY_AFTER_SECONDS = 10
AWAY = Problem(
    503,
    "database_unavailable",
    "The database does not answer at the moment.",
    "Send the request again in a moment, with the same Idempotency-Key if it has one.",
    headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
)


def on_error(request: HttpRequest) -> HttpResponse:
    """Django's handler of status 500, called while the error is handled. Asks the database for nothing."""
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return defaults.server_error(request)
    if request.path.startswith("/api/"):
        return problems.response(AWAY)
    page = loader.get_template("503.html").render()
    return HttpResponse(page, status=503, headers={"Retry-After": RETRY_AFTER_SECONDS})
