"""Datasets, the immutable versions of their schemas, and their records with earlier values."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from work.identifiers import uuid7


class Dataset(models.Model):
    """`next_sequence` numbers its uploads as they are accepted; `version` moves with every stored change."""

    class Mode(models.TextChoices):
        UPSERT = "upsert"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="datasets"
    )
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=150)
    locale = models.CharField(max_length=10, default="en")
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.UPSERT)
    next_sequence = models.BigIntegerField(default=1, editable=False)
    version = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organisation", "slug"], name="dataset_slug_once")]

    def __str__(self) -> str:
        return self.title


class SchemaVersion(models.Model):
    """A Table Schema. Never changed: a change makes the next number, the highest is the current one."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="schema_versions")
    number = models.PositiveIntegerField()
    schema = models.JSONField()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="schema_version_once")]

    def __str__(self) -> str:
        return f"schema {self.number}"


class Record(models.Model):
    """The current values under one key. `key` is the canonical text of the primaryKey fields, or upload and
    row.

    Its foreign keys have no index of their own: every merge would pay for them, and no query needs them.
    """

    id = models.BigAutoField(primary_key=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="records", db_index=False)
    key = models.TextField()
    data = models.JSONField()
    digest = models.BinaryField(max_length=16)
    version = models.BigIntegerField(default=1)
    upload = models.ForeignKey(
        "ingestion.Upload", on_delete=models.PROTECT, related_name="records", db_index=False
    )
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "key"], name="one_record_per_key")]

    def __str__(self) -> str:
        return self.key


class RecordVersion(models.Model):
    """A value that was replaced, and the upload that had written it."""

    id = models.BigAutoField(primary_key=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.TextField()
    version = models.BigIntegerField()
    data = models.JSONField()
    digest = models.BinaryField(max_length=16)
    upload = models.ForeignKey("ingestion.Upload", on_delete=models.PROTECT, related_name="+", db_index=False)
    replaced_by = models.ForeignKey(
        "ingestion.Upload", null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    replaced_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "key", "version"], name="one_earlier_value_per_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.key} version {self.version}"
