"""The audit trail: every event, sealed in a chain of hashes, so that a changed or a cut trail is seen.

Verbs write events only; sealing follows in batches, one at a time, so that chaining serialises no writer.
"""

import datetime as dt
import hashlib
import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import prefetch_related_objects

from work.consumers import Consumer
from work.models import AuditEntry, Event
from work.periodic import database_now

GENESIS = "0" * 64
BATCH = 500
SEAL_WITHIN = dt.timedelta(minutes=2)
SEALED_FIELDS = (
    "number", "event", "type", "organisation_id", "organisation_label", "subject_kind", "subject_id",
    "subject_label", "actor", "correlation_id", "occurred_at", "payload", "sealed_at", "previous_hash",
)  # fmt: skip


@dataclass(frozen=True)
class Head:
    number: int
    hash: str


@dataclass(frozen=True)
class Break:
    """The first entry that does not follow from the one before it."""

    number: int
    sentence: str


def seal(events: Sequence[Event]) -> None:
    """Append entries for events that have none yet. Safe to repeat. Joins the transaction of the deliveries.

    Only one batch runs at a time (`work.deliveries` holds a lock); a second writer would meet the unique
    previous hash and be rolled back.
    """
    sealed = set(
        AuditEntry.objects.filter(event__in=[event.pk for event in events]).values_list("event", flat=True)
    )
    fresh = sorted((event for event in events if event.pk not in sealed), key=lambda event: event.pk)
    prefetch_related_objects(fresh, "organisation")
    last, now = head(), database_now()
    entries = []
    for event in fresh:
        entry = _entry(event, after=last, now=now)
        entries.append(entry)
        last = Head(entry.number, entry.hash)
    AuditEntry.objects.bulk_create(entries)


def head() -> Head:
    """The newest link; before the first one number 0 and a fixed hash."""
    newest = AuditEntry.objects.order_by("-number").values_list("number", "hash").first()
    return Head(*newest) if newest else Head(0, GENESIS)


def first_break(*, since: int = 1) -> Break | None:
    """Follow the chain from entry `since` (its link to the one before included) to the newest entry."""
    last = _head_before(since)
    entries: Iterable[AuditEntry] = AuditEntry.objects.filter(number__gte=since).order_by("number")
    for entry in entries.iterator(chunk_size=2000):  # type: ignore[attr-defined]
        if wrong := _what_is_wrong(entry, last):
            return Break(entry.number, wrong)
        last = Head(entry.number, entry.hash)
    return None


def hash_of(entry: AuditEntry) -> str:
    """The hash of everything the entry says, the hash before it included."""
    said = {name: _plain(getattr(entry, name)) for name in SEALED_FIELDS}
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _entry(event: Event, *, after: Head, now: dt.datetime) -> AuditEntry:
    entry = AuditEntry(
        number=after.number + 1,
        event=event.pk,
        type=event.type,
        organisation_id=event.organisation_id,
        organisation_label=str(event.organisation or "")[:200],
        subject_kind=event.subject_kind,
        subject_id=event.subject_id,
        subject_label=event.subject_label,
        actor=event.actor,
        correlation_id=event.correlation_id,
        occurred_at=event.occurred_at,
        payload=event.payload,
        sealed_at=now,
        previous_hash=after.hash,
    )
    entry.hash = hash_of(entry)
    return entry


def _head_before(number: int) -> Head:
    """The link that entry `number` must follow. A missing one gives a hash that nothing can follow."""
    if number <= 1:
        return Head(0, GENESIS)
    found = AuditEntry.objects.filter(number=number - 1).values_list("number", "hash").first()
    return Head(*found) if found else Head(number - 1, "")


def _what_is_wrong(entry: AuditEntry, last: Head) -> str:
    if entry.number != last.number + 1:
        return f"Entry {entry.number} follows entry {last.number}: what stood between them is missing."
    if entry.previous_hash != last.hash:
        return f"Entry {entry.number} does not carry the hash of entry {last.number}."
    if entry.hash != hash_of(entry):
        return f"Entry {entry.number} was changed after it was sealed."
    return ""


def _plain(value: Any) -> Any:
    """Values as canonical JSON: one spelling for a number that the database may give back as 1 or 1.0."""
    match value:
        case dt.datetime():
            return value.astimezone(dt.UTC).isoformat(timespec="microseconds")
        case uuid.UUID():
            return str(value)
        case dict():
            return {name: _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case float() if value.is_integer():
            return int(value)
    return value


CONSUMER = Consumer("audit", seal, batch=BATCH)
