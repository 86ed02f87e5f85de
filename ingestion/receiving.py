"""Takes uploaded files from requests: to a temporary file, and no further than the limit.

The rest of a larger body is read and dropped: the sender gets an answer, not a broken connection.
"""

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler

from work.storage import FileTooLarge


class OversizedFile(UploadedFile):
    """What is left of a file past the limit: its true size, and nothing to read."""

    def read(self, *args: Any) -> bytes:
        raise FileTooLarge(settings.MAX_UPLOAD_BYTES)


class LimitedUploadHandler(TemporaryFileUploadHandler):
    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """A disk that is full ends the request; the part that lies there is given back at once."""
        if start + len(raw_data) > settings.MAX_UPLOAD_BYTES:
            return
        try:
            super().receive_data_chunk(raw_data, start)
        except OSError:
            self.file.close()
            raise

    def file_complete(self, file_size: int) -> UploadedFile | None:
        if file_size <= settings.MAX_UPLOAD_BYTES:
            return super().file_complete(file_size)
        kept: TemporaryUploadedFile = self.file
        kept.close()
        return OversizedFile(name=self.file_name, content_type=self.content_type, size=file_size)
