"""Files, kept by content: `organisation/sha256`. An original is never changed, overwritten or deleted.

A folder by default; S3 or a compatible store when S3_BUCKET is set. One contract suite runs against both.
"""

import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, BinaryIO, Protocol

from django.conf import settings

from work.failures import TemporaryFailure

BLOCK_BYTES = 1 << 20
KEY = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
SHA256 = re.compile("[0-9a-f]{64}")
REPORTS = "reports"
EXPORTS = "exports"
FULL = (errno.ENOSPC, errno.EDQUOT)
UNAVAILABLE = "storage_unavailable"


@dataclass(frozen=True)
class Stored:
    key: str
    sha256: str
    size: int


class FileTooLarge(Exception):
    """The stream holds more than its limit; nothing of it was kept."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} bytes")
        self.limit = limit


class FileMissing(Exception):
    """No file stands under the key, although a row names it."""


class FileDamaged(FileMissing):
    """A file stands under the key, but its bytes are not those that were kept under it."""


class StorageUnavailable(TemporaryFailure, OSError):
    """The storage is away, full, or does not let us in: work that meets it is tried again later, a request is
    answered by 503. `reason` is a key of REASONS, `said` a code of the store; neither holds a secret.
    """

    def __init__(self, reason: str, said: str = "") -> None:
        super().__init__(UNAVAILABLE, reason=reason, **({"said": said} if said else {}))
        self.reason = reason

    def __str__(self) -> str:
        said = self.detail.get("said")
        return REASONS[self.reason] + (f" It said {said}." if said else "")


REASONS = {
    "unreachable": "The storage cannot be reached under its address.",
    "timed_out": "The storage did not answer in time.",
    "not_trusted": "The storage shows a certificate that is not trusted.",
    "no_credentials": "There are no credentials for the storage.",
    "access_denied": "The storage refuses our credentials, or they lack a right.",
    "no_bucket": "The storage has no such bucket.",
    "wrong_region": "The bucket lies in another region.",
    "full": "The storage is full, or nearly so.",
    "busy": "The storage asks for fewer requests.",
    "failing": "The storage failed by an error of its own.",
    "broken_off": "The storage broke off in the middle of a file.",
    "refused": "The storage refused the request.",
    "folder_unusable": "The folder of the storage cannot be used.",
}


class Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class Files(Protocol):
    """What every storage does. Keys are `organisation/…`; a stored original is only ever read.

    Every method raises StorageUnavailable when the storage does not do what it is asked.
    """

    def put(self, stream: Readable, *, organisation_slug: str, limit: int) -> Stored:
        """Keep the stream under its own hash, read block by block. The same bytes twice are one file."""

    def open(self, key: str) -> BinaryIO:
        """A file with a descriptor of its own, at its start. Raises FileMissing."""

    def exists(self, key: str) -> bool: ...

    def size(self, key: str) -> int:
        """Raises FileMissing."""

    def presigned(self, key: str, *, filename: str, content_type: str) -> str | None:
        """An address at the store itself that is good for a few minutes; None where there is none."""

    def put_file(self, key: str, path: Path) -> None:
        """Keep a file that we made, and write to no more, under a name of our own; an earlier one is replaced
        whole.
        """

    def delete(self, key: str) -> None:
        """Only for reports and exports, which can be made again. A missing one is no error."""

    def keys(self, prefix: str) -> Iterator[str]:
        """Every key that starts with the prefix, in order."""

    def look(self) -> None:
        """Whether a file would be taken now. Writes nothing."""


@lru_cache(maxsize=1)
def files() -> Files:
    """The storage that the settings name."""
    if settings.S3_BUCKET:
        from work.storage_s3 import S3Files  # boto3 takes half a second to import; a folder needs none of it

        return S3Files.of_settings()
    from work.storage_folder import FolderFiles  # which needs the words of this module

    return FolderFiles(settings.FILES_DIR)


# A connection that two processes write to would mix their requests.
os.register_at_fork(after_in_child=files.cache_clear)


def copy_hashed(stream: Readable, file: IO[bytes], *, limit: int) -> tuple[str, int]:
    """Copy block by block while hashing; the sha256 and the size. Raises FileTooLarge past the limit."""
    digest, size = hashlib.sha256(), 0
    while block := stream.read(BLOCK_BYTES):
        size += len(block)
        if size > limit:
            raise FileTooLarge(limit)
        digest.update(block)
        file.write(block)
    return digest.hexdigest(), size


def temporary_file() -> IO[bytes]:
    """A file of this machine without a name, which is gone with the process, however that ends."""
    folder = Path(settings.VAR_DIR) / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryFile(dir=folder)


def report_key(organisation_slug: str, name: str) -> str:
    return f"{organisation_slug}/{REPORTS}/{name}"


def export_folder(organisation_slug: str, export_key: str) -> str:
    """Where the files of one export lie, whoever made them; with a slash at its end."""
    return f"{organisation_slug}/{EXPORTS}/{export_key}/"


def checked(key: str) -> str:
    """The key, when it can name nothing outside the storage."""
    if not KEY.fullmatch(key):
        raise ValueError(f"not a storage key: {key!r}")
    return key


def deletable(key: str) -> str:
    """The key, when it is a report's or an export's. Originals are kept for ever."""
    if checked(key).split("/")[1] not in (REPORTS, EXPORTS):
        raise ValueError(f"only reports and exports are ever deleted, not {key!r}")
    return key


def sha256_of(key: str) -> str:
    """The hash that the key of an original says of its bytes; empty for what we made ourselves."""
    organisation, _, name = key.partition("/")
    return name if organisation and SHA256.fullmatch(name) else ""
