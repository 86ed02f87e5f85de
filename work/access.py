"""Who may open a page. Reads `request.principal` only; a thing of another tenant is a 404 by its queryset."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase

View = Callable[..., HttpResponseBase]


def signed_in(view: View) -> View:
    return _guarded(view, lambda principal: True)


def operators_only(view: View) -> View:
    return _guarded(view, lambda principal: principal.is_operator)


def administrators_only(view: View) -> View:
    return _guarded(view, lambda principal: principal.is_administrator)


def _guarded(view: View, may: Callable[[Any], bool]) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        principal = getattr(request, "principal", None)
        if principal is None:
            return _to_sign_in(request)
        if not may(principal):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """A fragment must not be filled with a sign-in page, so it gets a bare 401."""
    if getattr(request, "htmx", False):
        return HttpResponse("Sign in again to go on.", status=401, content_type="text/plain; charset=utf-8")
    return redirect_to_login(request.get_full_path())
