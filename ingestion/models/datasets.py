"""Datasets, the immutable versions of their schemas, and their records with earlier values."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from work.identifiers import uuid7


class Dataset(models.Model):
    """`next_sequence` numbers its uploads as they are accepted; `version` moves with every stored change.

    `retire_limit` and `refuse_limit` are whole percentages: of records that a snapshot may retire before a
    person must confirm it, and of refused rows above which nothing of a file is stored (None: never).
    `usual_sheet` is the sheet that a person chose last, when several would do.
    """

    class Mode(models.TextChoices):
        UPSERT = "upsert"  # rows are added to the records, or replace those under their keys
        SNAPSHOT = "snapshot"  # the file is the whole: records that are absent from it are retired

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="datasets"
    )
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=150)
    locale = models.CharField(max_length=10, default="en")
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.UPSERT)
    retire_limit = models.PositiveSmallIntegerField(default=20, db_default=20)
    refuse_limit = models.PositiveSmallIntegerField(null=True, blank=True)
    usual_sheet = models.CharField(max_length=100, blank=True, default="", db_default="", editable=False)
    next_sequence = models.BigIntegerField(default=1, editable=False)
    version = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "slug"], name="dataset_slug_once"),
            models.CheckConstraint(condition=Q(retire_limit__lte=100), name="dataset_retire_limit_percent"),
            models.CheckConstraint(condition=Q(refuse_limit__lte=100), name="dataset_refuse_limit_percent"),
        ]

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


class HeaderAlias(models.Model):
    """A heading of files that a person said is a field; `header` is in the loose form of `texts.loose`.

    The field may be gone from the schema since: such an alias matches nothing.
    """

    id = models.BigAutoField(primary_key=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="aliases", db_index=False)
    header = models.CharField(max_length=200)
    field = models.CharField(max_length=200)
    learnt_by_label = models.CharField(max_length=200, blank=True)
    learnt_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "header"], name="one_field_per_header_alias")
        ]

    def __str__(self) -> str:
        return f"{self.header} = {self.field}"


class Record(models.Model):
    """The current values under one key. `key` is the canonical text of the primaryKey fields, or upload and
    row. `upload` is the one that last changed it; a record that a snapshot retired keeps its values, and
    comes back with the next row under its key.

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
    retired_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "key"], name="one_record_per_key")]

    def __str__(self) -> str:
        return self.key


class RecordVersion(models.Model):
    """A value that was replaced, and the upload that had written it; `retired` when it was out of use."""

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
    retired = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "key", "version"], name="one_earlier_value_per_version"
            )
        ]
        indexes = [
            models.Index(
                fields=["replaced_by", "id"], name="record_version_replaced"
            )  # what an upload changed
        ]

    def __str__(self) -> str:
        return f"{self.key} version {self.version}"
