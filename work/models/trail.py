"""The audit trail and people's decisions, both append-only by trigger; and what the last checks found."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from work.identifiers import uuid7
from work.models.leased import Leased, lease_constraints, lease_indexes


class AuditEntry(models.Model):
    """One sealed event. Ids and labels only, no foreign keys: deleting a user must not touch the trail."""

    number = models.BigIntegerField(primary_key=True)
    event = models.UUIDField(unique=True)
    type = models.CharField(max_length=60)
    organisation_id = models.UUIDField(null=True)
    organisation_label = models.CharField(max_length=200, blank=True)
    subject_kind = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=64)
    subject_label = models.CharField(max_length=200, blank=True)
    actor = models.CharField(max_length=200, blank=True)
    correlation_id = models.CharField(max_length=64, blank=True)
    occurred_at = models.DateTimeField()
    payload = models.JSONField()
    sealed_at = models.DateTimeField(db_default=Now())
    previous_hash = models.CharField(max_length=64, unique=True)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["subject_kind", "subject_id"], name="audit_subject")]

    def __str__(self) -> str:
        return f"{self.number} {self.type}"


class Decision(models.Model):
    """What a person decided: who, what, why, what they were shown, counts before and after."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    what = models.CharField(max_length=60)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    by_label = models.CharField(max_length=200)
    organisation = models.ForeignKey(
        "accounts.Organisation", null=True, on_delete=models.PROTECT, related_name="+"
    )
    subject_kind = models.CharField(max_length=40)
    subject_id = models.CharField(max_length=64, blank=True)
    subject_label = models.CharField(max_length=200, blank=True)
    why = models.TextField(blank=True)
    rule = models.JSONField(default=dict)
    shown = models.JSONField(default=dict)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    correlation_id = models.CharField(max_length=64, blank=True)
    decided_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["subject_kind", "subject_id"], name="decision_subject")]

    def __str__(self) -> str:
        return f"{self.what} by {self.by_label}"


class CheckState(models.TextChoices):
    REQUESTED = "requested"  # a deep run, asked for by a person or by night; leaves by a claim
    CHECKING = "checking"  # claimed; back to requested when its worker died
    CHECKED = "checked"  # every invariant was looked at, whatever was found
    FAILED = "failed"  # given up


class InvariantRun(Leased):
    """One run over all invariants. `findings` is a list of `{name, title, seconds, count, breaches}`."""

    FAIR: ClassVar[bool] = False

    is_deep = models.BooleanField(default=False)
    state = models.CharField(
        max_length=10, choices=CheckState, default=CheckState.REQUESTED, db_default=CheckState.REQUESTED
    )
    requested_by_label = models.CharField(max_length=200, blank=True)
    findings = models.JSONField(default=list, db_default=[])
    broken = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            *lease_constraints("invariant_run", terminal=(CheckState.CHECKED, CheckState.FAILED)),
            models.UniqueConstraint(
                fields=["is_deep"],
                condition=models.Q(is_deep=True, finished_at__isnull=True),
                name="one_deep_run_at_a_time",
            ),
        ]
        indexes = [
            *lease_indexes("invariant_run", fair=False),
            models.Index(fields=["is_deep", "-finished_at"], name="invariant_run_latest"),  # the last of each
        ]

    def __str__(self) -> str:
        return f"{'deep' if self.is_deep else 'quick'} run of {self.accepted_at:%d %b %Y %H:%M}"
