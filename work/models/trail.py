"""The audit trail and the decisions of people. Both append-only: a trigger refuses update and delete."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from work.identifiers import uuid7


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
