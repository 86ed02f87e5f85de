"""The answer to a request that failed by an error: is it ours, or will the same request pass in a moment?"""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views import defaults

from work import problems
from work.problems import Problem
from work.storage import FULL, StorageUnavailable

RETRY_AFTER_SECONDS = 10
STORAGE_AWAY = Problem(
    503,
    "storage_unavailable",
    "The storage of files does not answer, or takes nothing, at the moment.",
    "Send the request again in a moment, with the same Idempotency-Key if it has one.",
    headers={"Retry-After": "60"},
)
AWAY = Problem(
    503,
    "database_unavailable",
    "The database does not answer at the moment.",
    "Send the request again in a moment, with the same Idempotency-Key if it has one.",
    headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
)


def on_error(request: HttpRequest) -> HttpResponse:
    """Django's handler of status 500, called while the error is handled. Asks the database for nothing."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        problem, template = AWAY, "503.html"
    elif isinstance(error, OSError) and (isinstance(error, StorageUnavailable) or error.errno in FULL):
        problem, template = STORAGE_AWAY, "503_storage.html"
    else:
        return defaults.server_error(request)
    if request.path.startswith("/api/"):
        return problems.response(problem)
    return HttpResponse(loader.get_template(template).render(), status=503, headers=problem.headers)
