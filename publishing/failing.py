"""What is left of a publication that failed: a Failure, and exports to be deleted. The row itself goes, so
that it blocks nothing; its id answers `failed` for ever.
"""

from typing import Any

from django.db.models import F

from publishing.models import ExportCleanup, Failure, Publication
from publishing.requesting import label, leave_exports
from work import outbox
from work.models import Attempt

PIPELINE = "publication"
OF_ATTEMPT = (
    "number", "worker", "worker_label", "step", "steps", "outcome", "code", "detail", "traceback",
    "fingerprint", "started_at", "ended_at",
)  # fmt: skip


def keep(publication: Publication, code: str, detail: dict[str, Any]) -> None:
    """First in the transaction that ends the row: the failure with what the row says of itself."""
    Failure.objects.create(
        pk=publication.pk,
        organisation_id=publication.organisation_id,
        entry_id=publication.entry_id,
        version=publication.version,
        trigger=publication.trigger,
        requested_by_id=publication.requested_by_id,
        requested_by_label=publication.requested_by_label,
        accepted_at=publication.accepted_at,
        step=publication.step,
        code=code,
        detail=detail,
        report=publication.report,
        rounds=publication.round,
        correlation_id=publication.correlation_id,
    )
    leave_exports(publication, ExportCleanup.Why.FAILED)
    outbox.record(
        "publication.failed",
        subject=publication,
        kind="publication",
        label=label(publication),
        organisation=publication.organisation_id,
        payload={
            "entry": str(publication.entry_id),
            "version": publication.version,
            "trigger": publication.trigger,
            "code": code,
        },
    )


def remove(publication: Publication) -> None:
    """Last in the same transaction: all attempts have ended now, and the row goes."""
    attempts = Attempt.objects.filter(pipeline=PIPELINE, subject=publication.pk).order_by("number")
    told = [_plain(attempt) for attempt in attempts.values(*OF_ATTEMPT)]
    last = told[-1]["step"] if told else ""
    Failure.objects.filter(pk=publication.pk).update(attempts=told, step=last or F("step"))
    Publication.objects.filter(pk=publication.pk).delete()


def _plain(attempt: dict[str, Any]) -> dict[str, Any]:
    """As JSON takes it."""
    times = {name: attempt[name].isoformat() for name in ("started_at", "ended_at") if attempt[name]}
    return {**attempt, "worker": str(attempt["worker"]), "ended_at": None, **times}
