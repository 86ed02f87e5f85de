"""The first page: what needs a person, then the ledger of today, then how the parts do. Belongs to no app."""

import datetime as dt

from django import forms
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from work import attention, health, ledger, wording
from work.access import signed_in
from work.attention import Case
from work.ledger import LedgerRow
from work.views.choices import organisation_choices, organisation_named
from work.views.requests import Request, page, reading

CASES_SHOWN = 8
HOURS = [f"{hour} h ago" for hour in range(ledger.HOURS - 1, 0, -1)] + ["this hour"]


class HomeFilter(forms.Form):
    organisation = forms.ChoiceField(required=False, label="Organisation")

    def __init__(self, request: Request, choices: list[tuple[str, str]]) -> None:
        super().__init__(request.GET)
        self.fields["organisation"].choices = choices  # type: ignore[attr-defined]


@require_safe
@signed_in
def home(request: Request) -> HttpResponse:
    principal = request.principal
    choices = organisation_choices(principal)
    organisation = organisation_named(principal, request.GET.get("organisation", ""))
    looked = attention.look(principal, organisation=organisation, limit=CASES_SHOWN + 1)
    cases, request.cases_counted = looked.cases, looked.total
    total = looked.total if organisation is None else len(cases)
    rows = ledger.read(principal, organisation=organisation)
    clusters = health.clusters()
    context = {
        "cases": cases[:CASES_SHOWN],
        "more": max(0, total - CASES_SHOWN),
        "heading": heading(total),
        "lead": lead(cases, rows),
        "ill": [cluster for cluster in clusters if cluster.state in ("hung", "silent")],
        "clusters": clusters,
        "rows": rows,
        "hours": HOURS,
        "day": timezone.localtime(),
        "form": HomeFilter(request, choices) if len(choices) > 2 else None,
        "organisation": organisation,
        "attention_url": reverse("attention"),
        "live": reading(request),
    }
    return page(request, "home/home.html", context, part="home-live")


def heading(total: int) -> str:
    if not total:
        return "Nothing needs a person"
    if total >= attention.COUNTED_AT_MOST:
        return f"{attention.COUNTED_AT_MOST} or more cases need a person"
    return "1 case needs a person" if total == 1 else f"{total} cases need a person"


def lead(cases: list[Case], rows: list[LedgerRow]) -> str:
    """Since when, and what else is on its way: both read from the rows, neither assumed."""
    moving = sum(row.counts[ledger.RUNNING] + row.counts[ledger.WAITING] for row in rows)
    carried = sum(row.carried for row in rows)
    parts = [f"The oldest has waited {since(cases[0].since)}."] if cases else []
    if moving:
        pieces = "piece" if moving == 1 else "pieces"
        parts.append(f"{wording.number(moving)} {pieces} of today’s work {_are(moving)} on the way.")
    else:
        parts.append("Nothing of today’s work is on the way.")
    if carried:
        parts.append(f"{wording.number(carried)} from before today {_are(carried)} still open.")
    return " ".join(parts)


def since(moment: dt.datetime) -> str:
    """`for 3 h`, or `since 12 Nov 2026` once it is long ago."""
    age = timezone.now() - moment
    if age > dt.timedelta(days=7):
        return f"since {wording.date(moment)}"
    return f"for {wording.duration(age)}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
