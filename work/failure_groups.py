"""Failures of one cause together: attempts that share a fingerprint, with first and last seen."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone

from work.models import Attempt

EXAMPLES = 20
LISTED_AT_MOST = 200


@dataclass(frozen=True)
class FailureGroup:
    """`final` of the attempts ended their row; the others were tried again."""

    fingerprint: str
    pipeline: str
    step: str
    code: str
    number: int
    final: int
    subjects: int
    first_seen: dt.datetime
    last_seen: dt.datetime


def groups(
    *, pipeline: str = "", within: dt.timedelta | None = None, order: str = "-last_seen"
) -> list[FailureGroup]:
    """Newest first, or by `order`; at most 200. `within` keeps those that were seen in that time."""
    failed = Attempt.objects.exclude(fingerprint="")
    if pipeline:
        failed = failed.filter(pipeline=pipeline)
    grouped = _grouped(failed)
    if within is not None:
        grouped = grouped.filter(last_seen__gte=timezone.now() - within)
    return [FailureGroup(**row) for row in grouped.order_by(order, "fingerprint")[:LISTED_AT_MOST]]


def find(fingerprint: str) -> FailureGroup | None:
    row = _grouped(Attempt.objects.filter(fingerprint=fingerprint)).first() if fingerprint else None
    return FailureGroup(**row) if row else None


def examples(fingerprint: str) -> QuerySet[Attempt]:
    """The newest attempts of a group."""
    return Attempt.objects.filter(fingerprint=fingerprint).order_by("-started_at")[:EXAMPLES]


def _grouped(failed: QuerySet[Attempt]) -> Any:
    """A fingerprint is made of pipeline, step and code, so grouping by them too splits nothing."""
    return (
        failed.order_by("fingerprint")
        .values("fingerprint", "pipeline", "step", "code")
        .annotate(
            number=Count("pk"),
            final=Count("pk", filter=Q(outcome="failed")),
            subjects=Count("subject", distinct=True),
            first_seen=Min("started_at"),
            last_seen=Max("started_at"),
        )
    )
