"""The machines of ingestion: their states, how each is entered and left, and the allowed moves."""

from django.db import models


class UploadState(models.TextChoices):
    ACCEPTED = "accepted"  # the file is kept and the row due; leaves by a claim or a withdrawal
    PROCESSING = "processing"  # a worker reads, checks or stores it; back to accepted when the worker died
    NEEDS_ANSWER = "needs_answer"  # only its owner can decide; leaves by the answer or a withdrawal
    PROCESSED = "processed"  # at least one row, none refused
    PARTIAL = "partial"  # some rows stored, some refused
    FAILED = "failed"  # nothing stored
    CANCELLED = "cancelled"  # withdrawn by a person or a program before its verdict


TERMINAL = (UploadState.PROCESSED, UploadState.PARTIAL, UploadState.FAILED, UploadState.CANCELLED)
ACTIVE = (UploadState.ACCEPTED, UploadState.PROCESSING, UploadState.NEEDS_ANSWER)

UPLOAD_MOVES: dict[UploadState, tuple[UploadState, ...]] = {
    UploadState.ACCEPTED: (UploadState.PROCESSING, UploadState.FAILED, UploadState.CANCELLED),
    UploadState.PROCESSING: (
        UploadState.ACCEPTED,
        UploadState.NEEDS_ANSWER,
        UploadState.PROCESSED,
        UploadState.PARTIAL,
        UploadState.FAILED,
        UploadState.CANCELLED,
    ),
    UploadState.NEEDS_ANSWER: (UploadState.ACCEPTED, UploadState.FAILED, UploadState.CANCELLED),
    UploadState.PROCESSED: (),
    UploadState.PARTIAL: (),
    UploadState.FAILED: (),
    UploadState.CANCELLED: (),
}


class ReportState(models.TextChoices):
    REQUESTED = "requested"  # first asked for; leaves by a claim
    BUILDING = "building"  # a worker writes the file; back to requested when the worker died
    BUILT = "built"  # the file is in storage; swept after its time, then asked for anew
    FAILED = "failed"


REPORT_TERMINAL = (ReportState.BUILT, ReportState.FAILED)

REPORT_MOVES: dict[ReportState, tuple[ReportState, ...]] = {
    ReportState.REQUESTED: (ReportState.BUILDING, ReportState.FAILED),
    ReportState.BUILDING: (ReportState.REQUESTED, ReportState.BUILT, ReportState.FAILED),
    ReportState.BUILT: (),
    ReportState.FAILED: (),
}


class IndexUpdateState(models.TextChoices):
    WAITING = "waiting"  # records changed; leaves by a claim
    APPLYING = "applying"  # a worker brings them into the index; back to waiting when the worker died
    APPLIED = "applied"  # nothing was left to apply
    FAILED = "failed"  # given up; what waits still waits, and is tried anew later


INDEX_UPDATE_TERMINAL = (IndexUpdateState.APPLIED, IndexUpdateState.FAILED)

INDEX_UPDATE_MOVES: dict[IndexUpdateState, tuple[IndexUpdateState, ...]] = {
    IndexUpdateState.WAITING: (IndexUpdateState.APPLYING, IndexUpdateState.FAILED),
    IndexUpdateState.APPLYING: (
        IndexUpdateState.WAITING, IndexUpdateState.APPLIED, IndexUpdateState.FAILED,
    ),
    IndexUpdateState.APPLIED: (),
    IndexUpdateState.FAILED: (),
}  # fmt: skip


class ReindexState(models.TextChoices):
    REQUESTED = "requested"  # asked for; leaves by a claim
    REBUILDING = "rebuilding"  # a worker fills the new index; back to requested when the worker died
    REBUILT = "rebuilt"  # the new index is the one that is searched
    FAILED = "failed"  # given up; the index from before is still searched


REINDEX_TERMINAL = (ReindexState.REBUILT, ReindexState.FAILED)

REINDEX_MOVES: dict[ReindexState, tuple[ReindexState, ...]] = {
    ReindexState.REQUESTED: (ReindexState.REBUILDING, ReindexState.FAILED),
    ReindexState.REBUILDING: (ReindexState.REQUESTED, ReindexState.REBUILT, ReindexState.FAILED),
    ReindexState.REBUILT: (),
    ReindexState.FAILED: (),
}
