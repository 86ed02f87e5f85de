"""Uploads, what was wrong with their rows, and the reports made of it."""

from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now, Upper

from ingestion.checking.faults import told
from ingestion.models.datasets import Dataset
from ingestion.states import REPORT_TERMINAL, TERMINAL, ReportState, UploadState
from work.models import Leased, lease_constraints, lease_indexes

STORED = (UploadState.PROCESSED, UploadState.PARTIAL)


class Upload(Leased):
    """One accepted file and its verdict. `run` is the lease token of the attempt that gave the verdict.

    `precedence` orders uploads where their keys meet: an upload's own `sequence`, or that of the upload
    whose file it reads again. `reading` is how its sender or a person's answer wants the file read, `asking`
    what a person is asked while it needs an answer; their shapes stand in `ingestion.asking`.
    `mends` is the upload whose refused rows it brings mended, `story` the first of such a chain, `mended` how
    many refused rows of that first one it has brought.
    `places` gives for each field that was found the place of its column from 0, and None where a person said
    that the file does not have it. A `dry_run` has a verdict, of which nothing is stored.
    """

    class OnDoubt(models.TextChoices):
        ASK = "ask"  # the upload waits for an answer
        FAIL = "fail"  # the upload fails, and says what was asked

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="uploads", db_index=False
    )
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="uploads", db_index=False)
    sequence = models.BigIntegerField(editable=False)
    precedence = models.BigIntegerField(editable=False)
    state = models.CharField(
        max_length=12, choices=UploadState, default=UploadState.ACCEPTED, db_default=UploadState.ACCEPTED
    )
    filename = models.CharField(max_length=255)
    storage_key = models.CharField(max_length=200, editable=False)
    sha256 = models.CharField(max_length=64, editable=False)
    size = models.BigIntegerField(editable=False)
    kind = models.CharField(max_length=10, editable=False)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    uploaded_by_label = models.CharField(max_length=200, editable=False)
    repeats = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="repeated_by")
    dry_run = models.BooleanField(default=False, db_default=False, editable=False)
    on_doubt = models.CharField(max_length=4, choices=OnDoubt, default=OnDoubt.ASK, db_default=OnDoubt.ASK)
    reading = models.JSONField(default=dict, db_default={}, editable=False)
    asking = models.JSONField(null=True, editable=False)
    answered_by_label = models.CharField(
        max_length=200, blank=True, default="", db_default="", editable=False
    )
    mends = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="mended_by")
    story = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="chapters")
    reprocesses = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="reprocessed_by"
    )

    run = models.UUIDField(null=True, editable=False)
    schema_version = models.PositiveIntegerField(null=True, editable=False)
    parser_version = models.CharField(max_length=20, blank=True, default="", editable=False)
    assumptions = models.JSONField(default=list, editable=False)
    headers = models.JSONField(default=list, db_default=[], editable=False)  # as they stand in the file
    places = models.JSONField(default=dict, db_default={}, editable=False)
    timings = models.JSONField(default=dict, editable=False)
    rows_read = models.BigIntegerField(default=0, db_default=0, editable=False)
    valid = models.BigIntegerField(default=0, db_default=0, editable=False)
    refused = models.BigIntegerField(default=0, db_default=0, editable=False)
    blank = models.BigIntegerField(default=0, db_default=0, editable=False)
    inserted = models.BigIntegerField(default=0, db_default=0, editable=False)
    updated = models.BigIntegerField(default=0, db_default=0, editable=False)
    unchanged = models.BigIntegerField(default=0, db_default=0, editable=False)
    superseded = models.BigIntegerField(default=0, db_default=0, editable=False)
    retired = models.BigIntegerField(default=0, db_default=0, editable=False)
    error_count = models.BigIntegerField(default=0, db_default=0, editable=False)
    mended = models.BigIntegerField(default=0, db_default=0, editable=False)
    cancelled_by_label = models.CharField(max_length=200, blank=True, default="", editable=False)
    cancel_reason = models.TextField(blank=True, default="", editable=False)

    class Meta:
        constraints = [
            *lease_constraints("upload", terminal=TERMINAL),
            models.UniqueConstraint(fields=["dataset", "sequence"], name="upload_sequence_once"),
            models.UniqueConstraint(
                fields=["reprocesses", "dry_run"],
                condition=Q(finished_at__isnull=True, reprocesses__isnull=False),
                name="one_unfinished_reprocess",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=STORED) | Q(rows_read=F("valid") + F("refused") + F("blank")),
                name="upload_rows_add_up",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=STORED)
                | Q(valid=F("inserted") + F("updated") + F("unchanged") + F("superseded")),
                name="upload_valid_rows_add_up",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=STORED) | Q(run__isnull=False), name="upload_verdict_names_its_run"
            ),
        ]
        indexes = [
            *lease_indexes("upload"),
            models.Index(fields=["organisation", "-id"], name="upload_list"),  # the uploads page of a tenant
            # Filter by dataset; with the organisation, so that counting them reads no row.
            models.Index(fields=["dataset", "-id"], include=["organisation"], name="upload_list_of_dataset"),
            models.Index(fields=["organisation", "sha256"], name="upload_bytes"),  # repeats
            # the list by state, of one tenant and of all, however rare the state is
            models.Index(fields=["organisation", "state", "-id"], name="upload_state_of_tenant"),
            models.Index(fields=["state", "-id"], name="upload_state"),
            # find, and the list by what people type
            GinIndex(OpClass(Upper("filename"), name="gin_trgm_ops"), name="upload_name_like"),
            GinIndex(OpClass(Upper("uploaded_by_label"), name="gin_trgm_ops"), name="upload_sender_like"),
            models.Index(OpClass("sha256", name="varchar_pattern_ops"), name="upload_sha256_begins"),
            models.Index(fields=["correlation_id"], name="upload_correlation"),
            models.Index(
                fields=["dataset", "-precedence", "-sequence"], name="upload_newest"
            ),  # the last word of each
        ]

    def __str__(self) -> str:
        return self.filename

    @property
    def stored(self) -> int:
        """Rows of the file whose values the dataset holds."""
        return self.inserted + self.updated + self.unchanged


