"""Refuses addresses with a NUL character: nothing we keep can hold one, and PostgreSQL fails on the question.
The API says so itself, field by field."""

from collections.abc import Callable
from urllib.parse import unquote

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase


class UnreadableMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith("/api/") and "\0" in request.path + unquote(
            request.META.get("QUERY_STRING", "")
        ):
            raise BadRequest("The address holds a NUL character.")
        return self.get_response(request)
