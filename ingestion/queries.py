"""What pages and the API read of uploads: lists, error groups, error rows. Nothing here writes."""

import datetime as dt
import re
import uuid
from typing import Any

from django.db.models import Q, QuerySet

from accounts.principals import Principal
from ingestion.cell_rules import help_url
from ingestion.models import Dataset, ErrorCount, Record, Report, RowError, Upload
from work import holding
from work.identifiers import first_uuid7
from work.models import Attempt

START_OF_SHA256 = re.compile("[0-9a-fA-F]{8,64}")
CLOCKS_DIFFER_BY = dt.timedelta(minutes=5)


def visible(principal: Principal) -> QuerySet[Upload]:
    """Uploads of the organisations that the principal may see, with what a list shows of them."""
    uploads: QuerySet[Upload] = Upload.objects.select_related("dataset", "organisation")
    return principal.sees(uploads)


def filtered(
    uploads: QuerySet[Upload], *, dataset: str = "", status: str = "", organisation: str = "", text: str = "",
    sender: str = "", since: dt.datetime | None = None, among_few: bool = False,
) -> QuerySet[Upload]:  # fmt: skip
    """By slugs and state; `text` is part of a file name, or the start of a sha256; `sender` is part of the
    sender's name. Empty ones do nothing. `among_few`: what is asked of the answer picks few uploads by
    itself, so that words need no index.
    """
    if dataset:
        # By id, so that the planner knows how many uploads each has.
        named_so = Dataset.objects.filter(slug=dataset).values_list("pk", flat=True)
        uploads = uploads.filter(dataset__in=list(named_so))
    if status:
        uploads = uploads.filter(state=status)
    if organisation:
        uploads = uploads.filter(organisation__slug=organisation)
    if text:
        named = holding.holds("filename", text, by_index=not among_few)
        if START_OF_SHA256.fullmatch(text):
            named |= Q(sha256__startswith=text.lower())
        uploads = uploads.filter(named)
    if sender:
        uploads = uploads.filter(holding.holds("uploaded_by_label", sender, by_index=not among_few))
    if since is not None:
        # Ids are in the order of acceptance: the bound on them keeps the list from reading all of its past.
        earliest = first_uuid7(since - CLOCKS_DIFFER_BY)
        uploads = uploads.filter(accepted_at__gte=since, id__gte=earliest)
    return uploads


def error_groups(upload: Upload) -> QuerySet[ErrorCount]:
    """Exact counts per rule and column of the run that gave the verdict, the largest first."""
    if upload.run is None:
        return ErrorCount.objects.none()
    return ErrorCount.objects.filter(upload=upload, run=upload.run).order_by("-rows", "code", "column")


def error_rows(upload: Upload) -> QuerySet[RowError]:
    """The refused rows of the verdict's run."""
    if upload.run is None:
        return RowError.objects.none()
    return RowError.objects.filter(upload=upload, run=upload.run)


def flat_errors(rows: list[RowError], *, code: str = "", column: str = "") -> list[dict[str, Any]]:
    """One item per error that fits the filter, with the sheet and the row it stands in, the row of the first
    file that this one mends, and the path of the page that explains its code."""
    return [
        {
            "sheet": row.sheet,
            "row": row.row,
            "origin": row.origin,
            **error,
            "help_url": help_url(error["code"]),
        }
        for row in rows
        for error in row.errors
        if code in ("", error["code"]) and column in ("", error["column"])
    ]


def starts(upload: Upload) -> QuerySet[Attempt]:
    """Every start of the work on it, with its worker and how it ended, the newest first."""
    return Attempt.objects.filter(pipeline="upload", subject=upload.pk).order_by("-number")


def live_reports(upload: Upload) -> dict[str, Report]:
    """By kind: those that are built or will be."""
    reports = Report.objects.filter(upload=upload, swept_at__isnull=True).order_by("id")
    return {report.kind: report for report in reports}


def records(dataset_id: uuid.UUID) -> QuerySet[Record]:
    """Those in use."""
    return every_record(dataset_id).filter(retired_at=None)


def every_record(dataset_id: uuid.UUID) -> QuerySet[Record]:
    """With those that a snapshot retired, for the page of one record and its history."""
    return Record.objects.filter(dataset=dataset_id)
