"""The HTTP API under /api/v1: each app brings a router; here stand sign-in, errors and the document."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema

from accounts import api as accounts_api
from accounts.api_auth import AUTH, WHO
from config import api_codes
from ingestion import api as ingestion_api
from work import problems
from work.problems import Problem

PROBLEM = {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}


class Api(NinjaAPI):
    """Says in its document that errors are problems: ninja knows one media type for all answers.

    And that `If-Match` must be sent: its lack is answered by 428, which ninja's own `required` could not.
    """

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**options)
        for operations in document["paths"].values():
            for operation in operations.values():
                for parameter in operation["parameters"]:
                    parameter["required"] |= parameter["name"] == "If-Match"
                for status, answer in operation["responses"].items():
                    if int(status) >= 400:
                        content = answer.pop("content", {}) or PROBLEM
                        answer["content"] = {problems.MEDIA_TYPE: next(iter(content.values()))}
        return document


api = Api(
    title="Waybill",
    version="1",
    description=(
        "Accepting is not completing: what starts work answers 202 with the address of its status. "
        "Errors are application/problem+json with a stable `code`.\n\n" + api_codes.in_words()
    ),
    auth=AUTH,
    docs_url=None,  # the interactive page loads its scripts from elsewhere, which our policy forbids
    urls_namespace="api",
)
api.add_router("", accounts_api.router)
api.add_router("", ingestion_api.router)


@api.exception_handler(Problem)
def on_problem(request: HttpRequest, problem: Problem) -> HttpResponse:
    return problems.response(problem)


@api.exception_handler(AuthenticationError)
def on_stranger(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return problems.response(
        Problem(
            401, "sign_in_required", "Send a token: `Authorization: Bearer …`.",
            "Managers make tokens on the tokens page of their organisation.", headers=WHO,
        )
    )  # fmt: skip


@api.exception_handler(ValidationError)
def on_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Says where and what, never the value: it may be a secret or megabytes long."""
    errors = [
        {"at": ".".join(str(part) for part in found.get("loc", ())), "message": str(found.get("msg", ""))}
        for found in error.errors
    ]
    return problems.response(
        Problem(422, "request_not_valid", "The request does not have the form it must have.", errors=errors)
    )


@api.exception_handler(Http404)
def on_missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return problems.response(Problem(404, "not_found", "There is no such thing, or you may not see it."))


@api.exception_handler(HttpError)
def on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    code = {400: "request_not_readable", 403: "not_allowed", 404: "not_found"}.get(
        error.status_code, "refused"
    )
    return problems.response(Problem(error.status_code, code, str(error) or "The request was refused."))
