"""The sentence and the remedy for each code of a refused row or header. Nothing else makes sentences."""

from typing import Any

from ingestion.checking.texts import shown

MOST_NAMED = 20
TEXT_REMEDY = "Format the column as text, type the value again, and save the file."
# code: (message, remedy); {names} are filled from the detail, {header} and {value} are always there.
ROW_MESSAGES: dict[str, tuple[str, str]] = {
    "required": ("“{header}” is required but the cell is blank.", "Fill in a value."),
    "type_integer": ("“{value}” is not a whole number.", "Type a whole number, such as 42."),
    "type_number": ("“{value}” is not a number.", "Type digits only, such as {example}."),
    "type_boolean": ("“{value}” is neither yes nor no.", "Use one of: {words}."),
    "type_date": ("“{value}” is not a date that can be read.", "Type the date as {example}."),
    "type_datetime": ("“{value}” is not a date with a time.", "Type it as {example}."),
    "type_time": ("“{value}” is not a time of day.", "Type the time as {example}."),
    "type_year": ("“{value}” is not a year.", "Type the year with four digits, such as 2024."),
    "type_yearmonth": ("“{value}” is not a month of a year.", "Type year and month, such as 2024-05."),
    "type_duration": (
        "“{value}” is not a span of time.",
        "Type hours and minutes, such as 36:15, or a span of ISO 8601, such as P1DT12H15M.",
    ),
    "type_geopoint": ("“{value}” is not a place.", "Type longitude, then latitude, in degrees: {example}."),
    "geopoint_range": (
        "There is no place at longitude {lon} and latitude {lat}.",
        "Type the longitude (-180 to 180) first, then the latitude (-90 to 90).",
    ),
    "format_email": ("“{value}” is not an e-mail address.", "Type one address, such as name@example.org."),
    "format_uri": ("“{value}” is not a web address.", "Type the full address, beginning with https://."),
    "format_uuid": (
        "“{value}” is not a UUID.",
        "Type 32 hexadecimal digits in groups of 8-4-4-4-12.",
    ),
    "error_value": (
        "The cell shows the error {value} instead of a value.",
        "Correct the formula in the spreadsheet, or type the value.",
    ),
    "not_calculated": (
        "The cell holds a formula that was never calculated.",
        "Open the file in a spreadsheet program, save it there, and upload it again.",
    ),
    "digits_lost": (
        "The cell holds a number of more than 15 digits, and spreadsheet programs lose the others.",
        TEXT_REMEDY,
    ),
    "ambiguous_date": (
        "“{value}” can be read as two different dates.",
        "Type the date as YYYY-MM-DD, or declare the format of the column in the dataset's schema.",
    ),
    "ambiguous_number": (
        "“{value}” can be read as a thousand or as a fraction.",
        "Leave out separators of thousands, or declare decimalChar and groupChar in the dataset's schema.",
    ),
    "date_never_was": (
        "The cell holds a day that never was (29 February or 0 January 1900).",
        "Type the date that is meant.",
    ),
    "date_out_of_range": ("The cell is formatted as a date, but {value} is no date.", "Type the date."),
    "date_is_number": (
        "The cell holds the plain number {value}, not a date.",
        "Format the cell as a date and check that it shows the right day.",
    ),
    "currency_mixed": (
        "The amount is in {currency}, but the column began in {first}.",
        "Use one currency in the column, or a column of its own for the currency.",
    ),
    "control_character": (
        "The text has an invisible control character ({character}).",
        "Delete the character; typing the text again is the surest way.",
    ),
    "too_long": (
        "The text has {length:,} characters; {most:,} is the most that is checked.",
        "Shorten the text.",
    ),
    "extra_cells": (
        "The row has more cells than the header: {count} too many.",
        "Put text that holds the separator in quotation marks, or delete the extra cells.",
    ),
    "missing_cells": (
        "The row has fewer cells than the header: {count} too few.",
        "Add the missing separators, so that each value stands under its header.",
    ),
    "pattern": ("“{value}” does not have the form {pattern}.", "Correct the value so that it has this form."),
    "enum": ("“{value}” is not one of the allowed values.", "Use one of: {allowed}."),
    "minimum": ("{value} is below {limit}, the least allowed.", "Correct the value."),
    "maximum": ("{value} is above {limit}, the most allowed.", "Correct the value."),
    "min_length": ("“{value}” is shorter than {limit} characters.", "Type at least {limit} characters."),
    "max_length": ("“{value}” is longer than {limit} characters.", "Shorten it to {limit} characters."),
    "unique": ("“{value}” stands in “{header}” more than once: rows {rows}.", "Keep it in one row only."),
    "unique_stored": (
        "“{value}” in “{header}” is stored already, for another key.",
        "Correct the value, or the key of this row.",
    ),
    "foreign_key": (
        "“{value}” is not among the records of “{dataset}”.",
        "Correct the value, or store that record in “{dataset}” first.",
    ),
    "key_too_long": (
        "The key has {length:,} characters; {most:,} is the most that a record can be found by.",
        "Use a shorter value for the key.",
    ),
    "primary_key_duplicate": (
        "Rows {rows} have the same key {value} but different values.",
        "Keep one of these rows, or give each its own key.",
    ),
}

