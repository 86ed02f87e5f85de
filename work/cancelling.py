"""Withdrawing work: fenced off by taking the lease away, ended by a person with a reason."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from work import decisions
from work.failures import StateChanged
from work.models import Attempt, Outcome
from work.pipelines import Fields, Pipeline


def cancel(
    *,
    pipeline: Pipeline,
    row: Any,
    state: str,
    allowed: Sequence[str],
    by: Any,
    why: str,
    what: str,
    label: str,
    fields: Fields | None = None,
    also: Callable[[], None] | None = None,
) -> None:
    """End an unfinished row. A worker that holds it finds its token gone; what it does later is refused.

    Raises StateChanged with the state found when the row has ended, or is in none of the `allowed` states.
    """
    for old in allowed:
        pipeline.check_move(old, state)
    with transaction.atomic():
        before = pipeline.rows.filter(pk=row.pk).values("state", "lease_token", "step").first()
        moved = (
            pipeline.rows.unfinished()
            .filter(pk=row.pk, state__in=allowed)
            .update(
                state=state, finished_at=Now(), lease_token=None, locked_until=None, locked_by=None,
                due_at=None, asked_at=None, question=None, **(fields or {}),
            )
        )  # fmt: skip
        if not moved:
            found = pipeline.rows.filter(pk=row.pk).values_list("state", flat=True).first()
            raise StateChanged(found)
        Attempt.objects.filter(pipeline=pipeline.name, subject=row.pk, ended_at__isnull=True).update(
            ended_at=Now(), outcome=Outcome.CANCELLED, code="cancelled"
        )
        decisions.record(
            what,
            by=by,
            kind=pipeline.name,
            subject=row,
            label=label,
            organisation=getattr(row, "organisation_id", None),
            why=why,
            shown={"state": before["state"], "step": before["step"]} if before else {},
        )
        if also is not None:
            also()
