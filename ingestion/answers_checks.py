"""Does an answer say what was asked, of a file as it was kept with the question? Every fault is named by its
place, in the shape of `readings.Fault`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ingestion import answers_layout, questions
from ingestion.answers_layout import Layout
from ingestion.asking import Asking, Reading
from ingestion.checking.header import DOUBLE
from ingestion.checking.messages import quoted
from ingestion.readings import Fault

ABOUT = {
    questions.WHICH_TOTALS: "whether rows are totals",
    questions.CONFIRM_RETIREMENT: "whether records may go",
    questions.CONFIRM_NEWER_VALUES: "which values shall stand",
}
NO_COLUMN = "must have a value in every row, so it needs a column."


def agreed(asking: Asking, given: Reading, schema: Mapping[str, Any]) -> Reading:
    """An answer that confirms the question's own code agrees to what was suggested; what it says beside that
    counts first.
    """
    code = asking["code"]
    if code not in given.get("confirm", ()) or code in questions.DECISIONS:
        return given
    agreed: Reading = {}
    if asking.get("sheet"):
        agreed["sheet"] = asking["sheet"]
    if asking.get("header_row"):
        agreed["header_row"], agreed["header_rows"] = asking["header_row"], asking.get("header_rows", 1)
    if code == questions.WHICH_COLUMNS and not given.keys() & {"sheet", "header_row", "header_rows"}:
        agreed["mapping"] = _suggested(asking, schema) | given.get("mapping", {})
    return {**agreed, **given, **({"mapping": agreed["mapping"]} if "mapping" in agreed else {})}


def faults_of(
    asking: Asking, given: Reading, layout: Layout | None, schema: Mapping[str, Any]
) -> Iterator[Fault]:
    """`layout` is the one of the sheet and row that the answer chooses, None when its row was not kept."""
    code = asking["code"]
    if code in questions.DECISIONS:
        yield from _decision(asking, given)
        return
    yield from _sheet(asking, given)
    if code == questions.WHICH_HEADER and "header_row" not in given:
        yield Fault("header_row", "header_row_not_chosen", "Say in which row the names of the columns stand.")
    if layout is None:
        if answers_layout.was_kept(asking, given.get("sheet", ""), given.get("header_row", 0)):
            yield Fault("header_row", "row_is_blank", f"Row {given.get('header_row')} of the sheet is blank.")
        return
    yield from _mapping(code, given.get("mapping", {}), layout, schema)


def _suggested(asking: Asking, schema: Mapping[str, Any]) -> dict[str, str | None]:
    """Required fields without a suggestion are left out: they are faults, and named as such."""
    layout = answers_layout.of(asking, schema, {})
    if layout is None:
        return {}
    return {
        each["field"]: None if each["column"] is None else layout.columns[each["column"]].name
        for each in layout.suggestions
        if each["why"] != DOUBLE and (each["column"] is not None or not each["required"])
    }


def _decision(asking: Asking, given: Reading) -> Iterator[Fault]:
    code = asking["code"]
    for name in given.keys() - {"confirm"}:
        yield Fault(name, "not_asked", f"{name} was not asked. The question is {ABOUT[code]}.")
    wanted = answers_layout.confirmations(asking)
    said = [entry for entry in wanted if entry in given.get("confirm", ())]
    if len(said) == 1:
        return
    if code == questions.WHICH_TOTALS:
        message = f"Confirm “{wanted[0]}” to leave these rows out, or “{wanted[1]}” to read them as rows."
    elif code == questions.CONFIRM_RETIREMENT:
        message = f"To agree that records go, confirm “{wanted[0]}”."
    else:
        message = f"Confirm “{wanted[0]}” to send the mended values, or “{wanted[1]}” to keep what is stored."
    yield Fault("confirm", "confirmation_missing", message)


def _sheet(asking: Asking, given: Reading) -> Iterator[Fault]:
    names, sheet = answers_layout.sheet_names(asking), given.get("sheet", "")
    if asking["code"] == questions.WHICH_SHEET and not sheet:
        yield Fault("sheet", "sheet_not_chosen", f"Say which sheet is meant: {quoted(names)}.")
    elif sheet and sheet not in names and sheet != asking.get("sheet"):
        yield Fault("sheet", "unknown_sheet", f"There is no such sheet. There are {quoted(names)}.")


def _mapping(
    code: str, mapping: Mapping[str, str | None], layout: Layout, schema: Mapping[str, Any]
) -> Iterator[Fault]:
    needed = answers_layout.required(schema)
    taken: dict[int, str] = {}
    for field, name in mapping.items():
        if name is None:
            if field in needed:
                yield Fault(f"mapping.{field}", "required_field_left_out", f"“{field}” {NO_COLUMN}")
            continue
        columns = layout.find(name)
        if not columns:
            yield _unknown_column(field, name, layout)
        elif len(columns) > 1:
            letters = ", ".join(column.letters for column in columns)
            message = f"“{name}” stands over more than one column: {letters}. Name one by its letters."
            yield Fault(f"mapping.{field}", "column_ambiguous", message)
        elif columns[0].place in taken:
            message = f"“{field}” and “{taken[columns[0].place]}” cannot both be read from “{name}”."
            yield Fault(f"mapping.{field}", "column_taken_twice", message)
        else:
            taken[columns[0].place] = field
    if code == questions.WHICH_COLUMNS:
        yield from _undecided(mapping, layout, taken)


def _undecided(
    mapping: Mapping[str, str | None], layout: Layout, taken: Mapping[int, str]
) -> Iterator[Fault]:
    """Fields that the answer leaves as doubtful as they were: they would be asked once more."""
    for each in layout.suggestions:
        field, place = each["field"], each["column"]
        is_free = place is not None and place not in taken
        if field in mapping or (is_free and each["sure"]):
            continue
        if each["why"] == DOUBLE and place is not None:
            message = f"Say by its letters which column is “{field}”: {_alike(layout, place)}."
            yield Fault(f"mapping.{field}", "field_not_decided", message)
            continue
        if each["required"]:
            yield Fault(f"mapping.{field}", "required_field_not_mapped", f"“{field}” {NO_COLUMN}")
        elif is_free and place is not None:
            heading = layout.columns[place].heading or layout.columns[place].letters
            message = f"Say whether “{field}” is “{heading}”, another column, or none (null)."
            yield Fault(f"mapping.{field}", "field_not_decided", message)


def _alike(layout: Layout, place: int) -> str:
    """The letters of the columns with the heading of this one."""
    wanted = layout.columns[place].loose
    return ", ".join(column.letters for column in layout.columns if column.loose == wanted)


def _unknown_column(field: str, name: str, layout: Layout) -> Fault:
    headed = [column.heading or column.letters for column in layout.columns]
    message = f"The file has no column {quoted([name])}. It has {quoted(headed)}."
    return Fault(f"mapping.{field}", "unknown_column", message)
