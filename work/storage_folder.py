"""Files in a folder of this machine, or of a file system that its machines share."""

import contextlib
import errno
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from django.conf import settings

from work.storage import (
    FULL,
    FileMissing,
    FileTooLarge,
    Readable,
    StorageUnavailable,
    Stored,
    checked,
    copy_hashed,
    deletable,
)


class FolderFiles:
    """Temporary files lie in the folder too, so that a finished one is put in place by a link or a rename."""

    INCOMING = ".incoming"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, stream: Readable, *, organisation_slug: str, limit: int) -> Stored:
        with _translating(), self._temporary() as file:
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
        with _translating(key):
            return self._path(key).open("rb")

    def exists(self, key: str) -> bool:
        with _translating(key):
            return self._path(key).is_file()

    def size(self, key: str) -> int:
        with _translating(key):
            return self._path(key).stat().st_size

    def presigned(self, key: str, *, filename: str, content_type: str) -> str | None:
        return None

    def put_file(self, key: str, path: Path) -> None:
        with path.open("rb") as source, _translating():
            target = self._place(checked(key))
            if not self._linked(source.fileno(), path, target):
                with self._temporary() as file:
                    copy_hashed(source, file, limit=path.stat().st_size)
                    file.flush()
                    os.fsync(file.fileno())
                    Path(file.name).replace(target)
            _fsync_folder(target.parent)

    def delete(self, key: str) -> None:
        with _translating():
            self._path(deletable(key)).unlink(missing_ok=True)

    def keys(self, prefix: str) -> Iterator[str]:
        names = (
            path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
        )
        yield from sorted(
            name for name in names if name.startswith(prefix) and not name.startswith(self.INCOMING)
        )

    def look(self) -> None:
        place = next(folder for folder in (self.folder, *self.folder.parents) if folder.exists())
        if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            raise StorageUnavailable("folder_unusable")
        if shutil.disk_usage(place).free < settings.STORAGE_FREE_BYTES:
            raise StorageUnavailable("full")

    def _linked(self, descriptor: int, path: Path, target: Path) -> bool:
        """Without a copy, where the file lies in the same file system."""
        name = self.folder / self.INCOMING / uuid.uuid4().hex
        try:
            name.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, name)
        except OSError:
            return False
        try:
            os.fsync(descriptor)
            name.replace(target)
        finally:
            name.unlink(missing_ok=True)
        return True

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


@contextlib.contextmanager
def _translating(key: str = "") -> Iterator[None]:
    """`key` is of a file that is only looked for: then its absence is about the file, not the folder."""
    try:
        yield
    except (FileTooLarge, StorageUnavailable):
        raise
    except FileNotFoundError as error:
        raise (FileMissing(key) if key else StorageUnavailable("folder_unusable")) from error
    except OSError as error:
        if error.errno in FULL:
            raise StorageUnavailable("full") from error
        raise StorageUnavailable("folder_unusable", errno.errorcode.get(error.errno or 0, "")) from error


def _fsync_folder(folder: Path) -> None:
    """Without it the name of a file that was reported as kept may be lost with the power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
