"""Files, kept by content: `organisation/sha256`. An original is never changed, overwritten or deleted.

A folder by default; S3 or a compatible store when S3_BUCKET is set. One contract suite runs against both.
"""

import contextlib
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

BLOCK_BYTES = 1 << 20
KEY = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
REPORTS = "reports"


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


class Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class Files(Protocol):
    """What every storage does. Keys are `organisation/…`; a stored original is only ever read."""

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
        """Keep a file that we made under a name of our own; an earlier one is replaced whole."""

    def delete(self, key: str) -> None:
        """Only for reports, which can be made again. A missing one is no error."""

    def keys(self, prefix: str) -> Iterator[str]:
        """Every key that starts with the prefix, in order."""


@lru_cache(maxsize=1)
def files() -> Files:
    """The storage that the settings name."""
    if settings.S3_BUCKET:
        from work.storage_s3 import S3Files  # boto3 takes half a second to import; a folder needs none of it

        return S3Files(settings.S3_BUCKET, endpoint_url=settings.S3_ENDPOINT_URL or None)
    return FolderFiles(settings.FILES_DIR)


class FolderFiles:
    """Temporary files lie in the folder too, so that a finished one is put in place by a link or a rename."""

    INCOMING = ".incoming"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, stream: Readable, *, organisation_slug: str, limit: int) -> Stored:
        with self._temporary() as file:
            sha256, size = copy_hashed(stream, file, limit=limit)
            key = checked(f"{organisation_slug}/{sha256}")
            file.flush()
            os.fsync(file.fileno())
            target = self._place(key)
            with contextlib.suppress(FileExistsError):
                os.link(file.name, target)  # never overwrites, unlike a rename
        _fsync_folder(target.parent)
        return Stored(key, sha256, size)

    def open(self, key: str) -> BinaryIO:
        try:
            return self._path(key).open("rb")
        except FileNotFoundError:
            raise FileMissing(key) from None

    def exists(self, key: str) -> bool:
        return self._path(key).is_file()

    def size(self, key: str) -> int:
        try:
            return self._path(key).stat().st_size
        except FileNotFoundError:
            raise FileMissing(key) from None

    def presigned(self, key: str, *, filename: str, content_type: str) -> str | None:
        return None

    def put_file(self, key: str, path: Path) -> None:
        target = self._place(checked(key))
        with self._temporary() as file:
            with path.open("rb") as source:
                copy_hashed(source, file, limit=path.stat().st_size)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(target)
        _fsync_folder(target.parent)

    def delete(self, key: str) -> None:
        self._path(deletable(key)).unlink(missing_ok=True)

    def keys(self, prefix: str) -> Iterator[str]:
        names = (
            path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
        )
        yield from sorted(
            name for name in names if name.startswith(prefix) and not name.startswith(self.INCOMING)
        )

    def _path(self, key: str) -> Path:
        return self.folder / checked(key)

    def _place(self, key: str) -> Path:
        target = self._path(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    @contextlib.contextmanager
    def _temporary(self) -> Iterator[IO[bytes]]:
        folder = self.folder / self.INCOMING
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            try:
                yield file
            finally:
                Path(file.name).unlink(missing_ok=True)


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


def report_key(organisation_slug: str, name: str) -> str:
    return f"{organisation_slug}/{REPORTS}/{name}"


def checked(key: str) -> str:
    """The key, when it can name nothing outside the storage."""
    if not KEY.fullmatch(key):
        raise ValueError(f"not a storage key: {key!r}")
    return key


def deletable(key: str) -> str:
    """The key, when it is a report's. Originals are kept for ever."""
    if checked(key).split("/")[1] != REPORTS:
        raise ValueError(f"only reports are ever deleted, not {key!r}")
    return key


def _fsync_folder(folder: Path) -> None:
    """Without it the name of a file that was reported as kept may be lost with the power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
