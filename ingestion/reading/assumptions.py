"""What a reading took for granted, as sentences for the verdict."""

from typing import Any

SENTENCES = {
    "sheet_read": "The sheet “{sheet}” was read.",
    "header_row": "Row {row}, the first that holds a value, was read as the header.",
    "hidden_rows_read": "Hidden rows were read like the others ({count:,} of them).",
    "formulas_by_stored_value": "Formulas were read by the value stored with them ({count:,} of them).",
    "merged_ranges": "Cells are merged in {count:,} places, each with its value in the top-left cell only.",
    "cells_beyond_header": "Cells right of the header were left out ({count:,} of them; first {first}).",
    "dates_from_1904": "The workbook counts its dates from 1904, and they were read so.",
    "encoding": "The text was read as {encoding} ({reason}).",
    "delimiter": "The columns are separated by {delimiter} ({reason}).",
}
REASONS = {
    "bom": "its byte order mark says so",
    "valid_utf8": "all of it is valid UTF-8",
    "nul_pattern": "every other byte is zero",
    "organisation_default": "it is not valid UTF-8, and this is your organisation's default",
    "sep_line": "its first line says so",
    "consistent_columns": "this gives every row the same number of columns",
    "single_column": "no separator was found, so each line is one cell",
    "declared": "it was declared so",
}
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def describe(code: str, detail: dict[str, Any]) -> dict[str, Any]:
    """One assumption as it stands in the verdict: code, detail and sentence."""
    words = dict(detail)
    if "reason" in words:
        words["reason"] = REASONS[words["reason"]]
    if "delimiter" in words:
        words["delimiter"] = DELIMITERS.get(words["delimiter"], f"“{words['delimiter']}”")
    message = SENTENCES[code].format_map(words)
    if detail.get("others"):
        message += " Not read: " + ", ".join(f"“{name}”" for name in detail["others"]) + "."
    return {"code": code, "detail": detail, "message": message}