FILE_MESSAGES: dict[str, tuple[str, str]] = {
    "header_not_found": (
        "Row {row} was read as the header, but it has none of the expected columns: {expected}.",
        "Make the first row of the sheet the one with the column names.",
    ),
    "missing_column": (
        "The file has no column for {columns}.",
        "Add a column with this name, and a value in each row.",
    ),
    "duplicate_header": (
        "“{header}” stands over more than one column: {letters}.",
        "Rename or delete all but one of them, or name the column by its letters in the mapping.",
    ),
    "mapped_field_unknown": (
        "The mapping names the field “{field}”, which the dataset does not have; it has {fields}.",
        "Correct the name, or leave it out of the mapping.",
    ),
    "mapped_heading_unknown": (
        "The mapping gives “{heading}” for the field “{field}”, but no column of the file has this heading; "
        "the headings are {headings}.",
        "Give one of these headings, the letters of a column, or nothing if the file lacks the field.",
    ),
    "mapped_column_twice": (
        "The mapping gives column {column} to both “{other}” and “{field}”.",
        "Give each field a column of its own.",
    ),
}

ASSUMPTIONS: dict[str, str] = {
    "columns_ignored": "Columns that the dataset does not know were left out: {columns}.",
    "columns_absent": "The file has no column for {columns}; these values are blank.",
    "columns_mapped": "Columns were taken as it was said: {pairs}.",
    "headers_matched_loosely": "Columns were recognised by names that differ only in their look: {pairs}.",
    "headers_matched_by_title": "Columns were recognised by the title of the field: {pairs}.",
    "headers_matched_by_alias": "Columns were recognised by an earlier answer: {pairs}.",
    "columns_without_heading": "Columns that have values but no heading were left out: {columns}.",
    "notes_below_left_out": "Notes below the data were left out: {notes}.",
    "totals_below_left_out": "Totals below the data were left out: {rows}.",
    "totals_below_kept": "What looks like totals below the data was read as rows, as it was said: {rows}.",
    "percent_as_fraction": "Percentages in {columns} are stored as fractions: 52% as 0.52.",
    "rows_not_rejoined": "The row numbers of another file were not used: this one can mend no such file.",
    "row_numbers_not_refused": (
        "{count:,} rows have a row number that is none of a refused row, and joined none by it: rows {rows}. "
        "Each was taken by its key, or as a new row where there is no key."
    ),
    "row_numbers_twice": (
        "{count:,} rows have the number of a row that came before them: rows {rows}. The first joined its "
        "file; each of these was taken by its key, or as a new row where there is no key."
    ),
    "rows_not_found_again": "{count:,} rows are none that the first file lacks; they were taken as new ones.",
    "newer_values_replaced": "{count:,} mended rows replaced values of newer uploads, as it was answered.",
    "newer_values_kept": (
        "{count:,} mended rows were left out, as it was answered: newer uploads have written their records."
    ),
    "newer_values_ask": (
        "{count:,} mended rows would replace values of newer uploads, so a person must agree before it is "
        "stored."
    ),
    "retirement_stopped": (
        "No record was retired: the keys of {rows} refused rows could not be read, and any record may be "
        "theirs."
    ),
    "retirement_overtaken": "No record was retired: a newer upload mended rows before this one was stored.",
    "retirement_asks": (
        "{retire} of {records} records would be retired. That is more than {limit} %, so a person must agree "
        "before it is stored."
    ),
    "references_left": "{records} records of {datasets} refer to records that were retired.",
    "zeros_filled": "Leading zeros in {columns} were taken from the format of the cells.",
}


def row_message(code: str, **detail: Any) -> tuple[str, str]:
    message, remedy = ROW_MESSAGES[code]
    return message.format_map(detail), remedy.format_map(detail)


def file_message(code: str, **detail: Any) -> tuple[str, str]:
    message, remedy = FILE_MESSAGES[code]
    return message.format_map(detail), remedy.format_map(detail)


def assumption(code: str, **detail: Any) -> dict[str, Any]:
    """One assumption as it stands in the verdict: code, detail and sentence."""
    return {"code": code, "detail": detail, "message": ASSUMPTIONS[code].format_map(_words(detail))}


def quoted(values: list[str], *, count: int = 0) -> str:
    """Names in a sentence, at most twenty of them; `count` when the list itself is cut already."""
    words = ", ".join(f"“{shown(value, most=60)}”" for value in values[:MOST_NAMED])
    more = max(count, len(values)) - MOST_NAMED
    return f"{words} and {more:,} more" if more > 0 else words


def listed(values: list[str]) -> str:
    """Values to choose from, as they are to be typed."""
    words = ", ".join(shown(value, most=60) for value in values[:MOST_NAMED])
    return f"{words} and {len(values) - MOST_NAMED:,} more" if len(values) > MOST_NAMED else words


def _words(detail: dict[str, Any]) -> dict[str, Any]:
    count = detail.get("count", 0)
    return {
        name: quoted(value, count=count) if isinstance(value, list) else value
        for name, value in detail.items()
    }
