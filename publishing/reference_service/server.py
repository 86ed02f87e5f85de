"""The HTTP side of the reference data service, by `publishing/data_services/contract.yaml`."""

import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from publishing.reference_service.exports import Exports, Refused
from publishing.reference_service.faults import Faults

RETRY_AFTER = "1"
LONGEST_BODY = 1 << 16


class Service(ThreadingHTTPServer):
    """On loopback only. Without a token it lets everybody in."""

    daemon_threads = False  # so that closing waits for the calls that are being answered

    def __init__(
        self, folder: Path, *, port: int = 0, token: str = "", seconds: float = 0.0, hangs: float = 30.0
    ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.exports, self.faults = Exports(folder, seconds=seconds), Faults()
        self.token, self.hangs = token, hangs
        self.closing = threading.Event()
        self.calls: list[tuple[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def server_close(self) -> None:
        self.closing.set()
        super().server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_PUT(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), LONGEST_BODY))
        if self._parts() == ["faults"]:
            self._set_faults(body)
        else:
            self._exports("start", body)

    def do_GET(self) -> None:
        parts = self._parts()
        if parts == ["health"]:
            self._answer(200, {"state": "well"})
        elif parts == ["faults"]:
            self._answer(200, self.server.faults.counted)
        elif parts == ["exports"]:
            self._answer(200, self.server.exports.keys())
        else:
            self._exports("fetch" if len(parts) == 4 else "status")

    def do_DELETE(self) -> None:
        self._exports("delete")

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: what was called stands in `calls`."""

    def _exports(self, call: str, body: bytes = b"") -> None:
        parts = self._parts()
        if len(parts) not in (2, 4) or parts[0] != "exports" or (len(parts) == 4 and parts[2] != "files"):
            self._answer(404, {"title": "There is no such thing."})
            return
        if self.server.token and self.headers.get("Authorization") != f"Bearer {self.server.token}":
            self._answer(401, {"title": "A token is needed."})
            return
        self.server.calls.append((call, parts[1]))
        fault = self.server.faults.next(call)
        if fault in ("forgotten", "failed"):
            getattr(self.server.exports, {"forgotten": "forget", "failed": "fail"}[fault])(parts[1])
        elif self._has_failed(fault):
            return
        try:
            getattr(self, f"_{call}")(parts, body, fault)
        except Refused as refused:
            self._answer(refused.status, {"title": str(refused)})

    def _has_failed(self, fault: str) -> bool:
        match fault:
            case "unavailable":
                self._answer(503, {"title": "Not now."}, retry_after=RETRY_AFTER)
            case "overloaded":
                self._answer(429, {"title": "Too many calls."}, retry_after=RETRY_AFTER)
            case "malformed":
                self._send(200, b'{"state": "finis', "application/json")
            case "hangs":
                self.server.closing.wait(self.server.hangs)
                self.close_connection = True
            case "broken_off":
                self.close_connection = True
            case _:
                return False
        return True

    def _start(self, parts: list[str], body: bytes, fault: str) -> None:
        try:
            asked = json.loads(body)
            source, formats = str(asked["source"]), [str(each) for each in asked["formats"]]
        except (ValueError, KeyError, TypeError):
            self._answer(400, {"title": "The request is {source, formats}."})
            return
        self._answer_status(self.server.exports.start(parts[1], source, formats))

    def _status(self, parts: list[str], body: bytes, fault: str) -> None:
        status = self.server.exports.status(parts[1])
        if status is None:
            raise Refused(404, "There is no such export.")
        self._answer_status(status)

    def _fetch(self, parts: list[str], body: bytes, fault: str) -> None:
        content = self.server.exports.file(parts[1], parts[3])
        if content is None:
            raise Refused(404, "There is no such file.")
        if fault == "half":
            self._send(200, content, "application/octet-stream", sent=len(content) // 2)
            return
        if fault == "longer":
            content += b"\n"
        elif fault == "other_bytes":
            content = bytes([content[0] ^ 1]) + content[1:] if content else b"?"
        self._send(200, content, "application/octet-stream")

    def _delete(self, parts: list[str], body: bytes, fault: str) -> None:
        if not self.server.exports.delete(parts[1]):
            raise Refused(404, "There is no such export.")
        self._send(204, b"", "application/json")

    def _answer_status(self, status: dict[str, Any]) -> None:
        is_running = status["state"] == "running"
        self._answer(202 if is_running else 200, status, retry_after=RETRY_AFTER if is_running else "")

    def _set_faults(self, body: bytes) -> None:
        try:
            self.server.faults.set(json.loads(body))
        except (ValueError, TypeError, AttributeError) as error:
            self._answer(422, {"title": str(error)})
            return
        self._answer(200, {"state": "set"})

    def _parts(self) -> list[str]:
        return [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]

    def _answer(self, status: int, body: Any, retry_after: str = "") -> None:
        self._send(status, json.dumps(body).encode(), "application/json", retry_after=retry_after)

    def _send(
        self, status: int, content: bytes, media_type: str, *, sent: int | None = None, retry_after: str = ""
    ) -> None:
        """`sent` bytes of the content, whatever length was promised."""
        self.send_response(status)
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(content)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(content[:sent])
        if sent is not None:
            self.close_connection = True
