"""How the API knows who calls: a bearer token, or the session (then with Django's CSRF check for changes)."""

from django.conf import settings
from django.http import HttpRequest
from ninja.errors import HttpError
from ninja.security import APIKeyCookie, HttpBearer

from accounts import tokens
from accounts.principals import Principal
from work import rate_limits
from work.problems import Problem

WHO = {"WWW-Authenticate": 'Bearer realm="waybill"'}


class TokenAuth(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> Principal:
        """A token that is not valid is an error even where a session would do: the program must notice."""
        found = tokens.find(token.strip())
        if found is None:
            raise Problem(
                401,
                "token_not_valid",
                "This token is unknown, expired or revoked.",
                "Make a new one on the tokens page of the organisation.",
                headers=WHO,
            )
        principal = Principal(found.user, found)
        request.principal = principal  # type: ignore[attr-defined]
        rate_limits.take(principal.actor, per_minute=settings.API_RATE_PER_MINUTE)
        tokens.note_use(found)
        return principal


class SessionAuth(APIKeyCookie):
    param_name = settings.SESSION_COOKIE_NAME

    def authenticate(self, request: HttpRequest, key: str | None) -> Principal | None:
        if request.headers.get("Authorization"):
            return None
        return request.principal  # type: ignore[attr-defined]

    def _get_key(self, request: HttpRequest) -> str | None:
        """Someone without a session is told to sign in (401), not that a CSRF token is missing."""
        if request.principal is None:  # type: ignore[attr-defined]
            return None
        try:
            return super()._get_key(request)
        except HttpError as error:
            raise Problem(
                403,
                "csrf_token_missing",
                "A change by session needs the X-CSRFToken header.",
                "Programs use a token instead of a session.",
            ) from error


AUTH = [TokenAuth(), SessionAuth()]
