"""The outbox: events, and one delivery per consumer and subscriber."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from work.identifiers import uuid7
from work.models.leased import Leased, lease_constraints, lease_indexes


class Event(models.Model):
    """A fact that happened. `payload` holds ids and counts, never rows or cell values. Never changed."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    type = models.CharField(max_length=60)
    schema_version = models.PositiveSmallIntegerField(default=1)
    organisation = models.ForeignKey(
        "accounts.Organisation", null=True, on_delete=models.PROTECT, related_name="+"
    )
    subject_kind = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=64)
    subject_label = models.CharField(max_length=200, blank=True)
    actor = models.CharField(max_length=200, blank=True)
    correlation_id = models.CharField(max_length=64, blank=True)
    causation_id = models.UUIDField(null=True)
    occurred_at = models.DateTimeField(db_default=Now())
    payload = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(
                fields=["subject_kind", "subject_id"], name="event_subject"
            ),  # the story of one thing
            models.Index(fields=["correlation_id"], name="event_correlation"),  # find by correlation id
            models.Index(
                fields=["organisation", "-id"], name="event_organisation"
            ),  # the events page of a tenant
        ]

    def __str__(self) -> str:
        return self.type


class DeliveryState(models.TextChoices):
    PENDING = "pending"  # made with its event; leaves when a worker claims it, or with its batch
    DELIVERING = "delivering"  # claimed; back to pending after a temporary failure
    DELIVERED = "delivered"  # in the transaction of its effect
    DEAD = "dead"  # gave up; asks an operator to replay or discard
    DISCARDED = "discarded"  # by a person, with a reason


DELIVERY_TERMINAL = (DeliveryState.DELIVERED, DeliveryState.DISCARDED)


class Delivery(Leased):
    FAIR: ClassVar[bool] = False

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="deliveries")
    consumer = models.CharField(max_length=40)
    subscriber = models.CharField(max_length=80, blank=True, default="", db_default="")
    state = models.CharField(
        max_length=10, choices=DeliveryState, default=DeliveryState.PENDING, db_default=DeliveryState.PENDING
    )

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            *lease_constraints("delivery", terminal=DELIVERY_TERMINAL),
            models.UniqueConstraint(
                fields=["event", "consumer", "subscriber"], name="one_delivery_per_subscriber"
            ),
        ]
        indexes = [
            *lease_indexes("delivery", fair=False),
            # a batch of one consumer; event lag per consumer
            models.Index(
                fields=["consumer", "id"], name="delivery_open", condition=Q(finished_at__isnull=True)
            ),
            models.Index(fields=["finished_at"], name="delivery_finished"),  # retention
        ]

    def __str__(self) -> str:
        return f"{self.consumer} of event {self.event_id}"
