"""The abstract leased row and the constraints that hold the second law on every table made of it."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.db.models.lookups import Exact

from work.identifiers import uuid7

LEASE_COLUMNS = frozenset({
    "lease_token", "locked_until", "locked_by", "heartbeat_at", "due_at", "asked_at", "question",
    "finished_at", "step", "progress_done", "progress_total", "progress_unit", "starts", "unanswered",
    "postponed", "started_at", "state",
})  # fmt: skip
MAX_UNANSWERED = 3


SECOND_LAW = ("lease_token", "due_at", "asked_at", "finished_at")


class NumNonNulls(models.Func):
    function = "num_nonnulls"
    output_field = models.IntegerField()


class LeasedQuerySet(models.QuerySet[Any]):
    def waiting(self) -> "LeasedQuerySet":
        return self.filter(due_at__isnull=False)

    def running(self) -> "LeasedQuerySet":
        return self.filter(lease_token__isnull=False)

    def asking(self) -> "LeasedQuerySet":
        return self.filter(asked_at__isnull=False)

    def finished(self) -> "LeasedQuerySet":
        return self.filter(finished_at__isnull=False)

    def unfinished(self) -> "LeasedQuerySet":
        return self.filter(finished_at__isnull=True)

    def expired(self) -> "LeasedQuerySet":
        return self.filter(lease_token__isnull=False, locked_until__lt=Now())


class Leased(models.Model):
    """A row that workers claim. Exactly one of: under a lease, due, asking a person, finished.

    Lease columns are written only by `work.leases`, `work.recovery` and guarded UPDATEs; `save()` refuses
    them, so that a form opened before a claim and saved after it cannot put an old lease back.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    lease_token = models.UUIDField(null=True, editable=False)
    locked_until = models.DateTimeField(null=True, editable=False)
    locked_by = models.UUIDField(null=True, editable=False)
    heartbeat_at = models.DateTimeField(null=True, editable=False)
    due_at = models.DateTimeField(null=True, editable=False, db_default=Now())
    asked_at = models.DateTimeField(null=True, editable=False)
    question = models.CharField(max_length=60, null=True, editable=False)  # noqa: DJ001 (null is "asks nothing")
    finished_at = models.DateTimeField(null=True, editable=False)
    step = models.CharField(max_length=40, blank=True, default="", db_default="", editable=False)
    progress_done = models.BigIntegerField(default=0, db_default=0, editable=False)
    progress_total = models.BigIntegerField(null=True, editable=False)
    progress_unit = models.CharField(max_length=20, blank=True, default="", db_default="", editable=False)
    starts = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    unanswered = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    postponed = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    accepted_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, editable=False)
    correlation_id = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)
    failure_code = models.CharField(max_length=60, blank=True, default="", db_default="", editable=False)
    failure_detail = models.JSONField(default=dict, db_default={}, editable=False)

    FAIR: ClassVar[bool] = True
    """Whether claims take turns between organisations (the table then has a non-null `organisation`)."""

    objects = LeasedQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        if not self._state.adding:
            if update_fields is None:
                raise ValueError("a leased row is saved with update_fields only")
            taken = LEASE_COLUMNS.intersection(update_fields)
            if taken:
                raise ValueError(f"lease columns are written by work.leases only: {sorted(taken)}")
        super().save(*args, update_fields=update_fields, **kwargs)


def lease_constraints(table: str, *, terminal: Iterable[str]) -> list[models.CheckConstraint]:
    """The CHECKs of every leased table; `table` prefixes their names, `terminal` are its finished states."""
    return [
        models.CheckConstraint(
            name=f"{table}_is_leased_due_asking_or_finished", condition=Exact(NumNonNulls(*SECOND_LAW), 1)
        ),
        models.CheckConstraint(
            name=f"{table}_lease_has_an_end",
            condition=Q(lease_token__isnull=True, locked_until__isnull=True)
            | Q(lease_token__isnull=False, locked_until__isnull=False),
        ),
        models.CheckConstraint(
            name=f"{table}_finished_at_iff_terminal",
            condition=Q(finished_at__isnull=False, state__in=sorted(terminal))
            | Q(finished_at__isnull=True) & ~Q(state__in=sorted(terminal)),
        ),
        models.CheckConstraint(
            name=f"{table}_question_iff_asking",
            condition=Q(asked_at__isnull=True, question__isnull=True)
            | Q(asked_at__isnull=False, question__isnull=False),
        ),
        models.CheckConstraint(
            name=f"{table}_unanswered_is_bounded",
            condition=Q(unanswered__range=(0, MAX_UNANSWERED), unanswered__lte=F("starts")),
        ),
    ]


def lease_indexes(table: str, *, fair: bool = True) -> list[models.Index]:
    """No index names `locked_until` or progress: renewals then stay heap-only updates (HOT)."""
    waiting, running = Q(due_at__isnull=False), Q(lease_token__isnull=False)
    # what needs a person, oldest first
    asking = models.Index(fields=["asked_at"], name=f"{table}_asking", condition=Q(asked_at__isnull=False))
    if not fair:
        return [
            models.Index(
                fields=["due_at", "id"], name=f"{table}_waiting", condition=waiting
            ),  # the claim, recovery
            models.Index(fields=["id"], name=f"{table}_running", condition=running),  # the cap, recovery
            asking,
        ]
    return [
        # the claim: the next due row of one organisation, and the walk over organisations that wait
        models.Index(fields=["organisation", "due_at", "id"], name=f"{table}_waiting", condition=waiting),
        # the claim: how many of an organisation run now; recovery: what is leased
        models.Index(fields=["organisation"], name=f"{table}_running", condition=running),
        # the claim: when an organisation was served last
        models.Index(
            F("organisation"), F("started_at").desc(), name=f"{table}_served",
            condition=Q(started_at__isnull=False),
        ),
        asking,
    ]  # fmt: skip
