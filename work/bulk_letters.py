"""Replaying and discarding dead letters in bulk: the first users of the component in the ground itself."""

from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from work import deliveries
from work.bulk import BulkKind
from work.models import Delivery, DeliveryState

FILTERS = {"consumer": "consumer", "type": "event__type", "failure": "failure_code"}


def dead_letters(filters: QueryDict | None) -> QuerySet[Delivery]:
    """What the page of dead letters shows under its filters; every delivery for None."""
    rows = Delivery.objects.select_related("event", "event__organisation")
    if filters is None:
        return rows
    given = {column: filters[name] for name, column in FILTERS.items() if filters.get(name)}
    return rows.filter(state=DeliveryState.DEAD, **given)


def _are_dead(rows: QuerySet[Delivery]) -> QuerySet[Delivery]:
    return rows.filter(state=DeliveryState.DEAD)


def _replay(row: Delivery, by: Any, why: str) -> None:
    deliveries.replay(delivery=row, by=by, why=why)


def _discard(row: Delivery, by: Any, why: str) -> None:
    deliveries.discard(delivery=row, by=by, why=why)


def _label(row: Delivery) -> str:
    return f"{row.event.type} to {row.consumer}: {row.event.subject_label or row.event.subject_id}"


KINDS = (
    BulkKind(
        action="delivery.replay",
        title="Replay dead letters",
        verb="Replay",
        queryset=dead_letters,
        eligible=_are_dead,
        act=_replay,
        label=_label,
        path="event__organisation",
        url_name="dead_letters",
    ),
    BulkKind(
        action="delivery.discard",
        title="Discard dead letters",
        verb="Discard",
        queryset=dead_letters,
        eligible=_are_dead,
        act=_discard,
        label=_label,
        path="event__organisation",
        url_name="dead_letters",
        is_grave=True,
    ),
)
