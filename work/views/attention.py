"""What needs a person, oldest first, with "I am on this"."""

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from work import attention
from work.access import signed_in
from work.failures import StateChanged
from work.views.choices import organisation_choices, organisation_named
from work.views.requests import Request, page, reading

SHOWN_AT_MOST = 200


class CaseFilter(forms.Form):
    """Operators narrow by organisation; everybody by kind, which stands as pills in the panel's head."""

    kind = forms.CharField(required=False, widget=forms.HiddenInput)
    organisation = forms.ChoiceField(required=False, label="Organisation")

    def __init__(self, request: Request) -> None:
        super().__init__(request.GET)
        choices = organisation_choices(request.principal)
        if len(choices) > 2:
            self.fields["organisation"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["organisation"]


@require_safe
@signed_in
def cases(request: Request) -> HttpResponse:
    kind = request.GET.get("kind", "")
    organisation = organisation_named(request.principal, request.GET.get("organisation", ""))
    looked = attention.look(request.principal, kind=kind, organisation=organisation, limit=SHOWN_AT_MOST)
    found, counts, request.cases_counted = looked.cases, looked.counts, looked.total
    context = {
        "cases": found,
        "is_cut": len(found) == SHOWN_AT_MOST,
        "total": looked.total,
        "pills": [
            ("", "all", looked.total),
            *(
                (each.name, each.title.lower(), counts[each.name])
                for each in attention.kinds()
                if counts[each.name]
            ),
        ],
        "form": CaseFilter(request),
        "live": reading(request),
    }
    return page(request, "attention/cases.html", context, part="cases-live")


@require_POST
@signed_in
def claim(request: Request) -> HttpResponse:
    """Say or take back "I am on this". Only of a case that the person sees now."""
    case_id = request.POST.get("case", "")
    if not any(case.id == case_id for case in _of_kind(request, case_id)):
        messages.warning(request, "This case is gone: its cause was settled meanwhile.")
    elif request.POST.get("leave"):
        attention.leave(case_id, by=request.principal)
    else:
        _claim(request, case_id)
    return redirect(_back(request))


def _claim(request: Request, case_id: str) -> None:
    try:
        attention.claim(case_id, by=request.principal)
        messages.success(request, "You are on this case for a quarter of an hour; others see it.")
    except StateChanged as taken:
        messages.warning(request, f"{taken.found or 'Somebody'} is on this case already.")


def _of_kind(request: Request, case_id: str) -> list[attention.Case]:
    kind, _, key = case_id.partition(":")
    if not key or kind not in {each.name for each in attention.kinds()}:
        raise BadRequest("no such case")
    return attention.cases(request.principal, kind=kind, limit=10_000)


def _back(request: Request) -> str:
    """The list one came from, with its filters."""
    given = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(given, allowed_hosts=None) and given.startswith("/")
    return given if is_ours else reverse("attention")
