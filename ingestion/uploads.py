"""Verbs of uploads: accepting a file, and withdrawing it before its verdict.

Accepting looks at the request, not at what the file says; that is the work of a worker, later.
"""

import os
import uuid
from dataclasses import dataclass
from typing import Any, Protocol

from django.conf import settings
from django.db import connection

from accounts.models import Organisation
from accounts.principals import Principal
from ingestion import upload_limits
from ingestion.incoming import Rejoined, clean_filename
from ingestion.models import Dataset, Upload
from ingestion.reading.failures import describe
from ingestion.reading.kinds import HEAD_BYTES, Kind, sniff
from ingestion.states import ACTIVE, UploadState
from ingestion.upload_options import UploadOptions
from work import cancelling, correlation, doorbell, idempotency, outbox, pipelines
from work.models import IdempotencyKey
from work.problems import Problem
from work.storage import FileTooLarge, Readable, Stored, copy_hashed, files
from work.wording import size as size_in_words

# What the first bytes may speak of. Only the reader, which sees all of a zip, can tell what is in it.
ACCEPTED_KINDS = {
    Kind.ZIP: "xlsx",
    Kind.XLSX: "xlsx",
    Kind.XLSB: "xlsb",
    Kind.ODS: "ods",
    Kind.XLS: "xls",
    Kind.COMPOUND: "xls",
    Kind.TEXT: "csv",
}
NEXT_SEQUENCE = """
UPDATE ingestion_dataset SET next_sequence = next_sequence + 1 WHERE id = %s RETURNING next_sequence - 1
"""
NO_OPTIONS = UploadOptions()


class Actor(Protocol):
    """Who sends: a principal, or the shell, which has no user. `str()` is its label."""

    @property
    def user(self) -> Any: ...

    @property
    def actor(self) -> str: ...


@dataclass(frozen=True)
class Accepted:
    upload: Upload
    already_accepted: bool


def accept(
    *, dataset: Dataset, stream: Readable, filename: str, by: Actor, idempotency_key: str = "",
    size: int | None = None, options: UploadOptions = NO_OPTIONS,
) -> Accepted:  # fmt: skip
    """Keep the file and make its upload due. Safe to repeat under one key: the first upload is given again.

    `size` is what the sender declares, if it does. Raises Problem: 413 `file_too_large`, 415 `format_…`,
    422 `empty_file`, 422 `reading_not_valid`, 422 `mends_unknown`, 409 `storage_limit_reached`,
    429 `too_many_in_progress`, 422 `idempotency_key_reused`, 503 `storage_unavailable`.
    """
    organisation = dataset.organisation
    limit = settings.MAX_UPLOAD_BYTES
    if size is not None and size > limit:
        raise too_large(limit)
    head = stream.read(HEAD_BYTES)
    kind = _kind(head)
    whole = Rejoined(head, stream)
    is_known = _is_known(organisation, by, idempotency_key)
    try:
        if is_known:
            stored = _hashed(whole, organisation, limit)
        else:
            options.columns(dataset)
            upload_limits.refuse(organisation, size or 0)
            stored = files().put(whole, organisation_slug=organisation.slug, limit=limit)
    except FileTooLarge as error:
        raise too_large(limit) from error
    except OSError as error:
        raise storage_unavailable() from error
    is_kept = not is_known or files().exists(stored.key)
    kept = Kept(stored, clean_filename(filename), kind)
    return _once(dataset, kept, options, by, idempotency_key, is_kept=is_kept)


def store(*, tried: Upload, by: Actor) -> Accepted:
    """Of a file that was only tried, make an upload that is stored: the same kept bytes, read the same way.
    Safe to repeat: the first one is given again. Raises Problem: 409 `not_a_dry_run`, 409
    `storage_limit_reached`, 429 `too_many_in_progress`.
    """
    if not tried.dry_run or tried.finished_at is None:
        raise Problem(
            409,
            "not_a_dry_run",
            f"{tried.filename} was not tried, so there is nothing to store now.",
            "Look at its verdict.",
        )
    dataset, key = tried.dataset, f"store {tried.pk}"
    if not _is_known(dataset.organisation, by, key):
        upload_limits.refuse(dataset.organisation, 0)
    options = UploadOptions(reading=tried.reading, on_doubt=tried.on_doubt, mends=tried.mends_id)
    kept = Kept(Stored(tried.storage_key, tried.sha256, tried.size), tried.filename, tried.kind)
    return _once(dataset, kept, options, by, key, is_kept=True)


