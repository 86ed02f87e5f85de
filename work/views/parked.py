"""A row that recovery could not free: the evidence, and the two ways on."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from work import parked
from work.access import operators_only
from work.pipelines import Pipeline
from work.views.requests import Question, Request, page, with_reason
from work.views.stories import attempts_of
from work.views.subjects import subject_url


@require_safe
@operators_only
def row(request: Request, pipeline: str, pk: str) -> HttpResponse:
    of, found = _find(pipeline, pk)
    context = {
        "pipeline": of,
        "row": found,
        "label": str(found),
        "organisation": getattr(found, "organisation", None),
        "subject_url": subject_url(of.name, str(found.pk)),
        "attempts": attempts_of(of.name, found.pk),
    }
    return page(request, "work/parked_row.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def retry(request: Request, pipeline: str, pk: str) -> HttpResponse:
    question = Question(
        title="Try this row again?",
        sentence="It becomes due at once and its deaths are forgotten. A worker runs it from its last step.",
        act="Try it again",
        back_url=reverse("attention"),
    )
    return _decide(request, pipeline, pk, question, parked.retry, "The row is due again.")


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def ending(request: Request, pipeline: str, pk: str) -> HttpResponse:
    question = Question(
        title="End this row as failed?",
        sentence="It ends for good, with your reason. Whoever sent it is told that it failed.",
        act="End it",
        back_url=reverse("attention"),
        kind="grave",
    )
    return _decide(request, pipeline, pk, question, parked.fail, "The row has ended as failed.")


def _decide(
    request: Request, pipeline: str, pk: str, question: Question, verb: Callable[..., None], said: str
) -> HttpResponse:
    of, found = _find(pipeline, pk)

    def act(why: str) -> str:
        verb(pipeline=of, row=found, by=request.principal, why=why)
        return said

    return with_reason(request, question, act)


def _find(pipeline: str, pk: str) -> tuple[Pipeline, Any]:
    try:
        return parked.find(pipeline, pk)
    except (KeyError, ObjectDoesNotExist):
        raise Http404 from None
