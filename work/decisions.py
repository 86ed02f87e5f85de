"""What a person decided, written beside the change it made: who, what, why, and what they were shown."""

from collections.abc import Mapping
from typing import Any

from work import correlation, outbox
from work.models import Decision


def record(
    what: str,
    *,
    by: Any,
    kind: str,
    subject: Any = "",
    label: str = "",
    organisation: Any = None,
    why: str = "",
    rule: Mapping[str, Any] | None = None,
    shown: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> Decision:
    """Write the decision and its event in the caller's transaction. `by` is a user, principal or label."""
    decision = Decision.objects.create(
        what=what,
        by=person(by),
        by_label=str(by)[:200],
        organisation_id=getattr(organisation, "pk", organisation),
        subject_kind=kind,
        subject_id=str(getattr(subject, "pk", subject)),
        subject_label=label[:200],
        why=why,
        rule=dict(rule or {}),
        shown=dict(shown or {}),
        before=dict(before or {}),
        after=dict(after or {}),
        correlation_id=correlation.current(),
    )
    outbox.record(
        what,
        subject=decision.subject_id,
        kind=kind,
        label=label,
        organisation=organisation,
        by=by,
        payload={
            "decision": str(decision.pk),
            "why": why,
            "before": decision.before,
            "after": decision.after,
        },
    )
    return decision


def person(by: Any) -> Any:
    """The user behind a user or a principal; None for a label of the system."""
    return by if hasattr(by, "is_authenticated") else getattr(by, "user", None)