def withdraw(*, upload: Upload, by: Principal, why: str = "") -> None:
    """End an upload that has no verdict yet; what a worker does with it later is refused.

    Raises StateChanged with the state found.
    """
    cancelling.cancel(
        pipeline=pipelines.get("upload"),
        row=upload,
        state=UploadState.CANCELLED,
        allowed=ACTIVE,
        by=by,
        why=why,
        what="upload.cancelled",
        label=upload.filename,
        fields={"cancelled_by_label": str(by)[:200], "cancel_reason": why, "asking": None},
    )


@dataclass(frozen=True)
class Kept:
    """A file in storage, what it was called, and what its first bytes speak of."""

    stored: Stored
    filename: str
    kind: str


def _once(
    dataset: Dataset, kept: Kept, options: UploadOptions, by: Actor, key: str, *, is_kept: bool
) -> Accepted:
    parts = (dataset.pk, kept.stored.sha256, kept.filename, *options.repeated())
    subject, already = idempotency.once(
        organisation=dataset.organisation,
        actor=_actor(by),
        key=key,
        fingerprint=idempotency.fingerprint(*parts),
        make=lambda: _make(dataset, kept, options, by) if is_kept else _forgotten(),
    )
    return Accepted(Upload.objects.select_related("dataset").get(pk=subject), already)


def _actor(by: Actor) -> str:
    return f"{by.actor} uploads"


def _kind(head: bytes) -> str:
    kind = sniff(head)
    if kind in ACCEPTED_KINDS:
        return ACCEPTED_KINDS[kind]
    if kind == Kind.EMPTY:
        raise Problem(422, "empty_file", *describe("empty_file", {}))
    raise Problem(415, f"format_{kind}", *describe(f"format_{kind}", {}), format=str(kind))


def _forgotten() -> uuid.UUID:
    """The key was swept between two looks at it, and the bytes have gone by: they must be sent again."""
    raise storage_unavailable()


def _hashed(stream: Readable, organisation: Organisation, limit: int) -> Stored:
    """A repeated request brings bytes that are kept already, or is refused. Either way nothing is stored, or
    one key would fill the storage past every limit.
    """
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (no path of ours)
        sha256, size = copy_hashed(stream, nowhere, limit=limit)
    return Stored(f"{organisation.slug}/{sha256}", sha256, size)


def _is_known(organisation: Organisation, by: Actor, key: str) -> bool:
    """A repeated request makes nothing new, so no limit stands in its way."""
    known = IdempotencyKey.objects.filter(organisation=organisation, actor=_actor(by), key=key)
    return bool(key) and known.exists()


def _make(dataset: Dataset, kept: Kept, options: UploadOptions, by: Actor) -> uuid.UUID:
    """In the transaction of the idempotency key. A file that was only tried before was not sent before."""
    stored = kept.stored
    with connection.cursor() as cursor:
        cursor.execute(NEXT_SEQUENCE, [dataset.pk])
        (sequence,) = cursor.fetchone()
    same_bytes = Upload.objects.filter(
        organisation=dataset.organisation_id, sha256=stored.sha256, dry_run=False
    )
    earlier = same_bytes.filter(dataset=dataset).order_by("-sequence").first()
    upload = Upload.objects.create(
        organisation_id=dataset.organisation_id,
        dataset=dataset,
        sequence=sequence,
        precedence=sequence,
        filename=kept.filename,
        storage_key=stored.key,
        sha256=stored.sha256,
        size=stored.size,
        kind=kept.kind,
        uploaded_by=by.user,
        uploaded_by_label=str(by)[:200],
        repeats=earlier,
        correlation_id=correlation.current(),
        **options.columns(dataset),
    )
    outbox.record(
        "upload.accepted",
        subject=upload,
        kind="upload",
        label=kept.filename,
        organisation=dataset.organisation_id,
        by=by,
        payload=_payload(upload),
    )
    doorbell.ring()
    return upload.pk


def _payload(upload: Upload) -> dict[str, Any]:
    return {
        "owner": upload.uploaded_by_id,
        "dataset": upload.dataset.slug,
        "dataset_id": str(upload.dataset_id),
        "sequence": upload.sequence,
        "size": upload.size,
        "kind": upload.kind,
        "dry_run": upload.dry_run,
        "mends": str(upload.mends_id) if upload.mends_id else None,
        "repeats": str(upload.repeats_id) if upload.repeats_id else None,
    }


def storage_unavailable() -> Problem:
    return Problem(
        503,
        "storage_unavailable",
        "The file could not be kept, so it is not accepted: the storage does not take it at the moment.",
        "Send it again in a moment. If it is refused again, tell an operator.",
        headers={"Retry-After": "60"},
    )


def too_large(limit: int) -> Problem:
    return Problem(
        413,
        "file_too_large",
        f"The file is larger than {size_in_words(limit)}, the most that is accepted.",
        "Save only the sheet that belongs here, or split the file.",
        limit=limit,
    )
