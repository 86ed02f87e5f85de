"""Downloads of what was refused: asked for, built once by a worker, kept for a while."""

from django.db import IntegrityError, transaction

from accounts.principals import Principal
from ingestion import stories
from ingestion.content_types import ENDINGS
from ingestion.models import Report, Upload
from ingestion.states import ReportState
from work import correlation, doorbell
from work.problems import Problem

NOTHING_LEFT = (
    "Nothing is left to mend: every refused row has come back mended or is left out.",
    "The page of the upload says which files brought them.",
)
NAMES: dict[str, str] = {Report.Kind.MEND: "rows to mend", Report.Kind.WHOLE: "annotated"}


def request(*, upload: Upload, kind: str, by: Principal) -> Report:
    """The live report of this kind: the one there is, or a new one that a worker will build. Safe to repeat.

    Raises Problem 409 `no_verdict_yet`, `nothing_to_mend`, 404 `no_row_report` when the file was never
    read to its end.
    """
    if upload.finished_at is None:
        raise Problem(
            409, "no_verdict_yet", "The upload has no verdict yet.", "Ask again when its status is final."
        )
    if upload.run is None:
        raise Problem(
            404,
            "no_row_report",
            "There is no report about its rows: the file was not read to its end.",
            "The upload's failure says why.",
        )
    if kind == Report.Kind.MEND and not stories.may_be_mended(upload):
        raise Problem(
            409,
            "nothing_to_mend",
            "There is nothing to mend on its own: no row was refused, or nothing of the file is stored.",
            "Mend the file itself and send it whole.",
        )
    if kind == Report.Kind.MEND and not stories.open_rows(upload).exists():
        raise Problem(409, "nothing_to_mend", *NOTHING_LEFT)
    live = Report.objects.filter(upload=upload, kind=kind, swept_at__isnull=True).exclude(
        state=ReportState.FAILED
    )
    try:
        with transaction.atomic():
            return live.first() or _make(upload, kind)
    except IntegrityError:
        return live.get()  # somebody else asked at the same moment


def _make(upload: Upload, kind: str) -> Report:
    report = Report.objects.create(
        organisation_id=upload.organisation_id,
        upload=upload,
        kind=kind,
        correlation_id=correlation.current(),
    )
    doorbell.ring()
    return report


def filename(upload: Upload, kind: str) -> str:
    """The name under which people find it among their downloads."""
    stem = upload.filename.rpartition(".")[0] or upload.filename
    return f"{stem} - {NAMES.get(kind, 'refused rows')}.{ENDINGS[kind].rpartition('.')[2]}"
