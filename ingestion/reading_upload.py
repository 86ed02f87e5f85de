"""Opens the kept file of an upload in the reader's child, under the work's lease, and says why it ended."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from accounts.models import Organisation
from ingestion.failures import ORIGINAL_MISSING, READER_CRASHED, READER_KILLED
from ingestion.models import Upload
from ingestion.reading.failures import ReaderCrashed, ReaderKilled, ReadingStopped, UnreadableFile
from ingestion.reading.reader import Reader, ReadOptions, open_reader
from work.failures import LeaseLost, PermanentFailure, TemporaryFailure, WorkFailure
from work.jobs import Job
from work.storage import FileMissing, files

# A file that makes the system short of memory must not do so for a day.
KILLED_AT_MOST = 3


@contextlib.contextmanager
def opened(job: Job, upload: Upload, organisation: Organisation, **how: Any) -> Iterator[Reader]:
    """A reader that the heart ends when the lease is lost. What is wrong with the file fails the work.
    `how` are options of the reader: `looking_for` or `as_read`."""
    try:
        original = files().open(upload.storage_key)
    except FileMissing as error:
        raise TemporaryFailure(ORIGINAL_MISSING) from error
    options = ReadOptions(encoding=organisation.default_encoding, **how)
    try:
        with original, open_reader(original, options=options) as reader, job.killing(reader.kill):
            yield reader
    except UnreadableFile as error:
        raise PermanentFailure(error.code, **error.detail) from error
    except ReadingStopped as error:
        job.check()
        raise LeaseLost("the reader was ended") from error
    except ReaderKilled as error:
        raise _killed(job, str(error)) from error
    except ReaderCrashed as error:
        raise TemporaryFailure(READER_CRASHED, reason=str(error)[-500:]) from error


def looking_for(upload: Upload, spellings: Sequence[Sequence[str]], *, usual_sheet: str) -> dict[str, Any]:
    """How a file is read the first time: as it was said, and the rest by the names of the fields."""
    reading = upload.reading
    return {
        "expected": spellings,
        "sheet": reading.get("sheet"),
        "usual_sheet": usual_sheet,
        "header_row": reading.get("header_row") or 0,
        "header_rows": reading.get("header_rows") or 0,
        "letters": _letters(upload),
    }


def as_read(upload: Upload, sheet: str, header_row: int, header_rows: int) -> dict[str, Any]:
    """How a file is read again, with what was decided the first time."""
    return {
        "sheet": sheet or None,
        "header_row": header_row,
        "header_rows": header_rows,
        "letters": _letters(upload),
    }


def as_its_verdict_says(upload: Upload) -> dict[str, Any]:
    """The same for an upload with a verdict, which states what was read."""
    stated = {entry["code"]: entry["detail"] for entry in upload.assumptions}
    sheet = stated.get("sheet_read", {}).get("sheet", "")
    for code, rows in (("header_row", 1), ("header_rows", 2)):
        if code in stated:
            return as_read(upload, sheet, stated[code]["row"], rows)
    return {"sheet": sheet or None}


def _letters(upload: Upload) -> list[str]:
    """Headings that a mapping gives, any of which may be the letters of a column."""
    return [heading for heading in upload.reading.get("mapping", {}).values() if heading]


def _killed(job: Job, reason: str) -> WorkFailure:
    """One that was killed says nothing about the file; one that is killed each time does."""
    if job.row.starts - job.row.postponed >= KILLED_AT_MOST:
        return PermanentFailure("file_exceeds_limits", limit="memory or time", reason=reason)
    return TemporaryFailure(READER_KILLED, reason=reason)
