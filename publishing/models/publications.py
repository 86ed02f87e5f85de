"""Publications of an entry, their files, what is left of those that failed, and their removals."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from publishing.models.entries import Entry
from publishing.states import (
    PUBLICATION_TERMINAL,
    REMOVAL_TERMINAL,
    PublicationState,
    RemovalState,
)
from work.identifiers import uuid7
from work.models import Leased, lease_constraints, lease_indexes


class Trigger(models.TextChoices):
    MANUAL = "manual"
    SCHEDULE = "schedule"
    API = "api"


class Publication(Leased):
    """One version of an entry on its way to the catalogue, and for ever after.

    `round` numbers the exports asked for: the export key is publication id and round. `metadata` is the
    entry's as it was rendered, at its `edition`; `turtle` and `triples` (sorted N-Triples) are the entry's
    graph as it stood when this version was published; `graph_sha256` is of the triples. `report` and `score`
    have the shapes of `publishing.validation` and `publishing.scoring`. `removed_at` is when a removal took
    its files.
    """

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="publications", db_index=False
    )
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="publications", db_index=False)
    version = models.PositiveIntegerField(editable=False)
    trigger = models.CharField(max_length=8, choices=Trigger)
    state = models.CharField(
        max_length=12,
        choices=PublicationState,
        default=PublicationState.REQUESTED,
        db_default=PublicationState.REQUESTED,
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_by_label = models.CharField(max_length=200, editable=False)
    round = models.PositiveIntegerField(default=1, db_default=1, editable=False)
    edition = models.PositiveIntegerField(null=True, editable=False)
    metadata = models.JSONField(null=True, editable=False)
    dataset_version = models.BigIntegerField(null=True, editable=False)
    version_notes = models.TextField(blank=True, default="", db_default="")
    turtle = models.BinaryField(null=True, editable=False)
    triples = models.BinaryField(null=True, editable=False)
    graph_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    report = models.JSONField(default=dict, db_default={}, editable=False)
    score = models.JSONField(default=dict, db_default={}, editable=False)
    published_at = models.DateTimeField(null=True, editable=False)
    removed_at = models.DateTimeField(null=True, editable=False)
    cancelled_by_label = models.CharField(
        max_length=200, blank=True, default="", db_default="", editable=False
    )
    cancel_reason = models.TextField(blank=True, default="", db_default="", editable=False)

    class Meta:
        constraints = [
            *lease_constraints("publication", terminal=PUBLICATION_TERMINAL),
            models.UniqueConstraint(
                fields=["entry"], condition=Q(finished_at__isnull=True), name="one_active_publication"
            ),
            models.UniqueConstraint(fields=["entry", "version"], name="publication_version_once"),
            models.CheckConstraint(
                condition=~Q(state=PublicationState.PUBLISHED)
                | Q(published_at__isnull=False, turtle__isnull=False, triples__isnull=False),
                name="published_has_its_graph",
            ),
            models.CheckConstraint(
                condition=Q(removed_at__isnull=True) | Q(state=PublicationState.PUBLISHED),
                name="only_the_published_is_removed",
            ),
        ]
        indexes = [
            *lease_indexes("publication"),
            models.Index(fields=["organisation", "-id"], name="publication_list"),
            models.Index(fields=["organisation", "state", "-id"], name="publication_state_of_tenant"),
            models.Index(fields=["state", "-id"], name="publication_state"),
            models.Index(fields=["correlation_id"], name="publication_correlation"),
        ]

    def __str__(self) -> str:
        return f"version {self.version}"


class Distribution(models.Model):
    """One file of a publication: visible to nobody before its publication is published.

    `format` is a key of `publishing.formats.FORMATS`; `size` in bytes.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="distributions")
    format = models.CharField(max_length=10)
    media_type = models.CharField(max_length=100)
    filename = models.CharField(max_length=200)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    records = models.BigIntegerField()
    storage_key = models.CharField(max_length=200)
    round = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["publication", "format"], name="one_distribution_per_format")
        ]

    def __str__(self) -> str:
        return self.filename


class Failure(models.Model):
    """What is left of a publication that failed: its id answers `failed` for ever. `attempts` as the row of
    each said: number, worker, step, outcome, code, traceback, started_at, ended_at.
    """

    id = models.UUIDField(primary_key=True, editable=False)  # the publication's
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="failures", db_index=False
    )
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="failures", db_index=False)
    version = models.PositiveIntegerField()
    trigger = models.CharField(max_length=8, choices=Trigger)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_by_label = models.CharField(max_length=200)
    accepted_at = models.DateTimeField()
    failed_at = models.DateTimeField(db_default=Now())
    step = models.CharField(max_length=40, blank=True)
    code = models.CharField(max_length=60)
    detail = models.JSONField(default=dict)
    report = models.JSONField(default=dict)
    attempts = models.JSONField(default=list)
    rounds = models.PositiveIntegerField()
    correlation_id = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entry", "version"], name="failure_version_once")]
        indexes = [
            models.Index(fields=["organisation", "-id"], name="failure_list"),
            models.Index(fields=["entry", "-id"], name="failure_of_entry"),
            models.Index(fields=["code", "-id"], name="failure_code"),
            models.Index(fields=["correlation_id"], name="failure_correlation"),
        ]

    def __str__(self) -> str:
        return f"version {self.version}"


class Removal(Leased):
    """Takes a published version away: its files, its exports, and its part of the catalogue."""

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="removals", db_index=False
    )
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="removals", db_index=False)
    publication = models.ForeignKey(Publication, on_delete=models.PROTECT, related_name="removals")
    version = models.PositiveIntegerField()
    state = models.CharField(
        max_length=10,
        choices=RemovalState,
        default=RemovalState.REQUESTED,
        db_default=RemovalState.REQUESTED,
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    requested_by_label = models.CharField(max_length=200)
    why = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            *lease_constraints("removal", terminal=REMOVAL_TERMINAL),
            models.UniqueConstraint(
                fields=["publication"],
                condition=~Q(state=RemovalState.FAILED),
                name="one_removal_per_version",
            ),
        ]
        indexes = [
            *lease_indexes("removal"),
            models.Index(fields=["entry", "-id"], name="removal_of_entry"),
        ]

    def __str__(self) -> str:
        return f"removal of version {self.version}"
