"""Finds the column of each field in the header row: by its name, else by a name or title that is like it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ingestion.checking import messages, texts
from ingestion.checking.columns import Column
from ingestion.checking.shown import cell_text
from ingestion.reading.cells import WireCell, column_letters


@dataclass(frozen=True, slots=True)
class FileFailure:
    """Why the whole file is refused before its first row."""

    code: str
    detail: dict[str, Any]
    message: str
    remedy: str


@dataclass(slots=True)
class HeaderMatch:
    """Field name to place in the row, or the failure; `headers` are the names as they stand in the file."""

    headers: list[str]
    places: dict[str, int] = field(default_factory=dict)
    failure: FileFailure | None = None
    assumptions: list[dict[str, Any]] = field(default_factory=list)


def match(cells: Sequence[WireCell], columns: Sequence[Column], *, row: int) -> HeaderMatch:
    headers = [cell_text(cell) for cell in cells]
    found = HeaderMatch(headers)
    loosely: list[str] = []
    for column in columns:
        places = _places(headers, column)
        if len(places) > 1:
            letters = ", ".join(column_letters(place) for place in places)
            return _refused(found, "duplicate_header", header=headers[places[0]], letters=letters)
        if places:
            found.places[column.name] = places[0]
            if headers[places[0]] != column.name:
                loosely.append(f"{headers[places[0]]} = {column.name}")
    absent = [column for column in columns if column.name not in found.places]
    if not found.places:
        names = messages.quoted([column.name for column in columns])
        return _refused(found, "header_not_found", row=row, expected=names)
    needed = [column.name for column in absent if column.required]
    if needed:
        return _refused(found, "missing_column", columns=messages.quoted(needed))
    ignored = [header or f"column {column_letters(place)}" for place, header in enumerate(headers)]
    taken = set(found.places.values())
    ignored = [name for place, name in enumerate(ignored) if place not in taken]
    if loosely:
        found.assumptions.append(messages.assumption("headers_matched_loosely", pairs=loosely))
    if ignored:
        found.assumptions.append(messages.assumption("columns_ignored", columns=ignored))
    if absent:
        names_absent = [column.name for column in absent]
        found.assumptions.append(messages.assumption("columns_absent", columns=names_absent))
    return found


def _places(headers: list[str], column: Column) -> list[int]:
    """Where the exact name stands, else a like name, else a like title."""
    exact = [place for place, header in enumerate(headers) if header == column.name]
    if exact:
        return exact
    like = [texts.loose(header) for header in headers]
    for name in (column.name, column.title):
        wanted = texts.loose(name)
        places = [place for place, header in enumerate(like) if wanted and header == wanted]
        if places:
            return places
    return []


def _refused(found: HeaderMatch, code: str, **detail: Any) -> HeaderMatch:
    message, remedy = messages.file_message(code, **detail)
    found.failure = FileFailure(code, detail, message, remedy)
    return found
