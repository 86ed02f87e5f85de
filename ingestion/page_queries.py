"""What pages read beside lists: counts of states, the steps of an upload, its refused rows as a table."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from ingestion.models import RowError, Upload
from ingestion.reading.cells import column_letters
from ingestion.states import UploadState
from work.badges import find
from work.counting import Counted, bounded
from work.periodic import database_now
from work.wording import number

STEPS = (("read_rows", "Read and checked"), ("check_keys", "Keys compared"), ("store_records", "Stored"))
UNDER_WAY = (
    ("read_rows", "Reading and checking rows"),
    ("check_keys", "Comparing keys"),
    ("store_records", "Storing rows"),
)
WAITS = {"shape": "waiting", "word": "waiting"}
NOT_REACHED = {"shape": "cancelled", "word": "not reached"}
# How the step looks at which the work is, or at which it ended without a duration.
AT_A_STEP = {
    UploadState.PROCESSING: {"shape": "running", "word": "running"},
    UploadState.FAILED: {"shape": "bad", "word": "failed here"},
    UploadState.CANCELLED: {"shape": "cancelled", "word": "stopped here"},
}
COLUMNS_SHOWN = 60
NEWER_COUNTED = 100


def state_pills(uploads: QuerySet[Upload]) -> list[tuple[str, str, int | None]]:
    """(value, label, count) per state. Only unfinished ones are counted: finished ones may be millions."""
    counted = {
        UploadState.ACCEPTED: uploads.filter(due_at__isnull=False).count(),
        UploadState.PROCESSING: uploads.filter(lease_token__isnull=False).count(),
        UploadState.NEEDS_ANSWER: uploads.filter(asked_at__isnull=False).count(),
    }
    pills: list[tuple[str, str, int | None]] = [("", "All", None)]
    return pills + [(state.value, find("upload", state).word, counted.get(state)) for state in UploadState]


def newer_than(uploads: QuerySet[Upload], first: uuid.UUID) -> Counted:
    """How many came into a list since its first row was read; ids are in the order of acceptance."""
    return bounded(uploads.filter(pk__gt=first), NEWER_COUNTED)


def steps(upload: Upload) -> list[dict[str, Any]]:
    """For the step list: accepted, then each step with its duration, or where it stands."""
    accepted = {"name": "Accepted", "shape": "done", "word": "done", "at": upload.accepted_at}
    accepted["detail"] = f"original kept, sha256 {upload.sha256[:8]}…"
    names = [name for name, _ in STEPS]
    reached = names.index(upload.step) if upload.step in names else -1
    return [
        accepted,
        *(_step(upload, place, name, title, reached) for place, (name, title) in enumerate(STEPS)),
    ]


def step_title(upload: Upload) -> str:
    return dict(UNDER_WAY).get(upload.step, "Starting")


def _step(upload: Upload, place: int, name: str, title: str, reached: int) -> dict[str, Any]:
    """`reached` is the place of the step at which the work is, or at which it ended; -1 before the first."""
    step = {"name": title, "detail": _detail(upload, name)}
    if name in upload.timings:
        return step | {"shape": "done", "word": "done", "took": upload.timings[name]}
    if upload.state not in AT_A_STEP:
        return step | WAITS
    if place < reached:
        return step | {"shape": "done", "word": "done"}
    if place == max(reached, 0) and (reached >= 0 or upload.state == UploadState.PROCESSING):
        return step | AT_A_STEP[UploadState(upload.state)]
    return step | (NOT_REACHED if upload.finished_at else WAITS)


def _detail(upload: Upload, name: str) -> str:
    """What a step found; while it runs, how far it is."""
    if name in upload.timings:
        return _found(upload, name)
    if upload.finished_at is not None or upload.lease_token is None:
        return ""
    if name == upload.step and upload.progress_done:
        return f"{number(upload.progress_done)} rows so far"
    if name == "read_rows" and upload.progress_total:
        return f"{number(upload.progress_total)} rows"
    return ""


def _found(upload: Upload, name: str) -> str:
    if name == "read_rows":
        return f"{number(upload.rows_read)} rows, {number(upload.refused)} refused"
    if name == "store_records":
        return f"{number(upload.inserted)} new, {number(upload.updated)} changed"
    return ""


def rate(upload: Upload) -> float | None:
    """Rows read and checked per second, while that goes on; later steps are single statements."""
    if upload.step != STEPS[0][0] or upload.started_at is None or upload.lease_token is None:
        return None
    seconds = (database_now() - upload.started_at).total_seconds()
    return upload.progress_done / seconds if upload.progress_done and seconds > 1 else None


@dataclass(frozen=True)
class Cell:
    text: str
    is_bad: bool


@dataclass(frozen=True)
class Line:
    number: int
    sheet: str
    cells: list[Cell]
    errors: list[dict[str, str]]


def lines(upload: Upload, rows: list[RowError]) -> tuple[list[tuple[str, str]], list[Line]]:
    """The columns as (letter, header), and the rows with the cells at fault marked."""
    headers = upload.headers
    width = min(COLUMNS_SHOWN, max((len(row.cells) for row in rows), default=0))
    width = max(width, min(COLUMNS_SHOWN, len(headers))) if rows else 0
    letters = [column_letters(place) for place in range(width)]
    heads = [(name, headers[place] if place < len(headers) else "") for place, name in enumerate(letters)]
    return heads, [_line(row, letters) for row in rows]


def _line(row: RowError, letters: list[str]) -> Line:
    bad = {error.get("column") for error in row.errors}
    typed = [*row.cells, *[""] * len(letters)]
    cells = [Cell(text_of(typed[place]), name in bad) for place, name in enumerate(letters)]
    return Line(row.row, row.sheet, cells, row.errors)


def text_of(cell: Any) -> str:
    return "" if cell is None else str(cell)
