"""The pipeline of uploads: from a kept file to its verdict."""

from typing import Any

from ingestion import asks, verdicts
from ingestion.context import begin
from ingestion.models import Upload
from ingestion.states import TERMINAL, UPLOAD_MOVES, UploadState
from ingestion.steps.check_keys import check_keys
from ingestion.steps.read_rows import read_rows
from ingestion.steps.store_records import store_records
from work.pipelines import Ending, Pipeline, Step

# Longer than the reader's own limit: what takes it too long is a verdict about the file, not a hung worker.
SILENT_WHILE_READING = 960.0
# A merge of a million rows is one statement, which reports nothing until it is done.
SILENT_WHILE_MERGING = 1800.0


def failed(upload: Upload, code: str, detail: dict[str, Any]) -> Ending:
    """Nothing was stored. Row errors that the attempt wrote belong to no verdict, and are swept."""
    verdicts.record(upload, UploadState.FAILED, {"failure_code": code})
    return Ending(UploadState.FAILED)


PIPELINE = Pipeline(
    name="upload",
    title="Uploads",
    model=Upload,
    steps=(
        Step("read_rows", read_rows, silent_for=SILENT_WHILE_READING),
        Step("check_keys", check_keys, silent_for=SILENT_WHILE_MERGING),
        Step("store_records", store_records, silent_for=SILENT_WHILE_MERGING),
    ),
    initial=UploadState.ACCEPTED,
    running=UploadState.PROCESSING,
    terminal=TERMINAL,
    on_failure=failed,
    on_asking=asks.record,
    begin=begin,
    moves=UPLOAD_MOVES,
)
