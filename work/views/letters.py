"""Dead letters: events that a consumer did not take. A person replays or discards them, one or many."""

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from work import bulk_letters, deliveries, failure_texts, paging, waiting
from work.access import operators_only
from work.models import Delivery, DeliveryState
from work.views.requests import Question, Request, page, with_reason
from work.views.stories import attempts_of


class LetterFilter(forms.Form):
    consumer = forms.ChoiceField(required=False, label="Consumer")
    type = forms.ChoiceField(required=False, label="Event")
    failure = forms.ChoiceField(required=False, label="Failure")

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        dead = Delivery.objects.filter(asked_at__isnull=False, state=DeliveryState.DEAD).order_by()
        for name, column in bulk_letters.FILTERS.items():
            values = dead.values_list(column, flat=True).distinct().order_by(column)
            choices = [("", "Any"), *((value, value) for value in values)]
            self.fields[name].choices = choices  # type: ignore[attr-defined]


@require_safe
@operators_only
def letters(request: Request) -> HttpResponse:
    rows = bulk_letters.dead_letters(request.GET)
    context = {
        "form": LetterFilter(request.GET),
        "list": paging.of_request(request, rows),
        "matching": rows.count(),
    }
    return page(request, "work/dead_letters.html", context, part="letters-table")


@require_safe
@operators_only
def letter(request: Request, pk: str) -> HttpResponse:
    """Any delivery, dead or not, so that its address stays good after it was decided."""
    delivery = _delivery(pk)
    context = {
        "delivery": delivery,
        "event": delivery.event,
        "failure": failure_texts.describe(delivery.failure_code, delivery.failure_detail),
        "why_waiting": waiting.why(deliveries.PIPELINE, delivery),
        "attempts": attempts_of("delivery", delivery.pk),
        "siblings": delivery.event.deliveries.exclude(pk=delivery.pk).order_by("consumer"),
    }
    return page(request, "work/dead_letter.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def replay(request: Request, pk: str) -> HttpResponse:
    delivery = _delivery(pk)

    def act(why: str) -> str:
        deliveries.replay(delivery=delivery, by=request.principal, why=why)
        return f"{delivery.consumer} gets this event again; a worker delivers it within seconds."

    question = Question(
        title="Deliver this event again?",
        sentence=f"{delivery.consumer} gets {delivery.event.type} once more. What it stored before stays; a "
        "delivery that was taken already changes nothing.",
        act="Replay it",
        back_url=reverse("dead_letter", args=[pk]),
    )
    return with_reason(request, question, act)


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def discard(request: Request, pk: str) -> HttpResponse:
    delivery = _delivery(pk)

    def act(why: str) -> str:
        deliveries.discard(delivery=delivery, by=request.principal, why=why)
        return f"The delivery to {delivery.consumer} is discarded. The event itself stays."

    question = Question(
        title="Discard this delivery?",
        sentence=f"{delivery.consumer} will never get this event. The event itself stays.",
        act="Discard it",
        back_url=reverse("dead_letter", args=[pk]),
        kind="grave",
    )
    return with_reason(request, question, act)


def _delivery(pk: str) -> Delivery:
    return get_object_or_404(Delivery.objects.select_related("event", "event__organisation"), pk=pk)
