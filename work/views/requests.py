"""For annotations, and what every page of the console does alike: parts for htmx, live reading, reasons."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from work.failures import StateChanged

READINGS = ((12, 5), (40, 15))
SLOWEST_SECONDS = 60


class Request(HttpRequest):
    """A request that passed the middleware and `work.access.signed_in`. A page that counts the cases itself
    sets `cases_counted`, so that the rail need not count them again."""

    principal: Any
    htmx: Any
    cases_counted: int


@dataclass(frozen=True)
class Reading:
    """How a live part reads itself again: less often the longer nobody left the page."""

    url: str
    number: int
    seconds: int


ENDED = Reading(url="", number=0, seconds=0)
"""For a part about something that has ended: it is not read again."""


def page(
    request: Request, template: str, context: Mapping[str, Any], *, part: str = "", status: int = 200
) -> TemplateResponse:
    """The whole page, or the part of it that htmx asks for: one address serves both."""
    name = f"{template}#{part}" if part and request.htmx else template
    answer = TemplateResponse(request, name, {"is_part": name != template, **context}, status=status)
    answer["Vary"] = "HX-Request"
    return answer


def reading(request: Request) -> Reading:
    """The part sends how often it was read; the interval grows with that."""
    given = request.headers.get("X-Reading", "")
    number = min(int(given), 10_000) if given.isdecimal() and len(given) < 6 else 0
    seconds = next((every for most, every in READINGS if number < most), SLOWEST_SECONDS)
    return Reading(request.get_full_path(), number + 1, seconds)


class ReasonForm(forms.Form):
    why = forms.CharField(
        label="Reason",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the decision, where others read it later.",
    )


@dataclass(frozen=True)
class Question:
    """What is asked before something is done: a page of its own, so that it works without script."""

    title: str
    sentence: str
    act: str
    back_url: str
    kind: str = ""


def with_reason(request: Request, question: Question, act: Callable[[str], str]) -> HttpResponse:
    """Ask for the reason, then act. `act(why)` returns the sentence of what was done."""
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        context = {
            "title": question.title,
            "sentence": question.sentence,
            "url": request.path,
            "act": question.act,
            "kind": question.kind,
            "back_url": question.back_url,
            "form": form,
        }
        status = 422 if form.is_bound else 200
        return TemplateResponse(request, "_components/confirm_page.html", context, status=status)
    return done(request, lambda: act(form.cleaned_data["why"]), question.back_url)


def done(request: Request, act: Callable[[], str], back_url: str) -> HttpResponse:
    """Act, then lead back with the sentence; somebody who was faster is no error of the person's."""
    try:
        messages.success(request, act())
    except StateChanged as changed:
        messages.warning(
            request, f"Nothing was changed: somebody was faster. It is now {word(changed.found)}."
        )
    return redirect(back_url)


def word(state: str | None) -> str:
    return (state or "gone").replace("_", " ")
