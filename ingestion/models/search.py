"""The search index as it stands in the database: what waits for it, its generations, its jobs."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ingestion.models.datasets import Dataset
from ingestion.states import INDEX_UPDATE_TERMINAL, REINDEX_TERMINAL, IndexUpdateState, ReindexState
from work.models import Leased, lease_constraints, lease_indexes


class IndexChange(models.Model):
    """Records that changed and are not yet in the index. Written by triggers on the records, once per
    statement and in its transaction, whoever changes them; deleted once they are applied.
    """

    id = models.BigAutoField(primary_key=True)
    dataset = models.ForeignKey(
        Dataset, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    records = ArrayField(models.BigIntegerField())
    number = models.BigIntegerField()
    noted_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["dataset", "id"], name="index_change_of_dataset")]

    def __str__(self) -> str:
        return f"{self.number} changed records"


class SearchGeneration(models.Model):
    """One index of a dataset, in a table of its own. `fields` is a list of [name, kind]."""

    class State(models.TextChoices):
        FILLING = "filling"
        LIVE = "live"
        OLD = "old"

    id = models.BigAutoField(primary_key=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    state = models.CharField(max_length=7, choices=State)
    fields = models.JSONField(default=list)
    made_at = models.DateTimeField(db_default=Now())
    old_since = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset"], condition=Q(state="live"), name="one_live_generation_per_dataset"
            )
        ]
        indexes = [models.Index(fields=["dataset", "state"], name="generation_of_dataset")]

    def __str__(self) -> str:
        return f"generation {self.pk}"


class ParkedDocument(models.Model):
    """A record that the index refused: it is not found by searching until this is gone."""

    id = models.BigAutoField(primary_key=True)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    record = models.BigIntegerField()
    version = models.BigIntegerField()
    reason = models.CharField(max_length=60)
    since = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "record"], name="parked_once")]

    def __str__(self) -> str:
        return f"record {self.record}: {self.reason}"


class IndexUpdate(Leased):
    """One run that applies what waits of a dataset. Counts are of documents."""

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    state = models.CharField(
        max_length=8, choices=IndexUpdateState, default=IndexUpdateState.WAITING,
        db_default=IndexUpdateState.WAITING,
    )  # fmt: skip
    applied = models.BigIntegerField(default=0, db_default=0, editable=False)
    older = models.BigIntegerField(default=0, db_default=0, editable=False)
    refused = models.BigIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        constraints = [
            *lease_constraints("index_update", terminal=INDEX_UPDATE_TERMINAL),
            models.UniqueConstraint(
                fields=["dataset"], condition=Q(finished_at__isnull=True), name="one_index_update_per_dataset"
            ),
        ]
        indexes = [
            *lease_indexes("index_update"),
            models.Index(fields=["dataset", "-finished_at"], name="index_update_of_dataset"),
            models.Index(fields=["finished_at"], name="index_update_finished"),  # retention
        ]

    def __str__(self) -> str:
        return "update of the search index"


class Reindex(Leased):
    """A rebuild of one dataset's index, or of all of an organisation's (`dataset` is then null).

    `at_dataset`, `generation` and `after_key` say how far it is, so that a worker goes on where another died.
    """

    class Cause(models.TextChoices):
        ASKED = "asked"
        SCHEMA = "schema"  # other fields are to be filtered and sorted by
        REPAIR = "repair"  # the index held what the records do not

    organisation = models.ForeignKey(
        "accounts.Organisation", on_delete=models.PROTECT, related_name="reindexes", db_index=False
    )
    dataset = models.ForeignKey(
        Dataset, null=True, on_delete=models.CASCADE, related_name="reindexes", db_index=False
    )
    state = models.CharField(
        max_length=10, choices=ReindexState, default=ReindexState.REQUESTED,
        db_default=ReindexState.REQUESTED,
    )  # fmt: skip
    cause = models.CharField(max_length=6, choices=Cause, default=Cause.ASKED)
    requested_by_label = models.CharField(max_length=200, blank=True)
    at_dataset = models.UUIDField(null=True, editable=False)
    generation = models.CharField(max_length=60, blank=True, default="", editable=False)
    after_key = models.TextField(null=True, editable=False)  # noqa: DJ001 (null is "from the first")
    datasets_done = models.IntegerField(default=0, db_default=0, editable=False)
    records_done = models.BigIntegerField(default=0, db_default=0, editable=False)
    refused = models.BigIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        constraints = [
            *lease_constraints("reindex", terminal=REINDEX_TERMINAL),
            models.UniqueConstraint(
                fields=["dataset"], condition=Q(finished_at__isnull=True, dataset__isnull=False),
                name="one_reindex_per_dataset",
            ),
            models.UniqueConstraint(
                fields=["organisation"], condition=Q(finished_at__isnull=True, dataset__isnull=True),
                name="one_reindex_per_organisation",
            ),
        ]  # fmt: skip
        indexes = [
            *lease_indexes("reindex"),
            models.Index(fields=["organisation", "-id"], name="reindex_list"),
            models.Index(fields=["dataset", "-id"], name="reindex_of_dataset"),
        ]

    def __str__(self) -> str:
        return "rebuild of the search index"


class IndexComparison(models.Model):
    """What the last nightly comparison of a dataset's records with its index found, and did about it."""

    dataset = models.OneToOneField(Dataset, primary_key=True, on_delete=models.CASCADE, related_name="+")
    compared_at = models.DateTimeField(db_default=Now())
    missing = models.BigIntegerField(default=0)
    stale = models.BigIntegerField(default=0)
    extra = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.missing} missing, {self.stale} stale, {self.extra} extra"

    @property
    def differing(self) -> int:
        return self.missing + self.stale + self.extra
