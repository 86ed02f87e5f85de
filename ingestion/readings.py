"""Is a reading, as people and programs send it, one that a file can be read by? Every fault is named by its
place. What the file itself must have to say to it is looked at elsewhere: here only its shape and the schema.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from ingestion import questions
from ingestion.asking import Reading
from ingestion.checking.messages import quoted
from ingestion.checking.schemas import MOST_FIELDS
from ingestion.checking.texts import CONTROL
from work.problems import Problem

LAST_ROW = 1_048_576
LONGEST_SHEET, LONGEST_COLUMN, LONGEST_SHOWN = 100, 200, 60
MOST_CONFIRMATIONS = 50
DECIDED = re.compile(r"(retire|newer|keep):(0|[1-9][0-9]{0,18})|totals:(leave_out|keep)", re.ASCII)
ENTRIES = ("sheet", "header_row", "header_rows", "mapping", "confirm")
REMEDY = "Correct what is named and send it again. The dataset's schema names its fields."


class Fault(NamedTuple):
    """`at` is where in the reading it is, as in mapping.amount."""

    at: str
    code: str
    message: str


def checked(given: Any, *, schema: Mapping[str, Any]) -> Reading:
    """The reading with nothing in it that was left out. Raises Problem 422 `reading_not_valid`, naming each
    fault."""
    faults = faults_of(given, schema=schema)
    if faults:
        raise not_valid(faults)
    return entries(given)


def entries(given: Mapping[str, Any]) -> Reading:
    """Without those that say nothing."""
    return cast(Reading, {name: given[name] for name in ENTRIES if given.get(name) not in (None, "", {}, [])})


def not_valid(faults: list[Fault]) -> Problem:
    said = " ".join(fault.message for fault in faults[:3])
    more = f" And {len(faults) - 3} more." if len(faults) > 3 else ""
    return Problem(
        422, "reading_not_valid", said + more, REMEDY, errors=[fault._asdict() for fault in faults]
    )


def faults_of(given: Any, *, schema: Mapping[str, Any]) -> list[Fault]:
    if not isinstance(given, Mapping):
        return [Fault("", "reading_not_an_object", "How the file is to be read must be a JSON object.")]
    unknown = [str(name) for name in given if name not in ENTRIES]
    names = [field["name"] for field in schema["fields"]]
    return [
        *(Fault(_safe(name), "unknown_entry", f"{_named(name)} says nothing of a file.") for name in unknown),
        *_sheet(given.get("sheet")),
        *_whole("header_row", given.get("header_row"), LAST_ROW),
        *_whole("header_rows", given.get("header_rows"), 2),
        *_mapping(given.get("mapping"), names),
        *_confirm(given.get("confirm")),
    ]


def _sheet(sheet: Any) -> Iterator[Fault]:
    if sheet in (None, ""):
        return
    if not isinstance(sheet, str) or len(sheet) > LONGEST_SHEET:
        yield Fault("sheet", "sheet_not_a_name", f"A sheet's name is at most {LONGEST_SHEET} characters.")
    elif CONTROL.search(sheet):
        yield _bad_character("sheet")


def _whole(name: str, value: Any, most: int) -> Iterator[Fault]:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        yield Fault(name, f"{name}_out_of_range", f"{name} must be a whole number from 1 to {most}.")


def _mapping(mapping: Any, names: list[str]) -> Iterator[Fault]:
    if mapping is None:
        return
    if not isinstance(mapping, Mapping):
        message = "mapping must be a JSON object: for each field a heading, the letters of a column, or null."
        yield Fault("mapping", "mapping_not_an_object", message)
        return
    if len(mapping) > MOST_FIELDS:
        message = f"mapping has {len(mapping)} entries, and no schema has more than {MOST_FIELDS} fields."
        yield Fault("mapping", "mapping_too_large", message)
        return
    for field, column in mapping.items():
        if field not in names:
            message = f"The dataset has no field {_named(field)}. It has {quoted(names)}."
            yield Fault(_place(field), "unknown_field", message)
        else:
            yield from _column(field, column)
    yield from _taken_twice(mapping)


def _column(field: str, column: Any) -> Iterator[Fault]:
    if column is None:
        return
    if not isinstance(column, str) or not column.strip() or len(column) > LONGEST_COLUMN:
        message = (
            f"The column of {_named(field)} must be a heading of at most {LONGEST_COLUMN} characters, "
            "the letters of a column, or null."
        )
        yield Fault(_place(field), "column_not_named", message)
    elif CONTROL.search(column):
        yield _bad_character(_place(field))


def _taken_twice(mapping: Mapping[str, Any]) -> Iterator[Fault]:
    taken: dict[str, str] = {}
    for field, column in mapping.items():
        if not isinstance(column, str):
            continue
        if column in taken:
            both = f"{_named(field)} and {_named(taken[column])}"
            message = f"{both} cannot both be read from {_named(column)}."
            yield Fault(_place(field), "column_taken_twice", message)
        taken.setdefault(column, field)


def _confirm(confirm: Any) -> Iterator[Fault]:
    if confirm is None:
        return
    if not isinstance(confirm, list) or len(confirm) > MOST_CONFIRMATIONS:
        message = f"confirm must be a list of at most {MOST_CONFIRMATIONS} entries."
        yield Fault("confirm", "confirm_not_a_list", message)
        return
    for entry in confirm:
        if not isinstance(entry, str) or not (entry in questions.SENTENCES or DECIDED.fullmatch(entry)):
            message = (
                "confirm takes codes of questions, totals:leave_out or totals:keep, or retire:, newer: or "
                "keep: with the dataset's version."
            )
            yield Fault("confirm", "unknown_confirmation", message)
            return


def _bad_character(at: str) -> Fault:
    return Fault(at, "bad_character", f"{at} holds an invisible control character.")


def _place(field: Any) -> str:
    return f"mapping.{_safe(field)}"


def _named(text: Any) -> str:
    return quoted([_safe(text)])


def _safe(text: Any) -> str:
    """Short, and without what no answer can hold."""
    return CONTROL.sub("\ufffd", str(text))[:LONGEST_SHOWN]
