"""A schema that a person is working on: not a version yet, and nobody else sees it."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from work.identifiers import uuid7


class SchemaDraft(models.Model):
    """For a dataset (`dataset`, with the `base_version` that it began from) or for one to be made.

    `revision` moves with every change, so that two windows do not undo each other's. `findings` are the
    evidence, the assumptions and the first rows of the sample, as `ingestion.schema_drafts` writes them;
    `sample_key` is where its file is kept until the draft is saved, thrown away or forgotten.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="schema_drafts"
    )
    dataset = models.ForeignKey(
        "ingestion.Dataset", null=True, on_delete=models.CASCADE, related_name="schema_drafts"
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="schema_drafts"
    )
    base_version = models.PositiveIntegerField(default=0)
    schema = models.JSONField()
    locale = models.CharField(max_length=10, blank=True)
    findings = models.JSONField(default=dict)
    sample_key = models.CharField(max_length=300, blank=True)
    sample_name = models.CharField(max_length=255, blank=True)
    revision = models.PositiveIntegerField(default=1)
    made_at = models.DateTimeField(db_default=Now(), editable=False)
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "made_by"], name="one_draft_per_person_and_dataset")
        ]

    def __str__(self) -> str:
        return self.sample_name or (self.dataset.slug if self.dataset else "new dataset")
