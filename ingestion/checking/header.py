"""Finds the column of each field among the headings: as a person mapped it, else by its name, or by a name,
title or remembered heading that is like it. What is only similar is never taken: a person is asked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingestion.asking import Suggestion
from ingestion.checking import header_similar, messages, texts
from ingestion.checking.columns import Column
from ingestion.checking.shown import cell_text
from ingestion.reading.cells import WireCell, column_index, column_letters

# A header may have 16,384 columns; the verdict need not name them all.
MOST_NAMES = 100
LETTERS = re.compile("[A-Za-z]{1,3}").fullmatch
EXACT, ALIKE, TITLE, ALIAS, SIMILAR = "exact", "alike", "title", "alias", "similar"
DOUBLE = "double"
MAPPED = "mapped"


@dataclass(frozen=True, slots=True)
class FileFailure:
    """Why the whole file is refused before its first row."""

    code: str
    detail: dict[str, Any]
    message: str
    remedy: str


@dataclass(slots=True)
class HeaderMatch:
    """Field name to place in the row, or the failure; `headers` are the names as they stand in the file,
    `why` says how each field was found, `doubled` which columns could equally be it. `asks`: a person must
    say which column is which, and `suggestions` is what can be offered for every field."""

    headers: list[str]
    places: dict[str, int] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    doubled: dict[str, list[int]] = field(default_factory=dict)
    failure: FileFailure | None = None
    assumptions: list[dict[str, Any]] = field(default_factory=list)
    asks: bool = False
    suggestions: list[Suggestion] = field(default_factory=list)


class _Refused(Exception):
    def __init__(self, code: str, **detail: Any) -> None:
        super().__init__(code)
        self.code, self.detail = code, detail


def match(
    cells: Sequence[WireCell],
    columns: Sequence[Column],
    *,
    row: int,
    mapping: Mapping[str, str | None] | None = None,
    aliases: Mapping[str, str] | None = None,
    confirmed: bool = False,
) -> HeaderMatch:
    """`mapping` is obeyed. `aliases` are remembered headings, in the loose form, with their fields.
    `confirmed`: a person agreed to what is found by itself, so nothing is asked."""
    found = HeaderMatch([cell_text(cell) for cell in cells])
    try:
        _obey(found, columns, mapping or {})
        _find(found, columns, mapping or {}, aliases or {})
        _decide(found, columns, mapping or {}, confirmed=confirmed, row=row)
    except _Refused as refused:
        message, remedy = messages.file_message(refused.code, **refused.detail)
        found.failure = FileFailure(refused.code, refused.detail, message, remedy)
    return found


def suggest(found: HeaderMatch, columns: Sequence[Column]) -> list[Suggestion]:
    """For every field the column that it has or could have."""
    guesses = {name: place for _, name, place in _similar(found, columns)}
    return [_suggestion(found, column, guesses) for column in columns]


def _obey(found: HeaderMatch, columns: Sequence[Column], mapping: Mapping[str, str | None]) -> None:
    known = {column.name for column in columns}
    for name, heading in mapping.items():
        if name not in known:
            raise _Refused("mapped_field_unknown", field=name, fields=messages.quoted(sorted(known)))
        if heading is None:
            continue
        place = _mapped_place(found.headers, name, heading)
        other = next((field for field, taken in found.places.items() if taken == place), None)
        if other is not None:
            letters = column_letters(place)
            raise _Refused("mapped_column_twice", field=name, other=other, column=letters)
        _place(found, name, place, MAPPED)


def _mapped_place(headers: Sequence[str], name: str, heading: str) -> int:
    """By the exact heading, else one that is like it, else the letters of the column."""
    wanted = texts.loose(heading)
    for places in (
        [place for place, header in enumerate(headers) if header == heading],
        [place for place, header in enumerate(headers) if wanted and texts.loose(header) == wanted],
    ):
        if len(places) > 1:
            raise _duplicate(headers, places)
        if places:
            return places[0]
    if LETTERS(heading) and column_index(heading.upper()) < len(headers):
        return column_index(heading.upper())
    shown = messages.quoted([header for header in headers if header])
    raise _Refused(
        "mapped_heading_unknown", field=name, heading=texts.shown(heading, most=60), headings=shown
    )


def _find(
    found: HeaderMatch,
    columns: Sequence[Column],
    mapping: Mapping[str, str | None],
    aliases: Mapping[str, str],
) -> None:
    loosely = [texts.loose(header) for header in found.headers]
    for why in (EXACT, ALIKE, TITLE, ALIAS):
        for column in columns:
            if column.name in found.places or column.name in found.doubled or column.name in mapping:
                continue
            taken = set(found.places.values())
            places = [
                place for place in _places(found.headers, loosely, column, aliases, why) if place not in taken
            ]
            if len(places) > 1:
                found.doubled[column.name] = places
            elif places:
                _place(found, column.name, places[0], why)


def _places(
    headers: Sequence[str], loosely: Sequence[str], column: Column, aliases: Mapping[str, str], why: str
) -> list[int]:
    if why == EXACT:
        return [place for place, header in enumerate(headers) if header == column.name]
    if why == ALIAS:
        return [place for place, name in enumerate(loosely) if name and aliases.get(name) == column.name]
    wanted = texts.loose(column.name if why == ALIKE else column.title)
    return [place for place, name in enumerate(loosely) if wanted and name == wanted]


def _decide(
    found: HeaderMatch,
    columns: Sequence[Column],
    mapping: Mapping[str, str | None],
    *,
    confirmed: bool,
    row: int,
) -> None:
    needed = [column.name for column in columns if column.required and column.name not in found.places]
    unsaid = [name for name in needed if name not in mapping]
    similar = [name for score, name, _ in _similar(found, columns) if score >= header_similar.ASK]
    doubtful = bool(unsaid) or not found.places or any(name not in mapping for name in similar)
    if found.doubled:
        # A failure for who wants no questions.
        found.asks = not confirmed and unsaid == needed
        found.suggestions = suggest(found, columns)
        raise _duplicate(found.headers, next(iter(found.doubled.values())))
    if doubtful and not confirmed and _unknown(found) and unsaid == needed:
        found.asks = True
        found.suggestions = suggest(found, columns)
    elif not found.places:
        names = messages.quoted([column.name for column in columns])
        raise _Refused("header_not_found", row=row, expected=names)
    elif needed:
        raise _Refused("missing_column", columns=messages.quoted(needed))
    found.assumptions = list(_assumptions(found, columns))


def _unknown(found: HeaderMatch) -> list[tuple[int, str]]:
    """Headings that no field has."""
    taken = set(found.places.values())
    return [(place, header) for place, header in enumerate(found.headers) if header and place not in taken]


def _similar(found: HeaderMatch, columns: Sequence[Column]) -> list[tuple[float, str, int]]:
    fields = [
        (column.name, (column.name, column.title)) for column in columns if column.name not in found.places
    ]
    return header_similar.pairs(_unknown(found), fields)


def _suggestion(found: HeaderMatch, column: Column, guesses: Mapping[str, int]) -> Suggestion:
    if column.name in found.doubled:
        return Suggestion(
            field=column.name,
            title=column.title,
            required=column.required,
            column=found.doubled[column.name][0],
            sure=False,
            why=DOUBLE,
        )
    why = found.why.get(column.name, SIMILAR if column.name in guesses else "")
    return Suggestion(
        field=column.name,
        title=column.title,
        required=column.required,
        column=found.places.get(column.name, guesses.get(column.name)),
        sure=column.name in found.places or (not column.required and column.name not in guesses),
        why=EXACT if why == MAPPED else why,
    )


def _assumptions(found: HeaderMatch, columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    ignored = [header for _, header in _unknown(found)]
    absent = [column.name for column in columns if column.name not in found.places]
    for code, word, names in (
        ("columns_mapped", "pairs", _found_by(found, MAPPED)),
        ("headers_matched_loosely", "pairs", _found_by(found, ALIKE)),
        ("headers_matched_by_title", "pairs", _found_by(found, TITLE)),
        ("headers_matched_by_alias", "pairs", _found_by(found, ALIAS)),
        ("columns_ignored", "columns", ignored),
        ("columns_absent", "columns", absent),
    ):
        if names:
            yield messages.assumption(code, **{word: names[:MOST_NAMES], "count": len(names)})


def _found_by(found: HeaderMatch, why: str) -> list[str]:
    return [
        f"{found.headers[place] or 'column ' + column_letters(place)} = {name}"
        for name, place in found.places.items()
        if found.why[name] == why
    ]


def _place(found: HeaderMatch, name: str, place: int, why: str) -> None:
    found.places[name] = place
    found.why[name] = why


def _duplicate(headers: Sequence[str], places: Sequence[int]) -> _Refused:
    letters = ", ".join(column_letters(place) for place in places)
    return _Refused("duplicate_header", header=headers[places[0]], letters=letters)
