"""Under /api/, errors that Django answers before or after the API (404, 405, 413, 500) are problems too."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from work import problems
from work.problems import Problem

SENTENCES = {
    400: ("request_not_readable", "The request could not be read."),
    401: ("sign_in_required", "Send a token: `Authorization: Bearer …`."),
    403: ("not_allowed", "You may not do this."),
    404: ("not_found", "There is no such address."),
    405: (
        "method_not_allowed",
        "This address does not take this method; the Allow header says which.",
    ),
    416: ("range_not_satisfiable", "Nothing of the file lies in the range that was asked for."),
    413: ("request_too_large", "The request is larger than is accepted."),
    500: ("internal_error", "Something went wrong on our side. It has been recorded."),
}
BLOCK_BYTES = 1 << 16
KEPT_HEADERS = ("Allow", "Content-Range", "Retry-After", "WWW-Authenticate")


class ProblemMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith("/api/") and not _is_utf8(request):
            return problems.response(Problem(400, "charset_not_supported", "The API takes UTF-8 only."))
        answer = self.get_response(request)
        if not request.path.startswith("/api/") or answer.status_code < 400:
            return answer
        if answer.headers.get("Content-Type", "").startswith((problems.MEDIA_TYPE, "application/json")):
            return answer
        code, sentence = SENTENCES.get(answer.status_code, ("refused", "The request was refused."))
        kept = {name: answer.headers[name] for name in KEPT_HEADERS if name in answer.headers}
        return problems.response(Problem(answer.status_code, code, sentence, headers=kept))

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not request.path.startswith("/api/"):
            return None
        if isinstance(error, RequestDataTooBig):
            _drop_body(request)
            return problems.response(Problem(413, *SENTENCES[413]))
        if isinstance(error, PermissionDenied):
            return problems.response(Problem(403, *SENTENCES[403]))
        return None


def _is_utf8(request: HttpRequest) -> bool:
    """Django decodes by whatever codec is named, also by those that are none for text, and then fails."""
    charset = (request.content_params or {}).get("charset", "utf-8")
    return charset.strip().lower().replace("_", "-") in ("utf-8", "utf8", "us-ascii", "ascii")


def _drop_body(request: HttpRequest) -> None:
    """Who is still sending would not read an answer, but see a broken connection."""
    left = settings.MAX_UPLOAD_BYTES
    while left > 0 and (block := request.read(BLOCK_BYTES)):
        left -= len(block)
