"""Puts the acting person on the request, and sends operators without a second factor to set one up."""

from collections.abc import Callable
from datetime import tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import Resolver404, resolve
from django.utils import timezone

from accounts.principals import Principal
from work import problems

Answer = Callable[[HttpRequest], HttpResponse]
# Whether the process is alive is told without the database, to callers with a session too.
ALIVE = "/healthz"
# What a person needs to set the second factor up, to leave, or to be told what is going on.
OPEN_NAMES = ("account_", "mfa_", "help", "healthz", "readyz", "metrics")


class PrincipalMiddleware:
    """`request.principal` is the person signed in by session, or None. `accounts.api_auth` replaces it."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        person = None if request.path == ALIVE else request.user
        principal = Principal(person) if person is not None and person.is_authenticated else None
        request.principal = principal  # type: ignore[attr-defined]
        if principal is not None and principal.is_operator and lacks_second_factor(principal):
            request.is_held_up = True  # type: ignore[attr-defined]  # the rail offers nothing that refuses
            refused = _refusal(request)
            if refused is not None:
                return refused
        with timezone.override(_zone(principal)):
            return self.get_response(request)


def lacks_second_factor(principal: Principal) -> bool:
    """Operators and administrators see every organisation: a password alone is not enough for that."""
    return settings.REQUIRE_SECOND_FACTOR and not is_mfa_enabled(principal.user)


def _zone(principal: Principal | None) -> tzinfo | None:
    """Moments are said in the viewer's zone."""
    if principal is None:
        return None
    try:
        return ZoneInfo(principal.user.time_zone)
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _refusal(request: HttpRequest) -> HttpResponse | None:
    if request.path.startswith("/api/"):
        if request.headers.get("Authorization"):
            return None  # a token speaks for itself
        return problems.response(
            problems.Problem(
                403,
                "second_factor_required",
                "Operators sign in with a second factor.",
                "Set one up on your sign-in page, then try again.",
            )
        )
    if _name(request.path).startswith(OPEN_NAMES):
        return None
    if "HX-Request" in request.headers:  # a live part that is led elsewhere loads its page again and again
        return HttpResponse("Set up your second factor to go on.", status=403, content_type="text/plain")
    return redirect("mfa_activate_totp")


def _name(path: str) -> str:
    try:
        return resolve(path).url_name or ""
    except Resolver404:
        return ""
