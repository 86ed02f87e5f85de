"""The parent's side of a reading: starts the child, hands over its frames, and says why it ended.
Rows are decoded only when asked for; the pipe between the two holds about ten batches in advance."""

import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO, Self

from . import assumptions
from .cells import WireCell
from .failures import ReaderCrashed, ReaderKilled, ReadingStopped, UnreadableFile
from .limits import FRAME_BYTES, MEMORY_BYTES, SPILL_BYTES
from .wire import LENGTH

# Part of every verdict: raised whenever the same bytes may give other rows or other assumptions.
PARSER_VERSION = "2"
CHILD = Path(__file__).with_name("child.py")
PIPE_BYTES = 1 << 20
STDERR_TAIL = 4_000
LIMIT_SIGNALS = {signal.SIGXCPU: "processor time", signal.SIGABRT: "memory", signal.SIGSEGV: "memory"}


Row = list[Any]  # [number, cells] or [number, cells, {"missing": n} or {"extra": n}]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read: what the organisation and the dataset say, and the limits.

    `expected` are the spellings of each field's name (name, title, aliases): the header is the row that has
    most of them; without any, the row that looks most like headings; None: the first row with a value.
    `sheet`, `header_row` and `header_rows` (1 or 2) are obeyed, where they are said. `usual_sheet` is taken
    when several sheets would do. `letters` are columns that count although nothing may stand over them.
    """

    encoding: str = "cp1252"
    delimiter: str | None = None
    expected: Sequence[Sequence[str]] | None = None
    sheet: str | None = None
    usual_sheet: str = ""
    header_row: int = 0
    header_rows: int = 0
    letters: Sequence[str] = ()
    cpu_seconds: int = 120
    wall_seconds: float = 900.0
    memory_bytes: int = MEMORY_BYTES
    spill_bytes: int = SPILL_BYTES


@dataclass(frozen=True, slots=True)
class SheetSeen:
    """A sheet of the workbook, as far as it was looked at; `rows` are [number, cells] of its first rows,
    `score` is how many fields its headings name."""

    name: str
    hidden: bool
    rows: list[Row] = field(default_factory=list)
    score: int = 0


@dataclass(frozen=True, slots=True)
class HeaderFrame:
    """The headings, and how they were found. `row` is the upper one of `depth` rows. Not `sure`: the row is a
    guess. `above` are the numbers of rows with a value above it, `first` the first rows of the sheet.
    `sheet_chosen` says why this sheet is read ("only", "named", "matching", "usual", "first"), "doubt" when
    it is a guess."""

    sheet: str
    row: int
    cells: list[WireCell]
    depth: int = 1
    score: int = 0
    sure: bool = True
    said: bool = False
    above: list[int] = field(default_factory=list)
    first: list[Row] = field(default_factory=list)
    sheets: list[SheetSeen] = field(default_factory=list)
    sheet_chosen: str = "only"

    @property
    def last_row(self) -> int:
        return self.row + self.depth - 1


@dataclass(frozen=True, slots=True)
class RowsFrame:
    """Up to 500 rows; `done` of `total` bytes of the sheet were read when they were sent."""

    sheet: str
    rows: list[Row]
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What a whole reading found. rows + blank_rows is what stands below the header."""

    format: str
    sheet: str
    rows: int
    blank_rows: int
    last_row: int
    header_row: int
    assumptions: list[dict[str, Any]] = field(default_factory=list)


def open_reader(file: BinaryIO, *, options: ReadOptions | None = None) -> "Reader":
    """Start reading `file`, a real file. Use as a context manager: leaving it ends the child."""
    return Reader(file, options or ReadOptions())


