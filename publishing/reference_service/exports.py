"""Exports as files of a folder: a JSON file for each key, and the files that were made under it."""

import csv
import hashlib
import io
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
Rows = Sequence[dict[str, Any]]


class Refused(Exception):
    """The request cannot be met, ever. `status` is what HTTP calls it."""

    def __init__(self, status: int, title: str) -> None:
        super().__init__(title)
        self.status = status


class Exports:
    """`seconds` is how long an export is under way before it is finished."""

    def __init__(self, folder: Path, *, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds
        self.lock = threading.Lock()
        (folder / "exports").mkdir(parents=True, exist_ok=True)
        (folder / "sources").mkdir(parents=True, exist_ok=True)

    def start(self, key: str, source: str, formats: Sequence[str]) -> dict[str, Any]:
        """The same export for the same key, however often. Raises Refused: 404 for an unknown source, 422
        for a format that is not made here, 410 for a key that was deleted.
        """
        with self.lock:
            known = self._read(key)
            if known is None:
                if not self._source(source).is_file():
                    raise Refused(404, "There is no such source.")
                if unknown := sorted(set(formats) - set(WRITERS)):
                    raise Refused(422, f"The format {unknown[0]} is not made here.")
                known = {"source": source, "formats": list(formats), "started": time.time()}
                self._write(key, known)
            return self._status(key, known)

    def status(self, key: str) -> dict[str, Any] | None:
        with self.lock:
            known = self._read(key)
            return self._status(key, known) if known else None

    def file(self, key: str, format_name: str) -> bytes | None:
        path = self._place(key, format_name)
        return path.read_bytes() if path.is_file() else None

    def delete(self, key: str) -> bool:
        """Whether there was one; a tombstone stays in any case."""
        with self.lock:
            path = self._path(key)
            there = path.is_file() and "deleted" not in json.loads(path.read_text())
            self._forget_files(key)
            self._write(key, {"deleted": time.time()})
            return there

    def forget(self, key: str) -> None:
        """As if the service had lost its disk: no tombstone."""
        with self.lock:
            self._forget_files(key)
            self._path(key).unlink(missing_ok=True)

    def fail(self, key: str) -> None:
        with self.lock:
            known = self._read(key)
            if known:
                self._write(key, {**known, "failed": "out_of_memory"})

    def keys(self) -> list[str]:
        """Of the exports that have files, or will have."""
        paths = sorted((self.folder / "exports").glob("*.json"))
        return [path.stem for path in paths if "deleted" not in json.loads(path.read_text())]

    def _status(self, key: str, known: dict[str, Any]) -> dict[str, Any]:
        if "failed" in known:
            return {"state": "failed", "code": known["failed"]}
        passed = time.time() - known["started"]
        if passed < self.seconds:
            return {"state": "running", "done": int(100 * passed / self.seconds), "total": 100, "unit": "%"}
        if "files" not in known:
            known = {**known, "files": self._make(key, known)}
            self._write(key, known)
        return {
            "state": "finished",
            "files": known["files"],
            "data_version": known["files"][0]["sha256"][:12],
        }

    def _make(self, key: str, known: dict[str, Any]) -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in self._source(known["source"]).read_text().splitlines() if line]
        made = []
        for format_name in known["formats"]:
            content = WRITERS[format_name](rows)
            self._place(key, format_name).write_bytes(content)
            made.append(
                {
                    "format": format_name,
                    "size": len(content),
                    "sha256": hashlib.sha256(content).hexdigest(),
                    "records": len(rows),
                }
            )
        return made

    def _read(self, key: str) -> dict[str, Any] | None:
        path = self._path(key)
        known: dict[str, Any] | None = json.loads(path.read_text()) if path.is_file() else None
        if known and "deleted" in known:
            raise Refused(410, "The export was deleted.")
        return known

    def _write(self, key: str, known: dict[str, Any]) -> None:
        fresh = self._path(key).with_suffix(".new")
        fresh.write_text(json.dumps(known))
        fresh.replace(self._path(key))

    def _forget_files(self, key: str) -> None:
        for format_name in WRITERS:
            self._place(key, format_name).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / "exports" / f"{checked(key)}.json"

    def _place(self, key: str, format_name: str) -> Path:
        return self.folder / "exports" / f"{checked(key)}.{checked(format_name)}.data"

    def _source(self, source: str) -> Path:
        return self.folder / "sources" / f"{checked(source)}.jsonl"


def checked(name: str) -> str:
    """The name, when it can lead nowhere else. Raises Refused 404."""
    if not KEY.fullmatch(name) or ".." in name:
        raise Refused(404, "There is no such thing.")
    return name


def _csv(rows: Rows) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _json_lines(rows: Rows) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _json(rows: Rows) -> bytes:
    return json.dumps(list(rows), ensure_ascii=False, indent=1).encode()


def _xml(rows: Rows) -> bytes:
    records = (
        "<record>"
        + "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in row.items())
        + "</record>"
        for row in rows
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<records>' + "\n".join(records) + "</records>\n"
    ).encode()


WRITERS: dict[str, Callable[[Rows], bytes]] = {
    "csv": _csv, "json": _json, "jsonl": _json_lines, "xml": _xml,
}  # fmt: skip
