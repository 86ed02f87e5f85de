"""One row per start of a leased row, and the late writes that the fence refused. Both outlive the row."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Outcome(models.TextChoices):
    """How an attempt ended. DIED and HUNG gave no answer; the others are the worker's own word."""

    FINISHED = "finished"
    FAILED = "failed"
    TEMPORARY_FAILURE = "temporary_failure"
    POSTPONED = "postponed"
    ASKED = "asked"
    CANCELLED = "cancelled"
    DIED = "died"
    HUNG = "hung"


class Attempt(models.Model):
    """`steps` is a list of `{name, seconds}` in order; `hung_at_step` is set by the heart when it gives a
    step up.
    """

    pipeline = models.CharField(max_length=40)
    subject = models.UUIDField()
    number = models.PositiveIntegerField()
    token = models.UUIDField(unique=True)
    worker = models.UUIDField()
    worker_label = models.CharField(max_length=120)
    # written with every claim: neither the check of the key nor an index that no query uses is paid for there
    organisation = models.ForeignKey(
        "accounts.Organisation", null=True, on_delete=models.CASCADE, related_name="+", db_constraint=False,
        db_index=False,
    )  # fmt: skip
    started_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=20, choices=Outcome, null=True)  # noqa: DJ001 (null while it runs)
    step = models.CharField(max_length=40, blank=True, default="", db_default="")
    steps = models.JSONField(default=list, db_default=[])
    hung_at_step = models.CharField(max_length=40, blank=True, default="", db_default="")
    code = models.CharField(max_length=60, blank=True, default="", db_default="")
    detail = models.JSONField(default=dict, db_default={})
    traceback = models.TextField(blank=True, default="", db_default="")
    fingerprint = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pipeline", "subject", "number"], name="attempt_number_once"),
            models.UniqueConstraint(
                fields=["pipeline", "subject"],
                condition=Q(ended_at__isnull=True),
                name="one_open_attempt_per_subject",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, outcome__isnull=True)
                | Q(ended_at__isnull=False, outcome__isnull=False),
                name="attempt_ended_iff_outcome",
            ),
        ]
        indexes = [
            # failures grouped by fingerprint, first and last seen
            models.Index(
                fields=["fingerprint", "started_at"], name="attempt_failures", condition=~Q(fingerprint="")
            ),
            # metrics, retention; by ranges of blocks, since attempts end in about the order they are written
            BrinIndex(fields=["ended_at"], name="attempt_ended", autosummarize=True, pages_per_range=16),
        ]

    def __str__(self) -> str:
        return f"{self.pipeline} attempt {self.number}"


class RefusedWrite(models.Model):
    """A write that came after its lease was lost: what was tried, and what stood in its place."""

    pipeline = models.CharField(max_length=40)
    subject = models.UUIDField()
    token = models.UUIDField()
    worker_label = models.CharField(max_length=120)
    step = models.CharField(max_length=40, blank=True)
    tried = models.CharField(max_length=60)
    found = models.JSONField(default=dict)
    refused_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["pipeline", "subject"], name="refused_write_subject")]

    def __str__(self) -> str:
        return f"{self.pipeline}: {self.tried}"
