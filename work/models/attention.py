"""Who is on a case, and what people were told."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from work.identifiers import uuid7
from work.models.leased import Leased, lease_constraints, lease_indexes


class CaseClaim(models.Model):
    """ "I am on this": expires by itself, so that nobody holds a case by having closed a browser."""

    case = models.CharField(max_length=120, primary_key=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    claimed_at = models.DateTimeField(db_default=Now())
    until = models.DateTimeField()

    def __str__(self) -> str:
        return self.case


class Notification(models.Model):
    """What one person was told about one event. The row is the effect; mails are rows of their own."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications")
    organisation = models.ForeignKey(
        "accounts.Organisation", null=True, on_delete=models.CASCADE, related_name="+"
    )
    event = models.UUIDField()
    kind = models.CharField(max_length=60)
    title = models.CharField(max_length=250)
    text = models.TextField(blank=True)
    path = models.CharField(max_length=250)
    made_at = models.DateTimeField(db_default=Now())
    read_at = models.DateTimeField(null=True)
    is_for_digest = models.BooleanField(default=False, db_default=False)
    """Set for people who are written to once a day; the digest that carries it clears it."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "event"], name="one_notification_per_event")]
        indexes = [
            models.Index(fields=["user", "-id"], name="notification_of_user"),  # a person's list
            models.Index(
                fields=["user"], name="notification_unread", condition=Q(read_at__isnull=True)
            ),  # the count on every page
            models.Index(
                fields=["user", "id"], name="notification_digest", condition=Q(is_for_digest=True)
            ),  # the daily digest
            models.Index(fields=["made_at"], name="notification_age"),  # retention
        ]

    def __str__(self) -> str:
        return self.title


class MailState(models.TextChoices):
    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


class Mail(Leased):
    """One message to one person, with a fixed Message-ID so that a second sending is seen as the same
    message.
    """

    FAIR: ClassVar[bool] = False

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=120, unique=True)
    subject = models.CharField(max_length=250)
    text = models.TextField()
    message_id = models.CharField(max_length=200, unique=True)
    state = models.CharField(
        max_length=10, choices=MailState, default=MailState.QUEUED, db_default=MailState.QUEUED
    )

    class Meta:
        constraints = [*lease_constraints("mail", terminal=(MailState.SENT, MailState.FAILED))]
        indexes = [
            *lease_indexes("mail", fair=False),
            models.Index(fields=["finished_at"], name="mail_finished"),  # retention
        ]

    def __str__(self) -> str:
        return self.subject


class Webhook(models.Model):
    """Where a tenant (or the installation: no organisation) wants to be told of what needs a person."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "accounts.Organisation", null=True, on_delete=models.CASCADE, related_name="+"
    )
    url = models.URLField(max_length=500)
    secret = models.CharField(max_length=64, editable=False)
    is_active = models.BooleanField(default=True)
    made_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.url


class CallState(models.TextChoices):
    QUEUED = "queued"  # made with its event; leaves when a worker claims it
    CALLING = "calling"  # claimed; back to queued after a temporary failure
    ANSWERED = "answered"  # the other side took it
    FAILED = "failed"  # refused for good, or too old


class WebhookCall(Leased):
    """One call to one webhook about one event. Its id goes with every try: the receiver can tell repeats."""

    FAIR: ClassVar[bool] = False

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="calls")
    event = models.UUIDField()
    body = models.JSONField()
    answered_with = models.PositiveSmallIntegerField(null=True)
    state = models.CharField(
        max_length=10, choices=CallState, default=CallState.QUEUED, db_default=CallState.QUEUED
    )

    class Meta:
        constraints = [
            *lease_constraints("webhook_call", terminal=(CallState.ANSWERED, CallState.FAILED)),
            models.UniqueConstraint(fields=["webhook", "event"], name="one_call_per_event"),
        ]
        indexes = [
            *lease_indexes("webhook_call", fair=False),
            models.Index(fields=["finished_at"], name="webhook_call_finished"),  # retention
        ]

    def __str__(self) -> str:
        return f"{self.webhook}: {self.body.get('type', '')}"


class DailyFigure(models.Model):
    """Daily sums for the analytics pages: one row per organisation, dataset, day, measure and key."""

    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.CASCADE, related_name="+")
    dataset = models.CharField(max_length=80, blank=True)
    day = models.DateField()
    measure = models.CharField(max_length=40)
    key = models.CharField(max_length=80, blank=True, default="")
    value = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "dataset", "day", "measure", "key"], name="one_figure_per_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.measure} {self.key}"
