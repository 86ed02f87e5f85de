"""Probes for machines: no sign-in, no tenant's name. Metrics are for the token's holder, or for loopback."""

import hmac
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from work import metrics, probes

LOOPBACK = ("127.0.0.1", "::1")
FORWARDED = ("X-Forwarded-For", "Forwarded", "X-Real-Ip")


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers. It looks at nothing else, so that a database away restarts no web server."""
    return JsonResponse({"status": "alive"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    ready = probes.readiness()
    return _answer(ready.body(), ok=ready.is_ready)


@never_cache
@require_safe
def healthz_workers(request: HttpRequest) -> HttpResponse:
    ready = probes.readiness()
    return _answer(ready.body(), ok=ready.is_at_work)


@never_cache
@require_safe
def metrics_text(request: HttpRequest) -> HttpResponse:
    if not may_read_metrics(request):
        answer = HttpResponse(
            "Metrics need the token of METRICS_TOKEN.\n", status=401, content_type="text/plain"
        )
        answer["WWW-Authenticate"] = 'Bearer realm="metrics"'
        return answer
    return HttpResponse(metrics.PAGE.text(), content_type=metrics.CONTENT_TYPE)


def may_read_metrics(request: HttpRequest) -> bool:
    """The token when one is set; else a caller on this machine that no proxy speaks for; operators always."""
    principal = getattr(request, "principal", None)
    if principal is not None and principal.is_operator:
        return True
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        return hmac.compare_digest(given.encode(), settings.METRICS_TOKEN.encode())
    return request.META.get("REMOTE_ADDR") in LOOPBACK and not any(map(request.headers.get, FORWARDED))


def _answer(body: dict[str, Any], *, ok: bool) -> JsonResponse:
    return JsonResponse(body, status=200 if ok else 503)
