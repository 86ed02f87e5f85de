"""Infers a Table Schema from a sample, and proves it: what is returned takes every row of the sample, but for
rows with a cell that no type takes, or with too many or too few cells."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ingestion.checking.checker import Checker
from ingestion.checking.locales import find
from ingestion.checking.schemas import MOST_FIELDS
from ingestion.inferring import keys, naming
from ingestion.inferring.locale import better
from ingestion.inferring.notes import Note, note
from ingestion.inferring.sampling import Sample
from ingestion.inferring.seen import Seen, is_blank, look, shown
from ingestion.inferring.types import Choice, Hints, choose
from ingestion.reading.cells import column_letters
from ingestion.reading.reader import Row

REQUIRED_ROWS = 5
FEW_VALUES = 10
EXAMPLES = 5

ASSUMPTIONS = {
    "locale_found": "Numbers and headings are written as in the locale {locale}, so it was taken "
    "instead of {usual}.",
    "sample_cut": "Only the first {rows:,} rows were read.",
    "columns_left_out": "Columns without a heading of their own were left out: {columns}.",
    "rows_left_out": "{count:,} rows with more or fewer cells than the header were left out.",
    "key_chosen": "{key} was taken for the key: no two rows of the sample share it.",
    "no_key": "No column and no pair of them tells all rows apart: without a key every upload adds records.",
}


@dataclass(slots=True)
class Evidence:
    """What the sample says about one field; `rows` behind an example is where it stands first."""

    name: str
    heading: str
    column: str
    values: int
    blanks: int
    distinct: int
    is_unique: bool
    examples: list[str]
    counter_examples: list[dict[str, Any]]
    shortest: int
    longest: int
    lowest: str
    highest: str
    confidence: str
    notes: list[Note] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "notes": [each.as_json() for each in self.notes]}


@dataclass(slots=True)
class Inferred:
    schema: dict[str, Any]
    locale: str
    evidence: list[Evidence]
    candidate_keys: list[list[str]]
    assumptions: list[dict[str, Any]]


class NothingUsable(Exception):
    """No column of the sample has a heading of its own."""


def infer(sample: Sample, *, locale: str, is_said: bool = True) -> Inferred:
    """The same sample and locale always give the same answer. Raises NothingUsable. Where nobody said the
    locale, one that fits the sample better takes its place."""
    places = naming.usable(sample.headings)[:MOST_FIELDS]
    if not places:
        raise NothingUsable
    rows = [row for row in sample.rows if not _is_ragged(row) and not all(map(is_blank, row[1]))]
    columns = [look(place, sample.headings[place], rows) for place in places]
    choices = _choices(columns, locale)
    usual, locale = locale, locale if is_said else _better(choices, locale)
    if locale != usual:
        # Numbers keep the signs declared, so that the schema holds in the organisation's locale too.
        choices = [
            new if new.field["type"] in ("date", "datetime") else old
            for old, new in zip(choices, _choices(columns, locale), strict=True)
        ]
    fields = [
        _field(name, choice, rows)
        for name, choice in zip(naming.names(sample.headings, places), choices, strict=True)
    ]
    fragments, comparable = _proven(sample, fields, rows, locale)
    found_keys = keys.candidates(fields, comparable) if rows else []
    schema: dict[str, Any] = {"fields": fields}
    if found_keys:
        schema["primaryKey"] = found_keys[0]
    evidence = [_evidence(*each) for each in zip(columns, choices, fields, fragments, strict=True)]
    return Inferred(
        schema, locale, evidence, found_keys,
        [*_located(locale, usual), *_assumptions(sample, places, rows, found_keys)],
    )  # fmt: skip


def _choices(columns: Sequence[Seen], tag: str) -> list[Choice]:
    """Twice: what some columns are sure of decides in others that can be read either way."""
    locale = find(tag)
    choices = [choose(column, locale, tag=tag, hints=Hints()) for column in columns]
    decimals = {choice.decimal for choice in choices if choice.decimal}
    orders = {choice.order for choice in choices if choice.order}
    hints = Hints(decimals.pop() if len(decimals) == 1 else None, orders.pop() if len(orders) == 1 else None)
    return [
        choose(column, locale, tag=tag, hints=hints) if choice.is_open else choice
        for column, choice in zip(columns, choices, strict=True)
    ]


def _better(choices: Sequence[Choice], tag: str) -> str:
    decimals = {choice.decimal for choice in choices if choice.decimal}
    return better(
        tag,
        decimal=decimals.pop() if len(decimals) == 1 else None,
        headings=[choice.seen.heading for choice in choices],
        trues=[word for choice in choices for word in choice.field.get("trueValues", [])],
    )


def _located(locale: str, usual: str) -> list[dict[str, Any]]:
    return [] if locale == usual else [_assumption("locale_found", locale=locale, usual=usual)]


def _field(name: str, choice: Choice, rows: Sequence[Row]) -> dict[str, Any]:
    seen = choice.seen
    made = {"name": name, "title": " ".join(seen.heading.split()), **choice.field}
    if not seen.blanks and len(rows) >= REQUIRED_ROWS:
        made["constraints"] = {"required": True, **choice.field.get("constraints", {})}
    return made


def _proven(
    sample: Sample, fields: list[dict[str, Any]], rows: Sequence[Row], locale: str
) -> tuple[list[Sequence[str | None]], list[Sequence[str | None]]]:
    """The stored values of each field, and what keys are compared by. A field that refuses a cell which text
    would take becomes text."""
    checker = Checker({"fields": fields}, locale=locale)
    checker.match_header(sample.header, row=sample.header_row)
    fragments: list[Sequence[str | None]] = []
    comparable: list[Sequence[str | None]] = []
    for place, column in checker.placed:
        cells = [row[1][place] if place < len(row[1]) else None for row in rows]
        found = column.convert(cells) if cells else []
        index = len(fragments)
        plain = look(place, "", rows)
        if any(
            fragment is None and cell not in plain.faulty for fragment, cell in zip(found, cells, strict=True)
        ):
            fields[index] = {"name": column.name, "title": column.title, "type": "string"}
            column = Checker({"fields": [fields[index]]}, locale=locale).columns[0]
            found = column.convert(cells)
        fragments.append(found)
        comparable.append(column.key_fragments(cells, found))
    return fragments, comparable


def _evidence(
    column: Seen, choice: Choice, made: dict[str, Any], fragments: Sequence[str | None]
) -> Evidence:
    seen = choice.seen
    stored = [fragment for fragment in fragments if fragment not in (None, "null")]
    texts = sorted({str(json.loads(fragment)) for fragment in stored if fragment})
    numbers = sorted(
        (json.loads(fragment) for fragment in set(stored) if fragment),
        key=lambda value: (str(type(value)), value),
    )
    notes = [*choice.notes, *_faults(column)]
    if seen.cells and seen.values < FEW_VALUES:
        notes.append(note("few_values", most=FEW_VALUES))
    return Evidence(
        name=made["name"],
        heading=column.heading,
        column=column_letters(column.place),
        values=seen.values,
        blanks=seen.blanks,
        distinct=len(texts),
        is_unique=bool(stored) and len(texts) == len(stored),
        examples=[shown(cell) for cell in list(seen.cells)[:EXAMPLES]],
        counter_examples=[
            {"row": column.first[cell], "value": shown(cell), "code": code}
            for cell, code in list(column.faulty.items())[:EXAMPLES]
        ],
        shortest=min(map(len, texts), default=0),
        longest=max(map(len, texts), default=0),
        lowest=_said(numbers[0]) if numbers else "",
        highest=_said(numbers[-1]) if numbers else "",
        confidence=_confidence(notes),
        notes=notes,
    )


def _said(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _faults(column: Seen) -> list[Note]:
    if not column.faulty:
        return []
    first = min(column.faulty, key=lambda cell: column.first[cell])
    found = {"count": len(column.faulty), "example": shown(first), "row": column.first[first]}
    return [note("unreadable_cells", **found)]


def _confidence(notes: Sequence[Note]) -> str:
    if any(each.look for each in notes):
        return "look"
    return "likely" if any(each.code == "few_values" for each in notes) else "certain"


def _assumptions(sample: Sample, places: list[int], rows: Sequence[Row], found_keys: list[list[str]]) -> Any:
    yield from sample.assumptions
    if not sample.is_whole:
        yield _assumption("sample_cut", rows=len(sample.rows))
    left = [
        f"{column_letters(place)} “{heading}”" if heading else column_letters(place)
        for place, heading in enumerate(sample.headings)
        if place not in set(places)
    ]
    if left:
        yield _assumption("columns_left_out", columns=", ".join(left[:20]), count=len(left))
    ragged = sum(map(_is_ragged, sample.rows))
    if ragged:
        yield _assumption("rows_left_out", count=ragged)
    if found_keys:
        yield _assumption("key_chosen", key=" with ".join(f"“{name}”" for name in found_keys[0]))
    elif rows:
        yield _assumption("no_key")


def _assumption(code: str, **detail: Any) -> dict[str, Any]:
    return {"code": code, "detail": detail, "message": ASSUMPTIONS[code].format_map(detail)}


def _is_ragged(row: Row) -> bool:
    return len(row) > 2 and bool(row[2])
