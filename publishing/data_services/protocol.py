"""What every data service does for a publication: make an export, say how far it is, hand it over, delete it.

An export has a key that says which publication and which round asked for it; everything here is idempotent by
that key, so that a worker that died, or came late, makes no second export.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from work.failures import PermanentFailure, TemporaryFailure

Watch = Callable[[int, int | None, str], None]
"""Told how far something is: done, total or None, unit. Raises what `work.jobs.Job.progress` raises."""


class ExportState(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True)
class ExportRequest:
    """`source` is the id of a dataset of ours, or the dataset's id at the external service."""

    key: str
    source: str
    formats: Sequence[str]


@dataclass(frozen=True)
class ExportFile:
    """`size` in bytes, `sha256` in lower-case hex."""

    format: str
    size: int
    sha256: str
    records: int


@dataclass(frozen=True)
class ExportStatus:
    """`files` when finished; `code` when failed; `data_version` names the snapshot, where the service has
    such a thing. `again_in` is in how many seconds the service wants to be asked again.
    """

    state: ExportState
    done: int = 0
    total: int | None = None
    unit: str = ""
    files: Sequence[ExportFile] = field(default_factory=tuple)
    code: str = ""
    data_version: str = ""
    again_in: float = 5.0


@dataclass(frozen=True)
class FetchedFile:
    """A file of an export that now lies in our storage, with its size and hash as counted on the way."""

    file: ExportFile
    storage_key: str


class ExportLost(Exception):
    """The service does not know the export, or says that it failed or is corrupt: a new round is started.

    `code` says which: `export_unknown`, `export_failed`, `export_corrupt`.
    """

    def __init__(self, code: str, **detail: object) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


class ExportRefused(PermanentFailure):
    """The service will not make this export, however often it is asked: unknown source, deleted key, no
    right.
    """


class ServiceUnavailable(TemporaryFailure):
    """The service did not do what it was asked: away, overloaded, answered by half a file. Tried again."""


class DataService(Protocol):
    """Every method raises ServiceUnavailable when the service cannot be asked now."""

    def start(self, request: ExportRequest, watch: Watch) -> ExportStatus:
        """Start the export, or adopt the one that is there under its key. A service of ours makes it here and
        now, and returns it finished. Raises ExportRefused.
        """

    def status(self, key: str) -> ExportStatus:
        """Raises ExportLost when the service does not know the key."""

    def fetch(self, key: str, file: ExportFile, target: str, watch: Watch) -> FetchedFile:
        """Bring one file into our storage under `target`, or say where it lies in it already; its size and
        hash are those that were promised. Raises ExportLost, ServiceUnavailable (also for a file that came
        short or with another hash).
        """

    def delete(self, key: str) -> None:
        """Done also when the service does not know the key; a late start under it is refused afterwards."""
