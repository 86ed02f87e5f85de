"""Refused rows that shall never be stored, such as a total or a note: a person leaves them out, so that the
story of their file can come to its end. Nothing is deleted, and each decision can be taken back.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from ingestion import mending_rows, stories
from ingestion.models import RowError, Upload
from work import decisions
from work.models import Decision

LEFT_OUT, TAKEN_BACK = "upload.rows_left_out", "upload.rows_taken_back"
NAMED_ROWS = 50


@dataclass(frozen=True)
class LeftOut:
    """A decision of which rows are still left out, and how many."""

    decision: Decision
    rows: int


def leave_out(*, upload: Upload, rows: QuerySet[RowError], rule: str, by: Any, why: str) -> int:
    """Of `rows` those that are open; how many that were. `rule` says in words which were chosen."""
    root = upload.story or upload
    with transaction.atomic():
        chosen = list(rows.select_for_update().filter(mended_by=None, left_out=None).order_by("pk"))
        if not chosen:
            return 0
        numbers = [row.row for row in chosen]
        decision = decisions.record(
            LEFT_OUT, by=by, kind="upload", subject=upload, label=upload.filename,
            organisation=upload.organisation_id, why=why,
            rule={"rule": rule, "rows": numbers[:NAMED_ROWS]}, after={"left_out": len(chosen)},
        )  # fmt: skip
        RowError.objects.filter(pk__in=[row.pk for row in chosen]).update(left_out=decision.pk)
        _same_rows(root, upload, chosen).update(left_out=decision.pk)
        mending_rows.outdate_reports(root)
    return len(chosen)


def take_back(*, upload: Upload, decision: uuid.UUID, by: Any) -> int:
    """The rows of one decision are open again; how many rows of the upload."""
    root = upload.story or upload
    with transaction.atomic():
        own = list(RowError.objects.select_for_update().filter(upload=upload, left_out=decision))
        if not own:
            return 0
        _of_story(root).filter(left_out=decision).update(left_out=None)
        decisions.record(
            TAKEN_BACK, by=by, kind="upload", subject=upload, label=upload.filename,
            organisation=upload.organisation_id, rule={"decision": str(decision)},
            before={"left_out": len(own)}, after={"left_out": 0},
        )  # fmt: skip
        mending_rows.outdate_reports(root)
    return len(own)


def of(upload: Upload) -> list[LeftOut]:
    """What stands, the newest first."""
    counted: dict[uuid.UUID | None, int] = {}
    for decision in stories.left_out_rows(upload).values_list("left_out", flat=True):
        counted[decision] = counted.get(decision, 0) + 1
    found = Decision.objects.filter(pk__in=[key for key in counted if key]).order_by("-decided_at")
    return [LeftOut(decision, counted[decision.pk]) for decision in found]


def _of_story(root: Upload) -> QuerySet[RowError]:
    return RowError.objects.filter(Q(upload=root) | Q(upload__story=root))


def _same_rows(root: Upload, upload: Upload, chosen: list[RowError]) -> QuerySet[RowError]:
    """The same rows of the first file, in every file of the story."""
    origins = [row.row if upload.pk == root.pk else row.origin for row in chosen]
    numbers = [origin for origin in origins if origin is not None]
    in_root = Q(upload=root, row__in=numbers)
    return RowError.objects.filter(in_root | Q(upload__story=root, origin__in=numbers), mended_by=None)
