"""The invariants of events, decisions and the audit trail."""

import datetime as dt
from typing import Any

from django.db import connection
from django.db.models import CharField, Exists, OuterRef, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Now

from work import consumers, trail, trail_head
from work.consumers import Consumer
from work.identifiers import first_uuid7
from work.invariants import Breach, Invariant
from work.models import AuditEntry, Decision, Delivery, Event
from work.periodic import database_now

LIMIT = 200
# A quick run looks at what is recent: the rest was looked at when it was, and by the deep runs.
QUICK_DAYS = dt.timedelta(days=2)
QUICK_ENTRIES = 5_000
SETTLED_DELIVERIES_ARE_KEPT = dt.timedelta(days=14)
APPEND_ONLY = (
    ("work_auditentry", "audit_is_append_only"),
    ("work_decision", "decision_is_append_only"),
    ("work_event", "event_is_append_only"),
)
STANDING_TRIGGER = """
SELECT 1 FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname = %s AND tgenabled IN ('O', 'A')
"""
UNLIKE_ITS_EVENT = """
SELECT a.number, e.id IS NULL FROM work_auditentry a LEFT JOIN work_event e ON e.id = a.event
WHERE a.number > %s AND (e.id IS NULL OR (a.type, a.subject_kind, a.subject_id, a.subject_label, a.actor,
  a.correlation_id, a.occurred_at, a.payload) IS DISTINCT FROM (e.type, e.subject_kind, e.subject_id,
  e.subject_label, e.actor, e.correlation_id, e.occurred_at, e.payload)
  OR a.organisation_id IS DISTINCT FROM e.organisation_id)
ORDER BY a.number LIMIT %s
"""


def events_have_deliveries(deep: bool) -> list[Breach]:
    """Each consumer that wants an event has a delivery of it, for as long as settled deliveries are kept."""
    return [breach for consumer in consumers.every() for breach in _undelivered(consumer, deep)]


def events_are_sealed(deep: bool) -> list[Breach]:
    """Every event is in the trail two minutes after it happened."""
    sealed = AuditEntry.objects.filter(event=OuterRef("pk"))
    unsealed = (
        _recent(Event.objects.all(), deep)
        .filter(~Exists(sealed), occurred_at__lt=Now() - trail.SEAL_WITHIN)
        .order_by("id")
    )
    return [
        Breach(str(event.pk), f"{event.type} of {event.occurred_at:%d %b %H:%M:%S} is not in the trail.")
        for event in unsealed[:LIMIT]
    ]


def trail_is_unbroken(deep: bool) -> list[Breach]:
    """Names the first link that does not hold; a quick run follows the newest entries only."""
    broken = trail.first_break(since=1 if deep else max(1, trail.head().number - QUICK_ENTRIES + 1))
    return [Breach(f"entry {broken.number}", broken.sentence)] if broken else []


def trail_is_not_cut(deep: bool) -> list[Breach]:
    """What was kept after this snapshot was taken is judged by the next run."""
    kept = trail_head.kept()
    if kept is None or kept.at > _snapshot_taken_at():
        return []
    wrong = trail_head.what_is_missing(kept)
    return [Breach(f"entry {kept.number}", wrong)] if wrong else []


def entries_equal_events(deep: bool) -> list[Breach]:
    since = 0 if deep else trail.head().number - QUICK_ENTRIES
    with connection.cursor() as cursor:
        cursor.execute(UNLIKE_ITS_EVENT, [since, LIMIT])
        rows = cursor.fetchall()
    return [
        Breach(f"entry {number}", "Its event is gone." if gone else "It says something else than its event.")
        for number, gone in rows
    ]


def decisions_have_events(deep: bool) -> list[Breach]:
    """A decision and its event are written together, so one without the other was made by hand."""
    told = Event.objects.alias(decision=KeyTextTransform("decision", "payload")).filter(
        subject_kind=OuterRef("subject_kind"),
        subject_id=OuterRef("subject_id"),
        type=OuterRef("what"),
        decision=Cast(OuterRef("pk"), CharField()),
    )
    decisions = _recent(Decision.objects.all(), deep)
    return [
        Breach(str(decision.pk), f"The decision {decision.what} by {decision.by_label} has no event.")
        for decision in decisions.filter(~Exists(told)).order_by("id")[:LIMIT]
    ]


def history_is_append_only(deep: bool) -> list[Breach]:
    with connection.cursor() as cursor:
        missing = []
        for table, trigger in APPEND_ONLY:
            cursor.execute(STANDING_TRIGGER, [table, trigger])
            if cursor.fetchone() is None:
                missing.append(
                    Breach(table, f"The trigger {trigger} is missing or off: rows could be changed.")
                )
    return missing


def _undelivered(consumer: Consumer, deep: bool) -> list[Breach]:
    """From the consumer's first delivery on: one that is new in the code has none of older events."""
    of_consumer = Delivery.objects.filter(consumer=consumer.name)
    first = of_consumer.order_by("event").values_list("event", flat=True).first()
    if first is None:
        return []
    # One hour less than deliveries are kept, so that the pruning of the oldest is never taken for a loss.
    events = _recent(Event.objects.filter(id__gte=first), deep).filter(
        occurred_at__gt=Now() - SETTLED_DELIVERIES_ARE_KEPT + dt.timedelta(hours=1)
    )
    wanted = [name for name in _types(events) if consumer.wants(name)]
    missing = events.filter(~Exists(of_consumer.filter(event=OuterRef("pk"))), type__in=wanted).order_by("id")
    return [
        Breach(str(event.pk), f"{event.type} has no delivery for the consumer {consumer.name}.")
        for event in missing[:LIMIT]
    ]


def _types(events: QuerySet[Event]) -> list[str]:
    return list(events.order_by().values_list("type", flat=True).distinct())


def _recent(rows: QuerySet[Any], deep: bool) -> QuerySet[Any]:
    """By the key, which starts with the time. An hour more, because that time is the writer's clock."""
    if deep:
        return rows
    return rows.filter(id__gte=first_uuid7(database_now() - QUICK_DAYS - dt.timedelta(hours=1)))


def _snapshot_taken_at() -> dt.datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        (moment,) = cursor.fetchone()
    return moment


EVERY = (
    Invariant("events_have_deliveries", "Every event has a delivery per consumer", events_have_deliveries),
    Invariant("events_are_sealed", "Events are sealed within two minutes", events_are_sealed),
    Invariant("trail_is_unbroken", "The audit trail is unbroken", trail_is_unbroken),
    Invariant("trail_is_not_cut", "The audit trail was not cut", trail_is_not_cut, looks_outside=True),
    Invariant("entries_equal_events", "Audit entries equal their events", entries_equal_events),
    Invariant("decisions_have_events", "Every decision has its event", decisions_have_events),
    Invariant("history_is_append_only", "Events, decisions and trail refuse changes", history_is_append_only),
)
