"""Finds the column of each field in the header row: by its name, else by a name or title that is like it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingestion.checking import messages, texts
from ingestion.checking.columns import Column
from ingestion.checking.shown import cell_text
from ingestion.reading.cells import WireCell, column_letters

# A header may have 16,384 columns; the verdict need not name them all.
MOST_NAMES = 100


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
    for by in (_exactly, _by_name, _by_title):
        for column in columns:
            if column.name in found.places:
                continue
            places = by(headers, column, set(found.places.values()))
            if len(places) > 1:
                letters = ", ".join(column_letters(place) for place in places)
                return _refused(found, "duplicate_header", header=headers[places[0]], letters=letters)
            if places:
                found.places[column.name] = places[0]
    if not found.places:
        names = messages.quoted([column.name for column in columns])
        return _refused(found, "header_not_found", row=row, expected=names)
    needed = [column.name for column in columns if column.required and column.name not in found.places]
    if needed:
        return _refused(found, "missing_column", columns=messages.quoted(needed))
    found.assumptions = list(_assumptions(found, columns))
    return found


def _exactly(headers: list[str], column: Column, taken: set[int]) -> list[int]:
    return [place for place, header in enumerate(headers) if header == column.name]


def _by_name(headers: list[str], column: Column, taken: set[int]) -> list[int]:
    return _alike(headers, column.name, taken)


def _by_title(headers: list[str], column: Column, taken: set[int]) -> list[int]:
    return _alike(headers, column.title, taken)


def _alike(headers: list[str], name: str, taken: set[int]) -> list[int]:
    """Where a header that no field has yet looks like the name."""
    wanted = texts.loose(name)
    if not wanted:
        return []
    return [
        place for place, header in enumerate(headers) if place not in taken and texts.loose(header) == wanted
    ]


def _assumptions(found: HeaderMatch, columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    loosely = [
        f"{found.headers[place]} = {name}"
        for name, place in found.places.items()
        if found.headers[place] != name
    ]
    taken = set(found.places.values())
    ignored = [
        header or f"column {column_letters(place)}"
        for place, header in enumerate(found.headers)
        if place not in taken
    ]
    absent = [column.name for column in columns if column.name not in found.places]
    for code, word, names in (
        ("headers_matched_loosely", "pairs", loosely),
        ("columns_ignored", "columns", ignored),
        ("columns_absent", "columns", absent),
    ):
        if names:
            yield messages.assumption(code, **{word: names[:MOST_NAMES], "count": len(names)})


def _refused(found: HeaderMatch, code: str, **detail: Any) -> HeaderMatch:
    message, remedy = messages.file_message(code, **detail)
    found.failure = FileFailure(code, detail, message, remedy)
    return found
