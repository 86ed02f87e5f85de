"""Frames: four bytes of length, then JSON. The child writes them, the parent reads them; never pickle."""

import json
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO

from .failures import Refused
from .limits import BATCH_BYTES, BATCH_ROWS, FRAME_BYTES, SENT_CELLS

LENGTH = struct.Struct(">I")


def dump(value: Any) -> bytes:
    # surrogatepass: a lone surrogate in a cell must reach the checks, which name the cell.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


class FrameWriter:
    """Collects rows that are JSON already and sends them in batches."""

    def __init__(self, out: BinaryIO, *, total: int) -> None:
        self.out = out
        self.total = total
        self.done = 0
        self.sheet = b'""'
        self.rows: list[bytes] = []
        self.size = 0
        self.cells = 0

    def header(self, row: int, cells: Sequence[bytes], look: dict[str, Any]) -> None:
        self._send(
            b'{"sheet":%b,"header":[%d,[%b]],"look":%b}' % (self.sheet, row, b",".join(cells), dump(look))
        )

    def row(self, row: bytes, *, cells: int) -> None:
        self.rows.append(row)
        self.size += len(row)
        self.cells += cells
        if len(self.rows) >= BATCH_ROWS or self.size >= BATCH_BYTES:
            self.flush()

    def many(self, rows: list[bytes], *, cells: int) -> None:
        """Rows of the same width."""
        if max(map(len, rows)) * BATCH_ROWS > BATCH_BYTES * 4:
            for row in rows:
                self.row(row, cells=cells)
            return
        at = 0
        while at < len(rows):
            batch = rows[at : at + BATCH_ROWS - len(self.rows)]
            self.rows += batch
            self.cells += cells * len(batch)
            at += len(batch)
            if len(self.rows) >= BATCH_ROWS:
                self.flush()

    def flush(self) -> None:
        if self.cells > SENT_CELLS:
            raise Refused("file_exceeds_limits", limit="the number of cells", most=SENT_CELLS)
        if self.rows:
            self._send(
                b'{"sheet":%b,"at":[%d,%d],"rows":[%b]}'
                % (self.sheet, self.done, self.total, b",".join(self.rows))
            )
            self.rows.clear()
            self.size = 0

    def end(self, summary: dict[str, Any]) -> None:
        self.flush()
        self._send(dump({"end": summary}))

    def failure(self, code: str, detail: dict[str, Any]) -> None:
        self._send(dump({"failure": {"code": code, "detail": detail}}))

    def _send(self, frame: bytes) -> None:
        if len(frame) > FRAME_BYTES:
            raise Refused("file_exceeds_limits", limit="the size of a row", most=FRAME_BYTES)
        self.out.write(LENGTH.pack(len(frame)) + frame)
        self.out.flush()