class UploadKeys(models.Model):
    """The sorted 8-byte hashes of every readable key of a stored upload, refused rows included.

    An older upload merged later leaves out every key found here, in the lists of newer ones.
    """

    upload = models.OneToOneField(Upload, primary_key=True, on_delete=models.CASCADE, related_name="keys")
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+")
    precedence = models.BigIntegerField()
    hashes = ArrayField(models.BigIntegerField())

    class Meta:
        indexes = [
            models.Index(fields=["dataset", "precedence"], name="upload_keys_newer")
        ]  # lists of newer uploads

    def __str__(self) -> str:
        return f"keys of upload {self.upload_id}"


class RowError(models.Model):
    """One spreadsheet row that was refused: `faults` is a list of {column, header, code, value, detail},
    `errors` what people are told of them, `key` the key of its record where that could be read. In an upload
    that mends, `origin` is the row's number in the first file of the story; `mended_by` is the upload that
    has brought it since; `left_out` the decision by which it shall never be stored.
    """

    id = models.BigAutoField(primary_key=True)
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="row_errors")
    run = models.UUIDField()
    sheet = models.CharField(max_length=100)
    row = models.IntegerField()
    faults = models.JSONField(db_column="errors")
    cells = models.JSONField(default=list)
    key = models.TextField(blank=True, default="", db_default="")
    origin = models.IntegerField(null=True)
    mended_by = models.ForeignKey(
        Upload, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    left_out = models.UUIDField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["upload", "run", "row"], name="one_report_line_per_row")
        ]
        indexes = [
            # counted for every story; nearly all rows are none
            models.Index(fields=["upload", "run"], name="rows_left_out", condition=Q(left_out__isnull=False))
        ]

    def __str__(self) -> str:
        return f"row {self.row}"

    @property
    def errors(self) -> list[dict[str, Any]]:
        """{column, header, cell, value, code, message, remedy} each, in the order of the row."""
        return [told(fault, self.row) for fault in self.faults]


class ErrorCount(models.Model):
    """Exact counts per rule and column of one run. `found_in` are the blocks of rows where it occurs, by row
    number divided by `checking.faults.BLOCK_ROWS`.
    """

    id = models.BigAutoField(primary_key=True)
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="error_counts")
    run = models.UUIDField()
    code = models.CharField(max_length=60)
    column = models.CharField(max_length=10, blank=True)
    header = models.CharField(max_length=200, blank=True)
    rows = models.BigIntegerField()
    found_in = ArrayField(models.IntegerField(), default=list, db_default=[])
    example = models.CharField(max_length=200, blank=True)
    message = models.TextField()
    remedy = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["upload", "run", "code", "column"], name="one_count_per_rule_and_column"
            )
        ]

    def __str__(self) -> str:
        return f"{self.code} in column {self.column}"


class Report(Leased):
    """A download built by a worker on first demand."""

    class Kind(models.TextChoices):
        XLSX = "xlsx"  # the refused rows, annotated
        MEND = "mend"  # the refused rows that are still open, to be mended and sent again
        WHOLE = "whole"  # the whole sheet, annotated
        CSV = "csv"
        JSON = "json"

    organisation = models.ForeignKey("accounts.Organisation", on_delete=models.PROTECT, related_name="+")
    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=5, choices=Kind)
    state = models.CharField(
        max_length=10, choices=ReportState, default=ReportState.REQUESTED, db_default=ReportState.REQUESTED
    )
    storage_key = models.CharField(max_length=200, blank=True, default="", editable=False)
    size = models.BigIntegerField(null=True, editable=False)
    sha256 = models.CharField(max_length=64, blank=True, default="", editable=False)
    swept_at = models.DateTimeField(null=True, editable=False)
    requested_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            *lease_constraints("report", terminal=REPORT_TERMINAL),
            models.UniqueConstraint(
                fields=["upload", "kind"],
                condition=~Q(state=ReportState.FAILED) & Q(swept_at__isnull=True),
                name="one_live_report_per_kind",
            ),
        ]
        indexes = lease_indexes("report")

    def __str__(self) -> str:
        return f"{self.kind} report of upload {self.upload_id}"
