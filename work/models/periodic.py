"""The ledger of periodic jobs: one leased row per slot."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from work.models.leased import Leased, lease_constraints, lease_indexes


class PeriodicState(models.TextChoices):
    WAITING = "waiting"  # made by the tick or by a person; leaves when a worker claims it
    RUNNING = "running"  # claimed; leaves by finishing, failing or losing its lease
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"  # the slot came while the run before it was still unfinished


PERIODIC_TERMINAL = (PeriodicState.SUCCEEDED, PeriodicState.FAILED, PeriodicState.SKIPPED)


class PeriodicRun(Leased):
    """`slot` is the instant the run was due; (name, slot) is unique, so two schedulers make one run."""

    FAIR: ClassVar[bool] = False

    name = models.CharField(max_length=60)
    slot = models.DateTimeField()
    state = models.CharField(
        max_length=10, choices=PeriodicState, default=PeriodicState.WAITING, db_default=PeriodicState.WAITING
    )
    trigger = models.CharField(
        max_length=10, default="schedule", db_default="schedule"
    )  # schedule, catch_up, person
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    did = models.TextField(blank=True, default="", db_default="")
    skipped_because = models.CharField(max_length=120, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            *lease_constraints("periodic_run", terminal=PERIODIC_TERMINAL),
            models.UniqueConstraint(fields=["name", "slot"], name="one_run_per_slot"),
            models.UniqueConstraint(
                fields=["name"], condition=Q(finished_at__isnull=True), name="one_run_at_a_time"
            ),
        ]
        indexes = [
            *lease_indexes("periodic_run", fair=False),
            models.Index(
                fields=["name", "-slot"], name="periodic_run_ledger"
            ),  # the ledger page, the last slot
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.slot}"
