"""What the triple store must hold of each entry, and who writes it now."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from publishing.models.entries import Entry


class CatalogueWrite(models.Model):
    """One row per entry that ever reached the store: writers exclude each other by it.

    `holder` is a token with an end, like a lease; `number` is the write number given last, which the store
    keeps in the entry's graph. `wanted` are the sorted N-Triples that the graph must hold (empty: the entry
    has left the catalogue), `wanted_sha256` their hash. `look_at` is when the store is looked at again: set
    before a write is sent, cleared by the commit that follows its confirmation. `looks` counts looks since.
    """

    entry = models.OneToOneField(
        Entry, primary_key=True, on_delete=models.PROTECT, related_name="catalogue_write"
    )
    number = models.BigIntegerField(default=0, db_default=0)
    holder = models.UUIDField(null=True)
    held_until = models.DateTimeField(null=True)
    wanted = models.BinaryField(default=b"", db_default=b"")
    wanted_sha256 = models.CharField(max_length=64, blank=True, default="", db_default="")
    wanted_at = models.DateTimeField(db_default=Now())
    written_number = models.BigIntegerField(null=True)
    look_at = models.DateTimeField(null=True)
    looks = models.PositiveSmallIntegerField(default=0, db_default=0)
    last_code = models.CharField(max_length=60, blank=True, default="", db_default="")
    compared_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(holder__isnull=True, held_until__isnull=True)
                | Q(holder__isnull=False, held_until__isnull=False),
                name="catalogue_write_hold_has_an_end",
            ),
            models.CheckConstraint(
                condition=Q(holder__isnull=True) | Q(look_at__isnull=False),
                name="a_held_write_is_looked_at_again",
            ),
        ]
        indexes = [
            models.Index(fields=["look_at"], name="catalogue_write_look", condition=Q(look_at__isnull=False))
        ]

    def __str__(self) -> str:
        return f"write {self.number}"
