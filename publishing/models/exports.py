"""Exports: those that our own data service made, and those that some service is still to delete."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from publishing.models.entries import Entry, ExternalService
from publishing.states import CleanupState
from work.identifiers import uuid7


class LocalExport(models.Model):
    """An export of ingested records under its key. Deleted, it stays as a tombstone: a late start is refused.

    `files` is a list of {format, storage_key, size, sha256, records}.
    """

    key = models.CharField(primary_key=True, max_length=100)
    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey("ingestion.Dataset", null=True, on_delete=models.PROTECT, related_name="+")
    dataset_version = models.BigIntegerField(null=True)
    files = models.JSONField(default=list)
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True) | Q(files=[]), name="a_deleted_export_has_no_files"
            )
        ]

    def __str__(self) -> str:
        return self.key


class ExportCleanup(models.Model):
    """An export that its data service is to delete, tried for as long as it takes.

    `service` is null for our own. `due_at` is when it is asked next; the delay grows and is capped at a day.
    """

    class Why(models.TextChoices):
        FAILED = "failed"  # its publication failed
        LEFT_ROUND = "left_round"  # a later round took its place
        CANCELLED = "cancelled"  # its publication was withdrawn
        REMOVED = "removed"  # its version was removed

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="export_cleanups"
    )
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="cleanups")
    publication = models.UUIDField()  # without a key: the row may be gone
    service = models.ForeignKey(ExternalService, null=True, on_delete=models.PROTECT, related_name="+")
    export_key = models.CharField(max_length=100)
    why = models.CharField(max_length=10, choices=Why)
    state = models.CharField(
        max_length=8, choices=CleanupState, default=CleanupState.WAITING, db_default=CleanupState.WAITING
    )
    asked_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(null=True, db_default=Now())
    done_at = models.DateTimeField(null=True)
    tries = models.PositiveIntegerField(default=0)
    last_code = models.CharField(max_length=60, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["export_key"], name="one_cleanup_per_export"),
            models.CheckConstraint(
                condition=Q(state=CleanupState.WAITING, due_at__isnull=False, done_at__isnull=True)
                | Q(state=CleanupState.DONE, due_at__isnull=True, done_at__isnull=False),
                name="cleanup_is_due_or_done",
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="cleanup_due", condition=Q(due_at__isnull=False)),
            models.Index(fields=["publication"], name="cleanup_of_publication"),
        ]

    def __str__(self) -> str:
        return self.export_key
