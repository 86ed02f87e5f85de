"""The sentences of what an upload asks a person, by the code of the question."""

from typing import Any

from ingestion.asking import Asking, PreviewRow
from work.failure_texts import Text
from work.wording import number

WHICH_SHEET, WHICH_HEADER, WHICH_COLUMNS = "which_sheet", "which_header", "which_columns"
WHICH_TOTALS = "which_totals"
CONFIRM_RETIREMENT, CONFIRM_NEWER_VALUES = "confirm_retirement", "confirm_newer_values"
# Decided by one of two words, not by columns.
DECISIONS = (WHICH_TOTALS, CONFIRM_RETIREMENT, CONFIRM_NEWER_VALUES)
MOST_NAMED = 8

# What is asked, and what its owner does about it; filled by `facts`.
SENTENCES: dict[str, Text] = {
    WHICH_SHEET: (
        "More than one sheet could hold the data: {sheets}.",
        "Choose the sheet that is meant.",
    ),
    WHICH_HEADER: (
        "It is not clear which row of {sheet} holds the names of the columns.",
        "Choose the row, and look at the columns that were found.",
    ),
    WHICH_COLUMNS: (
        "It is not clear which columns of the file hold {fields}.",
        "Choose a column for each, or say that the file has none.",
    ),
    WHICH_TOTALS: (
        "Below the data stands what looks like a total, but may be a row of the data: {rows}.",
        "Say whether it is left out or read as a row.",
    ),
    CONFIRM_RETIREMENT: (
        "{retire} of {records} records are absent from the file and would be retired, which is {share} %. "
        "Above {limit} % a person must agree.",
        "Agree if they are meant to go; otherwise withdraw this upload and send the whole file.",
    ),
    CONFIRM_NEWER_VALUES: (
        "{rows} of the mended rows would replace values that newer uploads have written since: {uploads}.",
        "Say whether the mended values shall stand, or those that are stored now.",
    ),
}
# What to do where nobody is there to answer, because the sender said so.
REMEDIES = {
    WHICH_SHEET: "Name the sheet when you send the file, or let it ask.",
    WHICH_HEADER: "Name the row (header_row) when you send the file, or let it ask.",
    WHICH_COLUMNS: "Say which column is which (mapping) when you send the file, or let it ask.",
    WHICH_TOTALS: (
        "Take it out of the file, or say “totals:leave_out” or “totals:keep” (confirm) when you send it."
    ),
    CONFIRM_RETIREMENT: "Check that the file is whole. If the records are meant to go, let it ask.",
    CONFIRM_NEWER_VALUES: "Leave these rows out of the file, or send it again and let it ask.",
}


def describe(asking: Asking) -> Text:
    """The sentence of a question, and what its owner does about it."""
    message, remedy = SENTENCES[asking["code"]]
    given = facts(asking)
    return message.format_map(given), remedy.format_map(given)


def failure_texts() -> dict[str, Text]:
    """For uploads that were not to ask."""
    return {code: (message, REMEDIES[code]) for code, (message, _) in SENTENCES.items()}


def facts(asking: Asking) -> dict[str, Any]:
    """The words of the sentences, by the names that stand in them."""
    code = asking["code"]
    if code == WHICH_SHEET:
        return {"sheets": _quoted([each["name"] for each in asking.get("sheets", ())])}
    if code == WHICH_HEADER:
        return {"sheet": _quoted([asking["sheet"]]) if asking.get("sheet") else "the file"}
    if code == WHICH_COLUMNS:
        return {"fields": _quoted(_doubtful(asking)) or "the values"}
    if code == WHICH_TOTALS:
        return {"rows": _quoted([_line(row) for row in asking["totals"]["rows"]])}
    if code == CONFIRM_NEWER_VALUES:
        newer = asking["newer"]
        names = dict.fromkeys(each["filename"] for each in newer["examples"])
        return {"rows": number(newer["rows"]), "uploads": _quoted(list(names))}
    found = asking["retirement"]
    return {
        "retire": number(found["retire"]),
        "records": number(found["records"]),
        "share": f"{found['share']:.3g}",
        "limit": found["limit"],
    }


def _doubtful(asking: Asking) -> list[str]:
    """Fields with a column that a person must look at, and required ones without any."""
    return [
        each["title"] or each["field"]
        for each in asking.get("suggestions", ())
        if not each["sure"] and (each["required"] or each["column"] is not None)
    ]


def _line(row: PreviewRow) -> str:
    return f"row {row['number']}: " + " ".join(filter(None, row["cells"]))


def _quoted(names: list[str]) -> str:
    words = ", ".join(f"“{name}”" for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{words} and {more} more" if more > 0 else words
