"""Reading a kept file again, by today's schema and parser: a new upload, linked to the one it repeats.

It takes the place of the original in the order of the dataset, so that it replaces what the original stored
and never what a newer file did. Both verdicts stay.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from ingestion import uploads
from ingestion.kill_points import REPROCESS_MADE
from ingestion.models import HeaderAlias, SchemaVersion, Upload
from ingestion.reading.reader import PARSER_VERSION
from ingestion.states import UploadState
from work import correlation, crash, decisions, doorbell, idempotency, outbox
from work.models import Decision
from work.problems import Problem

WITH_A_VERDICT = (UploadState.PROCESSED, UploadState.PARTIAL, UploadState.FAILED)
ASKED = "upload.reprocess_asked"


@dataclass(frozen=True)
class Reprocessed:
    """`already` when this request, or somebody a moment earlier, had made it."""

    upload: Upload
    already: bool


def reprocess(
    *, upload: Upload, by: Any, why: str = "", dry_run: bool = False, idempotency_key: str = ""
) -> Reprocessed:
    """Make a new upload of the same file due. Safe to repeat under one key.

    `by` is a principal, a user, or the shell. At most one reading of each file again, and one trial of it,
    is unfinished: who comes second is given the first. A file that was only tried has stored nothing whose
    place could be taken: it is stored as one that is sent now. Raises Problem: 409 `not_reprocessable` with
    the state, 422 `idempotency_key_reused`.
    """
    if upload.dry_run and upload.reprocesses_id is None and not dry_run and upload.state in WITH_A_VERDICT:
        stored = uploads.store(tried=upload, by=by)
        return Reprocessed(stored.upload, stored.already_accepted)
    made: list[bool] = []

    def make() -> uuid.UUID:
        again, is_new = _make(upload, by, why, dry_run)
        made.append(is_new)
        return again

    again, already = idempotency.once(
        organisation=upload.organisation,
        actor=f"{getattr(by, 'actor', by)} reprocess",
        key=idempotency_key,
        fingerprint=idempotency.fingerprint(upload.pk, dry_run),
        make=make,
    )
    found = Upload.objects.select_related("dataset", "organisation").get(pk=again)
    return Reprocessed(found, already or not made[0])


def first_of(upload: Upload) -> uuid.UUID:
    """The upload that all readings of its file again are linked to."""
    return upload.reprocesses_id or upload.pk


def readings_of(upload: Upload) -> QuerySet[Upload]:
    """The other readings of its file that belong together, the newest first; the first one is among them."""
    first = first_of(upload)
    linked = Upload.objects.filter(pk=first) | Upload.objects.filter(reprocesses=first)
    return linked.exclude(pk=upload.pk).order_by("-sequence")


def latest_of(originals: Iterable[uuid.UUID]) -> dict[uuid.UUID, Upload]:
    """The newest reading again of each that has one, trials left out: for lists, in one query."""
    again = Upload.objects.filter(reprocesses__in=list(originals), dry_run=False).order_by("sequence")
    return {each.reprocesses_id: each for each in again if each.reprocesses_id}


def asked_by(upload: Upload) -> Decision | None:
    """Who had it read again, and why."""
    if upload.reprocesses_id is None:
        return None
    return Decision.objects.filter(what=ASKED, subject_kind="upload", subject_id=str(upload.pk)).first()


@dataclass(frozen=True)
class Since:
    """What judges rows now, beside what the verdict was given by; None and "" where there was no verdict."""

    schema_before: int | None
    schema_now: int
    parser_before: str
    parser_now: str
    aliases: int

    @property
    def has_changed(self) -> bool:
        return (self.schema_before, self.parser_before) != (self.schema_now, self.parser_now) or bool(
            self.aliases
        )

    @property
    def sentence(self) -> str:
        if self.schema_before is None:
            return f"It was never read to its end. Today it is read by schema version {self.schema_now}."
        said = []
        if self.schema_before != self.schema_now:
            said.append(f"the schema went from version {self.schema_before} to {self.schema_now}")
        if self.parser_before != self.parser_now:
            said.append(f"the reader of files went from version {self.parser_before} to {self.parser_now}")
        if self.aliases:
            headings = "heading was" if self.aliases == 1 else "headings were"
            said.append(f"{self.aliases} {headings} learnt")
        if not said:
            return (
                f"Nothing that judges its rows has changed: schema version {self.schema_now} and version "
                f"{self.parser_now} of the reader would give the same verdict."
            )
        return f"Since its verdict {', '.join(said)}."


def since_verdict(upload: Upload) -> Since:
    current = SchemaVersion.objects.filter(dataset=upload.dataset_id).latest("number").number
    learnt = HeaderAlias.objects.filter(dataset=upload.dataset_id)
    aliases = learnt.filter(learnt_at__gt=upload.finished_at).count() if upload.finished_at else 0
    return Since(upload.schema_version, current, upload.parser_version, PARSER_VERSION, aliases)


def _make(upload: Upload, by: Any, why: str, dry_run: bool) -> tuple[uuid.UUID, bool]:
    """In a transaction of the caller; the constraint decides a race, and the loser takes the winner's."""
    _refuse_unfit(upload)
    first = first_of(upload)
    unfinished = Upload.objects.filter(reprocesses=first, dry_run=dry_run, finished_at__isnull=True)
    while (running := unfinished.values_list("pk", flat=True).first()) is None:
        try:
            with transaction.atomic():
                again = _insert(upload, first, dry_run)
        except IntegrityError as error:
            if "one_unfinished_reprocess" not in str(error):
                raise
            continue
        _tell(again, upload, by, why)
        crash.point(REPROCESS_MADE)
        doorbell.ring()
        return again.pk, True
    return running, False


