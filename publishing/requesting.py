"""Asking for a publication of an entry, and withdrawing one before it is published.

One publication of an entry is active at a time: whoever asks meanwhile, by button, schedule or program, is
given that one.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from publishing.kill_points import REQUEST_MADE
from publishing.models import Entry, ExportCleanup, Failure, Publication
from publishing.models.publications import Trigger
from publishing.states import PUBLICATION_ACTIVE, PublicationState
from work import cancelling, correlation, crash, decisions, doorbell, idempotency, outbox, pipelines

LOOKS = 10  # each needs a publication to end and another to begin between two statements


@dataclass(frozen=True)
class Requested:
    """`already_in_progress` when it was there before this request. A Failure is what is left of a publication
    that an earlier request under the same key made.
    """

    publication: Publication | Failure
    already_in_progress: bool


def request(
    *, entry: Entry, by: Any, trigger: Trigger, idempotency_key: str = "", version_notes: str = ""
) -> Requested:
    """Make the next version of the entry due, or find the active one. `by` is a principal, or the label of
    the schedule. Raises Problem 422 `idempotency_key_reused`.
    """
    made: list[bool] = []

    def make() -> uuid.UUID:
        publication, is_new = request_in_transaction(entry.pk, by, trigger, version_notes)
        made.append(is_new)
        return publication

    found, already = idempotency.once(
        organisation=entry.organisation,
        actor=f"{getattr(by, 'actor', by)} publishes",
        key=idempotency_key,
        fingerprint=idempotency.fingerprint(entry.pk, version_notes),
        make=make,
    )
    publication = Publication.objects.select_related("entry", "organisation").filter(pk=found).first()
    if publication is not None:
        return Requested(publication, already or not made[0])
    if already:
        return Requested(Failure.objects.select_related("entry", "organisation").get(pk=found), True)
    # the winner of the race failed between the two statements: who asks now asks for another
    return request(entry=entry, by=by, trigger=trigger, version_notes=version_notes)


def request_in_transaction(
    entry: uuid.UUID, by: Any, trigger: Trigger, version_notes: str = ""
) -> tuple[uuid.UUID, bool]:
    """In a transaction of the caller, who may write more in it: the id, and whether it is new.

    The entry's lock makes requests take turns; the index is the net below it, inside a savepoint, since a
    violation outside one would end the caller's transaction.
    """
    locked = Entry.objects.select_for_update(no_key=True).get(pk=entry)
    for _ in range(LOOKS):
        active = Publication.objects.filter(entry=locked, finished_at__isnull=True)
        if (running := active.values_list("pk", flat=True).first()) is not None:
            return running, False
        try:
            with transaction.atomic():
                publication = _insert(locked, by, trigger, version_notes)
        except IntegrityError as error:
            if "one_active_publication" not in str(error):
                raise
            continue
        _tell(publication, by)
        crash.point(REQUEST_MADE)
        doorbell.ring()
        return publication.pk, True
    raise RuntimeError(f"no active publication of entry {entry} could be found or made")


def cancel(*, publication: Publication, by: Any, why: str = "") -> None:
    """Withdraw a publication that is not published yet; its exports are left to be deleted.

    Raises StateChanged with the state found.
    """
    cancelling.cancel(
        pipeline=pipelines.get("publication"),
        row=publication,
        state=PublicationState.CANCELLED,
        allowed=PUBLICATION_ACTIVE,
        by=by,
        why=why,
        what="publication.cancelled",
        label=label(publication),
        fields={"cancelled_by_label": str(by)[:200], "cancel_reason": why},
        also=lambda: leave_exports(publication, ExportCleanup.Why.CANCELLED),
    )


def leave_exports(publication: Publication, why: ExportCleanup.Why) -> None:
    """In the caller's transaction: the exports of all its rounds are left to be deleted by their service."""
    rounds = Publication.objects.values_list("round", flat=True).get(pk=publication.pk)
    for number in range(1, rounds + 1):
        leave_export(publication, number, why)


def leave_export(publication: Publication, number: int, why: ExportCleanup.Why) -> None:
    ExportCleanup.objects.get_or_create(
        export_key=export_key(publication.pk, number),
        defaults={
            "organisation_id": publication.organisation_id,
            "entry_id": publication.entry_id,
            "publication": publication.pk,
            "service_id": publication.entry.service_id,
            "why": why,
        },
    )


def export_key(publication: uuid.UUID, number: int) -> str:
    """Of one round of a publication: the same whoever asks, and whenever."""
    return f"{publication}-{number}"


def label(publication: Publication) -> str:
    return f"{publication.entry.title}, version {publication.version}"


def _insert(entry: Entry, by: Any, trigger: Trigger, version_notes: str) -> Publication:
    entry.last_version += 1
    entry.save(update_fields=["last_version"])
    return Publication.objects.create(
        organisation_id=entry.organisation_id,
        entry=entry,
        version=entry.last_version,
        trigger=trigger,
        requested_by=decisions.person(by),
        requested_by_label=str(by)[:200],
        version_notes=version_notes,
        correlation_id=correlation.current(),
    )


def _tell(publication: Publication, by: Any) -> None:
    outbox.record(
        "publication.requested",
        subject=publication,
        kind="publication",
        label=label(publication),
        organisation=publication.organisation_id,
        by=by,
        payload={
            "entry": str(publication.entry_id),
            "version": publication.version,
            "trigger": publication.trigger,
        },
    )
