"""What happened: events, the sealed audit trail, and the decisions of people. Read only, by organisation."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from work import paging, trail
from work.access import signed_in
from work.models import AuditEntry, Decision, Event
from work.views.choices import organisation_choices, organisation_named
from work.views.requests import Request, page
from work.views.subjects import subject_url


class HappeningFilter(forms.Form):
    """Shared by the three lists. `subject` is an id, `correlation` the id of one user action."""

    type = forms.CharField(
        required=False, label="Type", max_length=60,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": "upload. or upload.failed"}),
    )  # fmt: skip
    subject = forms.CharField(required=False, label="Subject id", max_length=64)
    correlation = forms.CharField(required=False, label="Correlation id", max_length=64)
    organisation = forms.ChoiceField(required=False, label="Organisation")

    def __init__(self, request: Request) -> None:
        super().__init__(request.GET)
        choices = organisation_choices(request.principal)
        if len(choices) > 2:
            self.fields["organisation"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["organisation"]

    def narrow(self, rows: QuerySet[Any], principal: Any, *, type_column: str = "type") -> QuerySet[Any]:
        given = {
            name: value.strip()
            for name, value in self.data.items()
            if isinstance(value, str) and value.strip()
        }
        if kind := given.get("type"):
            rows = rows.filter(**{f"{type_column}__startswith": kind})
        if subject := given.get("subject"):
            rows = rows.filter(subject_id=subject)
        if correlation := given.get("correlation"):
            rows = rows.filter(correlation_id=correlation)
        if organisation := organisation_named(principal, given.get("organisation", "")):
            rows = rows.filter(organisation_id=organisation.pk)
        return rows


@require_safe
@signed_in
def events(request: Request) -> HttpResponse:
    form = HappeningFilter(request)
    rows = request.principal.sees(Event.objects.select_related("organisation"))
    listed = paging.of_request(request, form.narrow(rows, request.principal))
    return page(request, "work/events.html", {"form": form, "list": listed}, part="events-table")


@require_safe
@signed_in
def event(request: Request, pk: str) -> HttpResponse:
    rows = request.principal.sees(Event.objects.select_related("organisation"))
    found = get_object_or_404(rows, pk=pk)
    context = {
        "event": found,
        "subject_url": subject_url(found.subject_kind, found.subject_id),
        "payload": sorted(found.payload.items()),
        "deliveries": found.deliveries.order_by("consumer"),
        "sealed": AuditEntry.objects.filter(event=found.pk).first(),
        "same_action": _of_same_action(request, found),
    }
    return page(request, "work/event.html", context)


@require_safe
@signed_in
def audit_trail(request: Request) -> HttpResponse:
    form = HappeningFilter(request)
    rows = request.principal.sees(AuditEntry.objects.all(), "organisation_id")
    listed = paging.of_request(request, form.narrow(rows, request.principal))
    context = {"form": form, "list": listed, "head": trail.head()}
    return page(request, "work/audit_trail.html", context, part="trail-table")


@require_safe
@signed_in
def decisions(request: Request) -> HttpResponse:
    form = HappeningFilter(request)
    rows = request.principal.sees(Decision.objects.select_related("organisation"))
    listed = paging.of_request(request, form.narrow(rows, request.principal, type_column="what"))
    return page(request, "work/decisions.html", {"form": form, "list": listed}, part="decisions-table")


@require_safe
@signed_in
def decision(request: Request, pk: str) -> HttpResponse:
    rows = request.principal.sees(Decision.objects.select_related("organisation"))
    found = get_object_or_404(rows, pk=pk)
    context = {
        "decision": found,
        "subject_url": subject_url(found.subject_kind, found.subject_id),
        "parts": [
            (title, sorted(values.items()))
            for title, values in (
                ("What the person was shown", found.shown),
                ("Rule of selection", found.rule),
                ("Before", found.before),
                ("After", found.after),
            )
            if values
        ],
    }
    return page(request, "work/decision.html", context)


def _of_same_action(request: Request, found: Event) -> list[Event]:
    if not found.correlation_id:
        return []
    rows = request.principal.sees(Event.objects.filter(correlation_id=found.correlation_id))
    return list(rows.exclude(pk=found.pk).order_by("id")[:20])
