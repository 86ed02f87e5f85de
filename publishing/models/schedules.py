"""When an entry is published by itself, and what became of each slot."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from publishing.models.entries import Entry
from publishing.states import SlotOutcome
from work.identifiers import uuid7


class Schedule(models.Model):
    """Local time in a zone. `weekday` from 0 (Monday), for weekly; `month_day` 1 to 31, for monthly, where a
    shorter month has its last day instead.

    `next_due_at` advances from the time it was scheduled for. `keep_versions` is how many published versions
    stay (None: all). While paused, no slot is due.
    """

    class Every(models.TextChoices):
        DAILY = "daily"
        WEEKLY = "weekly"
        MONTHLY = "monthly"

    entry = models.OneToOneField(Entry, primary_key=True, on_delete=models.CASCADE, related_name="schedule")
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="schedules"
    )
    every = models.CharField(max_length=7, choices=Every)
    weekday = models.PositiveSmallIntegerField(null=True, blank=True, validators=[MaxValueValidator(6)])
    month_day = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(31)]
    )
    at = models.TimeField()
    zone = models.CharField(max_length=60)
    next_due_at = models.DateTimeField()
    only_when_changed = models.BooleanField(default=False)
    keep_versions = models.PositiveSmallIntegerField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, editable=False)
    paused_by_label = models.CharField(max_length=200, blank=True, default="", editable=False)
    paused_why = models.TextField(blank=True, default="", editable=False)
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(every="daily", weekday__isnull=True, month_day__isnull=True)
                | Q(every="weekly", weekday__range=(0, 6), month_day__isnull=True)
                | Q(every="monthly", weekday__isnull=True, month_day__range=(1, 31)),
                name="schedule_day_fits_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(keep_versions__isnull=True) | Q(keep_versions__gte=1),
                name="schedule_keeps_a_version",
            ),
        ]
        indexes = [
            models.Index(fields=["next_due_at"], name="schedule_due", condition=Q(paused_at__isnull=True))
        ]

    def __str__(self) -> str:
        return f"{self.every} at {self.at}"


class Slot(models.Model):
    """What became of one slot: the ledger. `missed` slots before it were made up for by it. `publication` has
    no key, since the row of a failed one is gone.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="slots", db_index=False)
    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.PROTECT, related_name="+")
    slot_at = models.DateTimeField()
    outcome = models.CharField(max_length=9, choices=SlotOutcome)
    reason = models.CharField(max_length=60, blank=True, default="")
    missed = models.PositiveIntegerField(default=0)
    publication = models.UUIDField(null=True)
    decided_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entry", "slot_at"], name="one_outcome_per_slot"),
            models.CheckConstraint(
                condition=Q(outcome="skipped") & ~Q(reason="") | ~Q(outcome="skipped"),
                name="a_skipped_slot_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slot_at}: {self.outcome}"
