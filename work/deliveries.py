"""The pipeline that hands events to consumers, and what operators may do with dead letters."""

from typing import Any

from django.db import connection, transaction
from django.db.models.functions import Now

from work import consumers, crash, decisions, doorbell, outbox
from work.failures import PermanentFailure, StateChanged
from work.jobs import Job
from work.models import Delivery, DeliveryState, Event
from work.pipelines import GROUND, Ending, Limits, Pipeline, Step

DEAD_LETTER = "dead_letter"
DEAD = "delivery.dead"
ONE_BATCH_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('work.consumer'), hashtext(%s))"


def deliver(job: Job, context: None) -> None:
    """Handle one delivery, or a batch that it leads, and finish it in the same transaction."""
    delivery: Delivery = job.row
    consumer = consumers.get(delivery.consumer)
    if consumer is None:
        raise PermanentFailure("consumer_unknown", consumer=delivery.consumer)
    with transaction.atomic():
        events = [Event.objects.get(pk=delivery.event_id)]
        if consumer.batch > 1:
            events += _take_along(consumer)
        crash.point(f"deliver.{consumer.name}")
        consumer.handle(events)
        job.finish(state=DeliveryState.DELIVERED)


def _take_along(consumer: consumers.Consumer) -> list[Event]:
    """More waiting events of the consumer, finished with this one. The lock ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(ONE_BATCH_AT_A_TIME, [consumer.name])
    rows = (
        Delivery.objects.waiting()
        .filter(consumer=consumer.name)
        .select_related("event")
        .select_for_update(of=("self",))
        .order_by("id")[: consumer.batch - 1]
    )
    taken = list(rows)
    Delivery.objects.filter(pk__in=[row.pk for row in taken]).update(
        due_at=None, finished_at=Now(), state=DeliveryState.DELIVERED
    )
    return [row.event for row in taken]


def replay(*, delivery: Delivery, by: Any, why: str) -> None:
    """Make a dead letter due again. Raises StateChanged when it is not dead any more."""
    _decide(delivery, by=by, why=why, what="delivery.replayed", state=DeliveryState.PENDING, due_at=Now())
    doorbell.ring(GROUND)


def discard(*, delivery: Delivery, by: Any, why: str) -> None:
    """End a dead letter without its effect, with a reason. Raises StateChanged when it is dead no more."""
    _decide(
        delivery, by=by, why=why, what="delivery.discarded", state=DeliveryState.DISCARDED, finished_at=Now()
    )


def _decide(delivery: Delivery, *, by: Any, why: str, what: str, **columns: Any) -> None:
    with transaction.atomic():
        moved = Delivery.objects.filter(pk=delivery.pk, state=DeliveryState.DEAD).update(
            asked_at=None, question=None, accepted_at=Now(), unanswered=0, **columns
        )
        if not moved:
            raise StateChanged(Delivery.objects.values_list("state", flat=True).get(pk=delivery.pk))
        decisions.record(
            what,
            by=by,
            subject=delivery,
            kind="delivery",
            label=f"{delivery.consumer}: {delivery.event.type}",
            organisation=delivery.event.organisation_id,
            why=why,
            shown={"failure": delivery.failure_code, "starts": delivery.starts},
        )


def _dead(row: Delivery, code: str, detail: dict[str, Any]) -> Ending:
    """Tells of it, but not of the news itself dying: a consumer that fails at everything would never end."""
    if row.event.type != DEAD:
        outbox.record(
            DEAD,
            subject=row,
            kind="delivery",
            label=f"{row.consumer}: {row.event.type}",
            organisation=row.event.organisation_id,
            payload={"consumer": row.consumer, "event": str(row.event_id), "code": code},
            causation_id=row.event_id,
        )
    return Ending(DeliveryState.DEAD, question=DEAD_LETTER)


PIPELINE = Pipeline(
    name="delivery",
    title="Deliveries",
    model=Delivery,
    steps=(Step("deliver", deliver, silent_for=120, at_most=600),),
    initial=DeliveryState.PENDING,
    running=DeliveryState.DELIVERING,
    terminal=(DeliveryState.DELIVERED, DeliveryState.DISCARDED),
    on_failure=_dead,
    cluster=GROUND,
    limits=Limits(running=None),
)
