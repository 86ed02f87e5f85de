"""A bulk action: the rule of selection, stored and applied again at act time, with an outcome per row."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from work.models.leased import Leased, lease_constraints, lease_indexes


class BulkState(models.TextChoices):
    ACCEPTED = "accepted"  # confirmed by a person after the preview
    RUNNING = "running"  # rows are being acted on, one by one
    FINISHED = "finished"  # every selected row has an outcome
    CANCELLED = "cancelled"  # stopped by a person; the outcomes so far stand
    FAILED = "failed"


BULK_TERMINAL = (BulkState.FINISHED, BulkState.CANCELLED, BulkState.FAILED)


class BulkAction(Leased):
    """`rule` is `{"filter": {...}}` or `{"ids": [...]}`; `previewed` and `counts` hold the numbers shown and
    done. No organisation: an operator's action over all of them.
    """

    FAIR: ClassVar[bool] = False
    """Actions take turns by slices already."""

    organisation = models.ForeignKey(
        "accounts.Organisation", null=True, on_delete=models.PROTECT, related_name="+"
    )
    action = models.CharField(max_length=60)
    rule = models.JSONField()
    reason = models.TextField(blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_by_label = models.CharField(max_length=200)
    previewed = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    state = models.CharField(
        max_length=10, choices=BulkState, default=BulkState.ACCEPTED, db_default=BulkState.ACCEPTED
    )

    class Meta:
        constraints = [*lease_constraints("bulk_action", terminal=BULK_TERMINAL)]
        indexes = lease_indexes("bulk_action", fair=False)

    def __str__(self) -> str:
        return self.action


class BulkOutcome(models.Model):
    """What became of one selected row: `changed`, `not_eligible` or `failed`, with what was found."""

    bulk = models.ForeignKey(BulkAction, on_delete=models.CASCADE, related_name="outcomes")
    subject = models.UUIDField()
    label = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=20)
    found = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bulk", "subject"], name="one_outcome_per_row")]

    def __str__(self) -> str:
        return f"{self.label}: {self.outcome}"
