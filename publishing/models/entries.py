"""What is published: entries of the catalogue, and the services outside that export for some of them."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now, Upper

from work.identifiers import uuid7


class ExternalService(models.Model):
    """A data service of somebody else, by the contract under `docs`; `token` is its bearer token, never
    shown again.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="external_services"
    )
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=150)
    url = models.URLField(max_length=500)
    token = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "slug"], name="external_service_slug_once")
        ]

    def __str__(self) -> str:
        return self.title


class Entry(models.Model):
    """One dataset of the public catalogue. Its data come from a dataset of ours, or from an external service
    under `external_id`.

    `metadata` has the shape of `publishing.metadata`; `edition` moves with every change of it, so that a form
    can tell what somebody else changed meanwhile. `title` is the metadata's, for lists. `last_version` is the
    counter of versions: never reused. `current` is the version that the catalogue shows.
    """

    class Tier(models.TextChoices):
        BASIC = "basic"  # gates of T0; the rest of the report is advice
        HIGH = "high"  # T0, T1 and the code lists that must be used gate

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="entries", db_index=False
    )
    identifier = models.SlugField(max_length=80)
    title = models.CharField(max_length=300)
    metadata = models.JSONField(default=dict)
    edition = models.PositiveIntegerField(default=1, editable=False)
    tier = models.CharField(max_length=5, choices=Tier, default=Tier.BASIC)
    dataset = models.ForeignKey(
        "ingestion.Dataset", null=True, blank=True, on_delete=models.PROTECT, related_name="entries"
    )
    service = models.ForeignKey(
        ExternalService, null=True, blank=True, on_delete=models.PROTECT, related_name="entries"
    )
    external_id = models.CharField(max_length=200, blank=True, default="")
    last_version = models.PositiveIntegerField(default=0, editable=False)
    current = models.ForeignKey(
        "publishing.Publication", null=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "identifier"], name="entry_identifier_once"),
            models.CheckConstraint(
                condition=Q(dataset__isnull=False, service__isnull=True, external_id="")
                | Q(dataset__isnull=True, service__isnull=False) & ~Q(external_id=""),
                name="entry_has_one_source",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "-id"], name="entry_list"),
            GinIndex(OpClass(Upper("title"), name="gin_trgm_ops"), name="entry_title_like"),
        ]

    def __str__(self) -> str:
        return self.title
