"""What operators are told of by the ground itself."""

import datetime as dt

from django.urls import reverse

from work import notifications
from work.failure_texts import describe
from work.models import Event, PeriodicRun, PeriodicState

QUIET = dt.timedelta(hours=1)


def register() -> None:
    notifications.register(
        "periodic.failed",
        recipients=notifications.operators,
        title=lambda event: f"A periodic job failed: {event.subject_label}",
        text=lambda event: " ".join(describe(event.payload.get("code", ""))),
        path=lambda event: reverse("periodic_run", args=[event.subject_id]),
        needs_person=True,
        is_news=_is_a_first_failure,
        quiet_for=QUIET,
    )
    notifications.register(
        "delivery.dead",
        recipients=notifications.operators,
        title=lambda event: f"An event was given up by the consumer {event.payload['consumer']}",
        text=lambda event: f"{event.subject_label}. {' '.join(describe(event.payload.get('code', '')))}",
        path=lambda event: reverse("dead_letter", args=[event.subject_id]),
        needs_person=True,
        quiet_for=QUIET,
    )
    notifications.register(
        "work.parked",
        recipients=notifications.operators,
        title=lambda event: f"A row could not be freed after its worker died: {event.subject_label}",
        text=lambda event: " ".join(describe("recovery_failed")),
        path=lambda event: reverse("attention"),
        needs_person=True,
        quiet_for=QUIET,
    )
    notifications.register(
        "invariant.broken",
        recipients=notifications.operators,
        title=lambda event: f"Does not hold any more: {event.subject_label}",
        text=lambda event: f"{event.payload['count']} found. The first: {event.payload['first']}",
        path=lambda event: reverse("invariants"),
        needs_person=True,
    )


def _is_a_first_failure(event: Event) -> bool:
    """Nobody is told again while a job goes on failing; the attention list shows it all the time."""
    run = PeriodicRun.objects.filter(pk=event.subject_id).first()
    if run is None:
        return True
    ended = (PeriodicState.SUCCEEDED, PeriodicState.FAILED)
    before = PeriodicRun.objects.filter(name=run.name, slot__lt=run.slot, state__in=ended)
    return before.order_by("-slot").values_list("state", flat=True).first() != PeriodicState.FAILED
