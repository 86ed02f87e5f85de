"""Events: written in the transaction of the change they tell of, with a delivery per interested consumer."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.db.models import Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from work import consumers, correlation, doorbell
from work.models import Delivery, Event
from work.pipelines import GROUND


def record(
    type: str,
    *,
    subject: Any,
    kind: str,
    payload: Mapping[str, Any] | None = None,
    organisation: Any = None,
    label: str = "",
    by: Any = None,
    causation_id: Any = None,
) -> Event:
    """Write an event and its deliveries. Insists on the caller's transaction (RuntimeError without one).

    `subject` is a row or an id, `kind` its kind (`upload`, `dataset`…), `label` its name for people; `by` a
    user or
    a label; `organisation` a row or an id. `payload` holds ids and counts, never rows or cell values.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("an event is recorded in the transaction of its change")
    event = Event.objects.create(
        type=type,
        subject_kind=kind,
        subject_id=str(getattr(subject, "pk", subject)),
        subject_label=label[:200],
        organisation_id=getattr(organisation, "pk", organisation),
        actor=str(by or "")[:200],
        payload=dict(payload or {}),
        correlation_id=correlation.current(),
        causation_id=causation_id,
    )
    interested = consumers.of_type(type)
    Delivery.objects.bulk_create(
        Delivery(event=event, consumer=consumer.name, correlation_id=event.correlation_id)
        for consumer in interested
    )
    if interested:
        doorbell.ring(GROUND)
    return event


def seconds_from_now(seconds: float) -> Combinable:
    """The database's clock plus so many seconds, for an UPDATE."""
    return Now() + Value(dt.timedelta(seconds=seconds))