class Reader:
    """Iterate for the rows; `header` comes first and may be asked for before.
    Raises UnreadableFile when the file is at fault, ReadingStopped after kill(), ReaderKilled when another
    ended the child, ReaderCrashed otherwise."""

    def __init__(self, file: BinaryIO, options: ReadOptions) -> None:
        self.options = options
        self.end: End | None = None
        self.rows_read = 0
        self.done = 0
        self.total = 0
        self._header: HeaderFrame | None = None
        self._killed = False
        # Only waiting for the child counts: what the caller does between the frames is not its fault.
        self._patience = options.wall_seconds
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  (closed by close)
        file.seek(0)
        # In -I mode neither the environment nor the current folder can change what the child imports.
        # The child dies with the thread that starts it (PDEATHSIG): start it in one that lives as long.
        with self._told() as told:
            self.process = subprocess.Popen(
                [sys.executable, "-I", str(CHILD), str(told.fileno())],
                stdin=file.fileno(),
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                pass_fds=[told.fileno()],
                env={},
            )
        assert self.process.stdout is not None  # noqa: S101
        self._pipe = self.process.stdout.fileno()
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._poll = select.poll()
        self._poll.register(self._pipe, select.POLLIN)
        self._buffer = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[RowsFrame]:
        _ = self.header
        while self.end is None:
            frame = self._next_frame()
            if "rows" in frame:
                self.rows_read += len(frame["rows"])
                self.done, self.total = frame["at"]
                yield RowsFrame(frame["sheet"], frame["rows"], self.done, self.total)
            else:
                self.end = _end(frame["end"])

    @property
    def header(self) -> HeaderFrame:
        if self._header is None:
            frame = self._next_frame()
            self._header = _header(frame)
        return self._header

    def kill(self) -> None:
        """End the child now; the next frame raises ReadingStopped. Safe from another thread, and twice."""
        self._killed = True
        self.process.kill()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self._stderr.close()

    def _told(self) -> IO[bytes]:
        """The options as a file: an argument may not be as long as the names of many fields."""
        options = asdict(self.options)
        del options["wall_seconds"]
        told = tempfile.TemporaryFile()  # noqa: SIM115  (closed by the caller)
        told.write(json.dumps({**options, "parent": os.getpid()}).encode())
        told.seek(0)
        return told

    def _next_frame(self) -> dict[str, Any]:
        (length,) = LENGTH.unpack(self._take(LENGTH.size))
        if length > FRAME_BYTES:
            raise ReaderCrashed(f"a frame of {length} bytes")
        frame: dict[str, Any] = json.loads(self._take(length))
        if "failure" in frame:
            raise UnreadableFile(frame["failure"]["code"], frame["failure"]["detail"])
        return frame

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            started = time.monotonic()
            ready = self._poll.poll(max(0.0, self._patience) * 1000)
            self._patience -= time.monotonic() - started
            if not ready:
                self.process.kill()
                raise UnreadableFile("file_exceeds_limits", {"limit": "time"})
            block = os.read(self._pipe, PIPE_BYTES)
            if not block:
                raise self._why_it_ended()
            self._buffer += block
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _why_it_ended(self) -> Exception:
        code = self.process.wait()
        if self._killed:
            return ReadingStopped()
        if code < 0:
            cause = signal.Signals(-code)
            limit = LIMIT_SIGNALS.get(cause)
            if limit is None:
                return ReaderKilled(f"killed by {cause.name}")
            return UnreadableFile("file_exceeds_limits", {"limit": limit, "signal": cause.name})
        self._stderr.seek(max(0, os.fstat(self._stderr.fileno()).st_size - STDERR_TAIL))
        return ReaderCrashed(f"exit {code}: {self._stderr.read().decode(errors='replace')}")


def _header(frame: dict[str, Any]) -> HeaderFrame:
    row, cells = frame["header"]
    look = frame["look"]
    first = look.pop("rows")
    sheets = [SheetSeen(**seen) for seen in look.pop("sheets", ())]
    return HeaderFrame(frame["sheet"], row, cells, first=first, sheets=sheets, **look)


def _end(summary: dict[str, Any]) -> End:
    described = [assumptions.describe(code, detail) for code, detail in summary.pop("assumptions")]
    return End(**summary, assumptions=described)
