"""What pages read beside lists: counts of states, the steps of an upload, its refused rows as a table."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from ingestion.models import RowError, Upload
from ingestion.states import UploadState
from work.badges import find
from work.periodic import database_now

STEPS = (("read_rows", "Read and checked"), ("check_keys", "Keys compared"), ("store_records", "Stored"))
COLUMNS_SHOWN = 60


def state_pills(uploads: QuerySet[Upload]) -> list[tuple[str, str, int | None]]:
    """(value, label, count) per state. Only unfinished ones are counted: finished ones may be millions."""
    counted = {
        UploadState.ACCEPTED: uploads.filter(due_at__isnull=False).count(),
        UploadState.PROCESSING: uploads.filter(lease_token__isnull=False).count(),
        UploadState.NEEDS_ANSWER: uploads.filter(asked_at__isnull=False).count(),
    }
    pills: list[tuple[str, str, int | None]] = [("", "All", None)]
    return pills + [(state.value, find("upload", state).word, counted.get(state)) for state in UploadState]


def steps(upload: Upload) -> list[dict[str, Any]]:
    """For the step list: accepted, then each step with its duration or where it stands."""
    listed: list[dict[str, Any]] = [
        {
            "name": "Accepted",
            "shape": "done",
            "word": "Done",
            "detail": f"original kept, sha256 {upload.sha256[:8]}…",
            "at": upload.accepted_at,
        }
    ]
    passed = True
    for name, title in STEPS:
        step: dict[str, Any] = {"name": title, "shape": "waiting", "word": "waiting"}
        if name in upload.timings:
            step |= {
                "shape": "done",
                "word": "Done",
                "took": upload.timings[name],
                "detail": _detail(upload, name),
            }
        elif upload.finished_at is not None:
            step |= {"shape": "cancelled", "word": "not reached"}
        elif upload.state == UploadState.PROCESSING and (upload.step == name or (passed and not upload.step)):
            step |= {"shape": "running", "word": "running"}
            passed = False
        elif upload.state == UploadState.PROCESSING and passed:
            step |= {"shape": "done", "word": "Done"}
        listed.append(step)
    return listed


def _detail(upload: Upload, name: str) -> str:
    if name == "read_rows":
        return f"schema {upload.schema_version}, parser {upload.parser_version}"
    if name == "store_records":
        return f"{upload.inserted:,} new, {upload.updated:,} changed"
    return ""


def rate(upload: Upload) -> float | None:
    """Rows per second of the running step's attempt; None until there is something to divide by."""
    if not upload.progress_done or upload.started_at is None or upload.lease_token is None:
        return None
    seconds = (database_now() - upload.started_at) / dt.timedelta(seconds=1)
    return upload.progress_done / seconds if seconds > 1 else None


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


def lines(rows: list[RowError]) -> tuple[list[str], list[Line]]:
    """Column letters in use, and the rows with the cells at fault marked."""
    width = min(COLUMNS_SHOWN, max((len(row.cells) for row in rows), default=0))
    letters = [letter(place) for place in range(width)]
    return letters, [_line(row, letters) for row in rows]


def _line(row: RowError, letters: list[str]) -> Line:
    bad = {error.get("column") for error in row.errors}
    typed = [*row.cells, *[""] * len(letters)]
    cells = [Cell(text_of(typed[place]), name in bad) for place, name in enumerate(letters)]
    return Line(row.row, row.sheet, cells, row.errors)


def text_of(cell: Any) -> str:
    return "" if cell is None else str(cell)


def letter(place: int) -> str:
    """0 is A, 25 is Z, 26 is AA: the letter of a column as the spreadsheet program shows it."""
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(65 + rest) + name
    return name
