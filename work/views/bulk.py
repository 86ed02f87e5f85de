"""Bulk actions: preview, confirm, then a page that follows the work with an outcome per row."""

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from work import bulk, bulk_pipeline, identifiers, navigation, paging, waiting
from work.access import signed_in
from work.bulk import CHOSEN_AT_MOST, BulkKind
from work.models import BulkAction, BulkOutcome
from work.views.requests import ENDED, Question, ReasonForm, Request, page, reading, with_reason
from work.views.stories import attempts_of

LISTED_IN_PREVIEW = 200
OUTCOMES = (bulk_pipeline.CHANGED, bulk_pipeline.NOT_ELIGIBLE, bulk_pipeline.FAILED)


class ConfirmForm(ReasonForm):
    """The selection comes along hidden; the key makes a second press the same action."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    rule = forms.CharField(required=False, widget=forms.HiddenInput, max_length=4000)
    all = forms.CharField(required=False, widget=forms.HiddenInput, max_length=1)


@require_safe
@signed_in
def actions(request: Request) -> HttpResponse:
    listed = paging.of_request(request, visible(request.principal).select_related("organisation"))
    rows = [(action, _title(action), counts(action)) for action in listed.items]
    return page(request, "work/bulk_actions.html", {"rows": rows, "list": listed}, part="bulk-table")


@require_POST
@signed_in
def preview(request: Request, action: str) -> HttpResponse:
    """Counts and the first rows, touching nothing. What the person chose is asked anew when they confirm."""
    kind = _kind(action)
    chosen = _chosen(request)
    if chosen == []:
        messages.warning(request, "No row was chosen, so there is nothing to act on.")
        return redirect(_back_url(kind))
    form = ConfirmForm(
        initial={
            "key": identifiers.uuid7(),
            "rule": request.POST.get("rule", ""),
            "all": "1" if chosen is None else "",
        }
    )
    return _preview_page(request, kind, _rule(request, kind, chosen), form, chosen)


@require_POST
@signed_in
def confirmation(request: Request, action: str) -> HttpResponse:
    kind = _kind(action)
    chosen = _chosen(request)
    rule, form = _rule(request, kind, chosen), ConfirmForm(request.POST)
    if not form.is_valid():
        return _preview_page(request, kind, rule, form, chosen)
    try:
        accepted, _ = bulk.accept(
            kind=kind,
            rule=rule,
            shown=bulk.preview(kind, rule),
            by=request.principal,
            why=form.cleaned_data["why"],
            key=form.cleaned_data["key"],
        )
    except BulkAction.DoesNotExist:
        raise BadRequest("this form belongs to somebody else's action") from None
    return redirect("bulk_action", pk=accepted.pk)


@require_safe
@signed_in
def action(request: Request, pk: str) -> HttpResponse:
    found = get_object_or_404(visible(request.principal).select_related("organisation"), pk=pk)
    outcomes = BulkOutcome.objects.filter(bulk=found)
    if (shown := request.GET.get("outcome", "")) in OUTCOMES:
        outcomes = outcomes.filter(outcome=shown)
    counted = counts(found)
    done = sum(counted.values())
    context = {
        "action": found,
        "title": _title(found),
        "heading": heading(found, done),
        "previewed": found.previewed,
        "done": done,
        "counted": counted,
        "left": max(0, found.previewed.get("matching", 0) - done),
        "pills": [
            ("", "all", done),
            *((name, name.replace("_", " "), number) for name, number in counted.items()),
        ],
        "list": paging.of_request(request, outcomes, newest_first=False),
        "why_waiting": waiting.why(bulk_pipeline.PIPELINE, found),
        "attempts": attempts_of("bulk", found.pk) if request.principal.is_operator else None,
        "may_stop": found.finished_at is None and may_stop(request.principal, found),
        "live": ENDED if found.finished_at else reading(request),
    }
    return page(request, "work/bulk_action.html", context, part="bulk-live")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def cancellation(request: Request, pk: str) -> HttpResponse:
    found = get_object_or_404(visible(request.principal), pk=pk)
    if not may_stop(request.principal, found):
        raise PermissionDenied

    def act(why: str) -> str:
        bulk_pipeline.cancel(action=found, by=request.principal, why=why)
        return "The action is stopped. What was done to rows before stands."

    question = Question(
        title="Stop this bulk action?",
        sentence="Rows that were not acted on yet stay as they are. What was done before stands.",
        act="Stop it",
        back_url=reverse("bulk_action", args=[pk]),
        kind="grave",
    )
    return with_reason(request, question, act)


def visible(principal: Any) -> QuerySet[BulkAction]:
    """Operators see all; others their own and those of their organisations."""
    if principal.is_operator and principal.token is None:
        return BulkAction.objects.all()
    of_organisations = list(principal.organisations().values_list("pk", flat=True))
    return BulkAction.objects.filter(Q(organisation__in=of_organisations) | Q(requested_by=principal.user))


def may_stop(principal: Any, action: BulkAction) -> bool:
    return bool(
        principal.is_operator
        or action.requested_by_id == principal.user.pk
        or (action.organisation_id and principal.can("manage", action.organisation_id))
    )


def counts(action: BulkAction) -> dict[str, int]:
    return {name: action.counts.get(name, 0) for name in OUTCOMES}


def heading(action: BulkAction, done: int) -> str:
    """What is the case, as a sentence."""
    changed, matching = action.counts.get("changed", 0), action.previewed.get("matching", 0)
    if action.state == "accepted" and not action.starts:
        return "Accepted; no row was touched yet"
    if action.state == "finished":
        return f"{changed} of {done} rows were changed"
    if action.state in ("cancelled", "failed"):
        return f"Stopped after {done} rows; {changed} were changed"
    return f"{done} of {matching} rows are done"


def _preview_page(
    request: Request, kind: BulkKind, rule: dict[str, Any], form: ConfirmForm, chosen: list[uuid.UUID] | None
) -> HttpResponse:
    counted = bulk.preview(kind, rule)
    rows = bulk.rows(kind, rule).order_by("pk")[:LISTED_IN_PREVIEW]
    eligible = set(
        kind.eligible(bulk.rows(kind, rule))
        .filter(pk__in=[row.pk for row in rows])
        .values_list("pk", flat=True)
    )
    context = {
        "kind": kind,
        "counted": counted,
        "sentence": bulk.sentence(counted),
        "not_eligible": [(found.replace("_", " "), number) for found, number in counted.not_eligible.items()],
        "rows": [(row, kind.label(row), str(getattr(row, kind.found)), row.pk in eligible) for row in rows],
        "is_cut": counted.matching > LISTED_IN_PREVIEW,
        "form": form,
        "chosen": chosen,
        "back_url": _back_url(kind),
    }
    return page(request, "work/bulk_preview.html", context, status=422 if form.is_bound else 200)


def _rule(request: Request, kind: BulkKind, chosen: list[uuid.UUID] | None) -> dict[str, Any]:
    filters = QueryDict(request.POST.get("rule", "")[:4000]) if chosen is None else None
    rule = bulk.rule_for(kind, request.principal, ids=chosen or (), filters=filters)
    if rule.get("organisations") == []:
        raise PermissionDenied
    return rule


def _chosen(request: Request) -> list[uuid.UUID] | None:
    """The ticked rows; None for everything that matches the filters in force."""
    if request.POST.get("all"):
        return None
    try:
        chosen = [uuid.UUID(text) for text in request.POST.getlist("chosen")]
    except ValueError:
        raise BadRequest("chosen is not a list of ids") from None
    if len(chosen) > CHOSEN_AT_MOST:
        raise BadRequest(
            f"at most {CHOSEN_AT_MOST} rows can be chosen one by one; narrow the filters instead"
        )
    return chosen


def _kind(action: str) -> BulkKind:
    kind = bulk.get(action)
    if kind is None:
        raise Http404
    return kind


def _back_url(kind: BulkKind) -> str:
    return navigation.address(kind.url_name) or reverse("bulk")


def _title(action: BulkAction) -> str:
    kind = bulk.get(action.action)
    return kind.title if kind else action.action
