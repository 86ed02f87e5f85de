"""The one step of a report: write the file, keep it in storage, then say that it is built."""

import tempfile
from pathlib import Path

from django.conf import settings
from django.db import transaction

from accounts.models import Organisation
from ingestion import reading_upload, report_files, report_mend, report_whole, report_workbook, verdicts
from ingestion.content_types import ENDINGS
from ingestion.kill_points import REPORT_AFTER_COMMIT, REPORT_BEFORE_COMMIT, REPORT_BUILT
from ingestion.models import Report, Upload
from ingestion.states import ReportState
from work import crash, outbox
from work.jobs import Job
from work.storage import copy_hashed, files, report_key


def build_report(job: Job, context: None) -> None:
    """Runs again from its start: the file is written anew under the same key and replaces what was there."""
    report: Report = job.row
    upload = Upload.objects.select_related("dataset", "organisation").get(pk=report.upload_id)
    key = report_key(upload.organisation.slug, f"{report.pk}.{report.kind}")
    folder = settings.VAR_DIR / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="report-") as temporary:
        path = Path(temporary) / f"report.{ENDINGS[report.kind]}"
        _write(job, upload, upload.organisation, report.kind, path)
        sha256, size = _measure(path)
        files().put_file(key, path)
    crash.point(REPORT_BUILT)
    with transaction.atomic():
        outbox.record(
            "report.built", subject=report, kind="report", label=upload.filename,
            organisation=upload.organisation_id,
            payload={"upload": str(upload.pk), "kind": report.kind, "size": size},
        )  # fmt: skip
        crash.point(REPORT_BEFORE_COMMIT)
        job.finish(state=ReportState.BUILT, fields={"storage_key": key, "size": size, "sha256": sha256})
    crash.point(REPORT_AFTER_COMMIT)


def _write(job: Job, upload: Upload, organisation: Organisation, kind: str, path: Path) -> None:
    if kind == Report.Kind.XLSX:
        report_workbook.write(path, upload, _headers(job, upload, organisation), job)
    elif kind == Report.Kind.MEND:
        report_mend.write(path, upload, _headers(job, upload, organisation), job)
    elif kind == Report.Kind.WHOLE:
        report_whole.write(path, upload, organisation, job)
    elif kind == Report.Kind.CSV:
        report_files.write_csv(path, upload, job)
    else:
        report_files.write_json(path, upload, job)


def _headers(job: Job, upload: Upload, organisation: Organisation) -> list[str]:
    """As the verdict keeps them; of a sheet with more columns than it keeps, from the file."""
    if len(upload.headers) < verdicts.HEADERS_KEPT:
        return list(upload.headers)
    with reading_upload.opened(
        job, upload, organisation, **reading_upload.as_its_verdict_says(upload)
    ) as reader:
        return report_workbook.headers_of(reader.header.cells)


def _measure(path: Path) -> tuple[str, int]:
    with path.open("rb") as file, Path("/dev/null").open("wb") as nowhere:
        return copy_hashed(file, nowhere, limit=path.stat().st_size)
