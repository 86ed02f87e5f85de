"""Opens the kept file of an upload in the reader's child, under the work's lease, and says why it ended."""

import contextlib
from collections.abc import Iterator

from accounts.models import Organisation
from ingestion.failures import ORIGINAL_MISSING, READER_CRASHED
from ingestion.models import Upload
from ingestion.reading.failures import ReaderCrashed, ReadingStopped, UnreadableFile
from ingestion.reading.reader import Reader, ReadOptions, open_reader
from work.failures import LeaseLost, PermanentFailure, TemporaryFailure
from work.jobs import Job
from work.storage import FileMissing, files


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
    except ReaderCrashed as error:
        raise TemporaryFailure(READER_CRASHED, reason=str(error)[-500:]) from error
