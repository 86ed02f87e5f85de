"""Reports as CSV, made harmless for spreadsheet programs, and as raw JSON: one line or item per error."""

import csv
import json
from pathlib import Path
from typing import Any

from ingestion.models import RowError, Upload
from ingestion.queries import error_rows, flat_errors
from ingestion.report_rows import explained_at, neutral, refused_rows
from work.jobs import Job

COLUMNS = (
    "sheet", "row", "origin", "column", "header", "cell", "value", "code", "message", "remedy", "help_url",
)  # fmt: skip


def write_csv(path: Path, upload: Upload, job: Job) -> None:
    """With a byte order mark, without which spreadsheet programs read it in an encoding of their own."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in refused_rows(error_rows(upload), upload, job):
            writer.writerows(
                [neutral(text_of(error[column])) for column in COLUMNS] for error in errors_of(row)
            )


def write_json(path: Path, upload: Upload, job: Job) -> None:
    """Written item by item: a million errors are never in memory together."""
    head = {
        "upload": str(upload.pk), "filename": upload.filename, "sha256": upload.sha256,
        "dataset": upload.dataset.slug, "status": upload.state, "refused": upload.refused,
        "errors": upload.error_count,
    }  # fmt: skip
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "items": [')
        separator = "\n"
        for row in refused_rows(error_rows(upload), upload, job):
            for error in errors_of(row):
                file.write(separator + json.dumps(error, ensure_ascii=False))
                separator = ",\n"
        file.write("\n]}\n")


def errors_of(row: RowError) -> list[dict[str, Any]]:
    return [error | {"help_url": explained_at(error["code"])} for error in flat_errors([row])]


def text_of(value: Any) -> str:
    return "" if value is None else str(value)
