"""A data service of somebody else, by the contract in `contract.yaml` beside this file.

Every outcome of a call is one of four: done, try again later, start a new round, never.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from publishing.data_services.protocol import (
    ExportFile,
    ExportLost,
    ExportRefused,
    ExportRequest,
    ExportState,
    ExportStatus,
    FetchedFile,
    ServiceUnavailable,
    Watch,
)
from publishing.models import ExternalService
from work import outbound
from work.failures import PermanentFailure, TemporaryFailure
from work.outbound import Answer, Call, Rules
from work.storage import FileMissing, copy_hashed, files

CALL_SECONDS = 15.0
FETCH_SECONDS = 900.0
MOST_BYTES = 4 << 30
AGAIN_IN = 5.0
LONGEST_AGAIN = 3600.0

UNREACHABLE = "service_unreachable"
OVERLOADED = "service_overloaded"
FAILING = "service_failing"
NOT_UNDERSTOOD = "service_not_understood"
FILE_DIFFERS = "service_file_differs"
REFUSES_US = "service_refuses_us"
REFUSES_EXPORT = "service_refuses_export"
DELETED = "export_deleted"
UNKNOWN = "export_unknown"


class FileBody(BaseModel):
    format: str = Field(max_length=10)
    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    records: int = Field(ge=0)


class StatusBody(BaseModel):
    model_config = ConfigDict(extra="ignore")

    state: ExportState
    done: int = Field(default=0, ge=0)
    total: int | None = Field(default=None, ge=0)
    unit: str = Field(default="", max_length=20)
    files: list[FileBody] = Field(default_factory=list, max_length=20)
    code: str = Field(default="", max_length=60)
    data_version: str = Field(default="", max_length=100)


class HttpDataService:
    """By the address and the token of an external service."""

    def __init__(
        self, service: ExternalService, *, seconds: float = CALL_SECONDS, fetch_seconds: float = FETCH_SECONDS
    ) -> None:
        self.base = service.url.rstrip("/")
        self.headers = {"Accept": "application/json"}
        if service.token:
            self.headers["Authorization"] = f"Bearer {service.token}"
        self.seconds, self.fetch_seconds = seconds, fetch_seconds

    def start(self, request: ExportRequest, watch: Watch) -> ExportStatus:
        body = json.dumps({"source": request.source, "formats": list(request.formats)}).encode()
        answer = self._call("PUT", self._export(request.key), body)
        if answer.status == 410:
            raise ExportRefused(DELETED, key=request.key)
        if answer.status in (400, 404, 409, 422):
            raise ExportRefused(REFUSES_EXPORT, status=answer.status, source=request.source)
        return _status(answer)

    def status(self, key: str) -> ExportStatus:
        answer = self._call("GET", self._export(key))
        if answer.status in (404, 410):
            raise ExportLost(UNKNOWN)
        return _status(answer)

    def fetch(self, key: str, file: ExportFile, target: str, watch: Watch) -> FetchedFile:
        """A file that is whole under the target already is not fetched again."""
        if _is_kept(target, file):
            return FetchedFile(file, target)
        folder = Path(settings.VAR_DIR) / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="fetch-") as temporary:
            sink = _Sink(temporary.write, file, watch)
            address = f"{self._export(key)}/files/{quote(file.format, safe='')}"
            rules = Rules(seconds=self.fetch_seconds, limit_bytes=min(file.size, MOST_BYTES), into=sink)
            try:
                answer = self._call("GET", address, rules=rules)
            except PermanentFailure as failure:
                if failure.code != "outbound_answer_too_large":
                    raise
                raise ServiceUnavailable(FILE_DIFFERS, format=file.format, what="longer") from failure
            if answer.status in (404, 410):
                raise ExportLost(UNKNOWN)
            _refuse_unusable(answer)
            sink.compare()
            temporary.flush()
            files().put_file(target, Path(temporary.name))
        return FetchedFile(file, target)

    def delete(self, key: str) -> None:
        answer = self._call("DELETE", self._export(key))
        if answer.status not in (404, 410):
            _refuse_unusable(answer)

    def _export(self, key: str) -> str:
        return f"{self.base}/exports/{quote(key, safe='')}"

    def _call(self, method: str, url: str, body: bytes = b"", rules: Rules | None = None) -> Answer:
        """Raises ServiceUnavailable for a service that does not answer, or asks us to wait; ExportRefused
        where our token is not good enough.
        """
        headers = {**self.headers, "Content-Type": "application/json"} if body else self.headers
        try:
            answer = outbound.fetch(Call(method, url, body, headers), rules or Rules(seconds=self.seconds))
        except ServiceUnavailable:
            raise
        except TemporaryFailure as failure:
            raise ServiceUnavailable(UNREACHABLE, **failure.detail, said=failure.code) from failure
        if answer.status in (401, 403):
            raise ExportRefused(REFUSES_US, status=answer.status)
        if answer.status in (408, 425, 429):
            raise ServiceUnavailable(OVERLOADED, status=answer.status)
        if answer.status >= 500:
            raise ServiceUnavailable(FAILING, status=answer.status)
        return answer


class _Sink:
    """Writes, hashes and counts a file that comes in."""

    def __init__(self, write: Callable[[bytes], Any], file: ExportFile, watch: Watch) -> None:
        self.write, self.file, self.watch = write, file, watch
        self.digest, self.size = hashlib.sha256(), 0

    def __call__(self, block: bytes) -> None:
        self.write(block)
        self.digest.update(block)
        self.size += len(block)
        self.watch(self.size, self.file.size, "bytes")

    def compare(self) -> None:
        if self.size != self.file.size:
            raise ServiceUnavailable(FILE_DIFFERS, format=self.file.format, what="shorter")
        if self.digest.hexdigest() != self.file.sha256:
            raise ServiceUnavailable(FILE_DIFFERS, format=self.file.format, what="other bytes")


def _is_kept(target: str, file: ExportFile) -> bool:
    try:
        if files().size(target) != file.size:
            return False
        with files().open(target) as kept, Path(os.devnull).open("wb") as nowhere:
            return copy_hashed(kept, nowhere, limit=file.size) == (file.sha256, file.size)
    except FileMissing:
        return False


def _status(answer: Answer) -> ExportStatus:
    _refuse_unusable(answer)
    try:
        body = StatusBody.model_validate_json(answer.body)
    except ValidationError as error:
        raise ServiceUnavailable(NOT_UNDERSTOOD, status=answer.status) from error
    return ExportStatus(
        body.state,
        done=body.done,
        total=body.total,
        unit=body.unit,
        files=tuple(ExportFile(each.format, each.size, each.sha256, each.records) for each in body.files),
        code=body.code,
        data_version=body.data_version,
        again_in=_again_in(answer.headers),
    )


def _refuse_unusable(answer: Answer) -> None:
    if not 200 <= answer.status < 300:
        raise ServiceUnavailable(NOT_UNDERSTOOD, status=answer.status)


def _again_in(headers: Mapping[str, str]) -> float:
    """Retry-After in seconds (RFC 9110, 10.2.3); its other form, a date, is not for polling."""
    given = headers.get("retry-after", "")
    return min(float(given), LONGEST_AGAIN) if given.isdecimal() else AGAIN_IN