def _refuse_unfit(upload: Upload) -> None:
    state = Upload.objects.values_list("state", flat=True).get(pk=upload.pk)
    if state in WITH_A_VERDICT:
        return
    withdrawn = state == UploadState.CANCELLED
    raise Problem(
        409,
        "not_reprocessable",
        "The upload was withdrawn before its verdict."
        if withdrawn
        else f"The upload is {state.replace('_', ' ')}: it has no verdict yet that could be given again.",
        "Send the file again." if withdrawn else "Wait for its verdict.",
        state=state,
    )


def _insert(upload: Upload, first: uuid.UUID, dry_run: bool) -> Upload:
    """Everything that says what the file is and how it is to be read comes along; its owner stays its own."""
    with connection.cursor() as cursor:
        cursor.execute(uploads.NEXT_SEQUENCE, [upload.dataset_id])
        (sequence,) = cursor.fetchone()
    return Upload.objects.create(
        organisation_id=upload.organisation_id,
        dataset_id=upload.dataset_id,
        sequence=sequence,
        precedence=upload.precedence,
        filename=upload.filename,
        storage_key=upload.storage_key,
        sha256=upload.sha256,
        size=upload.size,
        kind=upload.kind,
        uploaded_by_id=upload.uploaded_by_id,
        uploaded_by_label=upload.uploaded_by_label,
        reprocesses_id=first,
        dry_run=dry_run,
        on_doubt=upload.on_doubt,
        reading=upload.reading,
        mends_id=upload.mends_id,
        story_id=upload.story_id,
        correlation_id=correlation.current(),
    )


def _tell(again: Upload, upload: Upload, by: Any, why: str) -> None:
    label, organisation = again.filename, again.organisation_id
    decisions.record(
        ASKED,
        by=by,
        kind="upload",
        subject=again,
        label=label,
        organisation=organisation,
        why=why,
        shown={
            "upload": str(upload.pk),
            "state": upload.state,
            "schema": upload.schema_version,
            "parser": upload.parser_version,
            "refused": upload.refused,
        },
        after={"reprocesses": str(again.reprocesses_id), "dry_run": again.dry_run},
    )
    outbox.record(
        "upload.accepted",
        subject=again,
        kind="upload",
        label=label,
        organisation=organisation,
        by=by,
        payload={
            "owner": again.uploaded_by_id,
            "dataset": upload.dataset.slug,
            "dataset_id": str(again.dataset_id),
            "sequence": again.sequence,
            "size": again.size,
            "kind": again.kind,
            "repeats": None,
            "reprocesses": str(again.reprocesses_id),
            "dry_run": again.dry_run,
        },
    )
