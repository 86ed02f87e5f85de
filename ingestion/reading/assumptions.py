"""What a reading took for granted, as sentences for the verdict."""

from typing import Any

SENTENCES = {
    "sheet_read": "The sheet “{sheet}” was read ({reason}).",
    "header_row": "Row {row} was read as the header ({reason}).",
    "header_rows": "Rows {row} and {last} together were read as the header ({reason}).",
    "rows_above_left_out": "Rows above the header were left out ({count:,} of them: {rows}).",
    "hidden_rows_read": "Hidden rows were read like the others ({count:,} of them).",
    "hidden_columns_read": "Hidden columns were read like the others ({count:,} of them: {columns}).",
    "formulas_by_stored_value": "Formulas were read by the value stored with them ({count:,} of them).",
    "merged_ranges": "Merged cells were read by the value in their top-left cell ({count:,} of them).",
    "cells_beyond_header": "Cells right of the header were left out ({count:,} of them; first {first}).",
    "dates_from_1904": "The workbook counts its dates from 1904, and they were read so.",
    "encoding": "The text was read as {encoding} ({reason}).",
    "delimiter": "The columns are separated by {delimiter} ({reason}).",
    "single_column": "No separator was found, so each line was read as one cell.",
    "format_differs_from_name": "Its name ends in {extension}, but the file is {format}, and was so read.",
}
REASONS = {
    "sheet_only": "it is the only visible one",
    "sheet_named": "it was said so",
    "sheet_matching": "its headings are those of the dataset",
    "sheet_usual": "it is the usual one of this dataset",
    "sheet_first": "it is the first visible one that holds a value",
    "sheet_doubt": "it is the likeliest of several, as was agreed to",
    "header_said": "it was said so",
    "header_first": "it is the first that holds a value",
    "header_names": "fields that its headings name: {score:,}",
    "header_look": "it looks like headings",
    "bom": "its byte order mark says so",
    "valid_utf8": "all of it is valid UTF-8",
    "nul_pattern": "its zero bytes stand where they do in such text",
    "organisation_default": "it is not valid UTF-8, and this is your organisation's default",
    "sep_line": "its first line says so",
    "consistent_columns": "this gives every row the same number of columns",
    "headings": "so read, the headings are those of the dataset",
    "declared": "it was declared so",
}
NOT_UTF8 = "; the first byte that is not stands in line {line}, character {column}"
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

FORMATS = {
    "xlsx": "an Excel workbook (.xlsx)",
    "xls": "an Excel 97–2003 workbook (.xls)",
    "xlsb": "a binary Excel workbook (.xlsb)",
    "ods": "an OpenDocument spreadsheet (.ods)",
    "csv": "text with separators (CSV)",
}


def describe(code: str, detail: dict[str, Any]) -> dict[str, Any]:
    """One assumption as it stands in the verdict: code, detail and sentence."""
    words = dict(detail)
    if "reason" in words:
        words["reason"] = REASONS[words["reason"]].format_map(detail)
        if "not_utf8" in words:
            words["reason"] += NOT_UTF8.format_map(words["not_utf8"])
    if "format" in words:
        words["format"] = FORMATS[words["format"]]
    if "delimiter" in words:
        words["delimiter"] = DELIMITERS.get(words["delimiter"], f"“{words['delimiter']}”")
    for name in ("rows", "columns"):
        if name in words:
            more = ["…"] if words["count"] > len(words[name]) else []
            words[name] = ", ".join([*map(str, words[name]), *more])
    message = SENTENCES[code].format_map(words)
    if detail.get("others"):
        message += " Not read: " + ", ".join(f"“{name}”" for name in detail["others"]) + "."
    return {"code": code, "detail": detail, "message": message}
