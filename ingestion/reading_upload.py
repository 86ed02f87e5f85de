"""Opens the kept file of an upload in the reader's child, under the work's lease, and says why it ended."""

import contextlib
from collections.abc import Iterator

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
def opened(job: Job, upload: Upload, organisation: Organisation) -> Iterator[Reader]:
    """A reader that the heart ends when the lease is lost. What is wrong with the file fails the work."""
    try:
        original = files().open(upload.storage_key)
    except FileMissing as error:
        raise TemporaryFailure(ORIGINAL_MISSING) from error
    options = ReadOptions(encoding=organisation.default_encoding)
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


def _killed(job: Job, reason: str) -> WorkFailure:
    """One that was killed says nothing about the file; one that is killed each time does."""
    if job.row.starts - job.row.postponed >= KILLED_AT_MOST:
        return PermanentFailure("file_exceeds_limits", limit="memory or time", reason=reason)
    return TemporaryFailure(READER_KILLED, reason=reason)
