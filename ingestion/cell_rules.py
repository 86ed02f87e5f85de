"""How each kind of cell is understood, written once: the help page shows it, and tests try each example."""

from typing import Any

from django.urls import reverse

from ingestion.cell_rule import CellRule, Example

NUMBER, DATE_CELL = "\x7fn", "\x7fd"
TEXT, WHOLE, DECIMAL = {"type": "string"}, {"type": "integer"}, {"type": "number"}
DAY, MOMENT, CLOCK, SPAN = {"type": "date"}, {"type": "datetime"}, {"type": "time"}, {"type": "duration"}
TRUTH, PLACE = {"type": "boolean"}, {"type": "geopoint"}
AMOUNTS = {"type": "number", "decimalChar": ","}


def limited(**constraints: Any) -> dict[str, Any]:
    kind = "integer" if constraints.keys() & {"minimum", "maximum"} else "string"
    return {"type": kind, "constraints": constraints}


RULES = (
    CellRule(
        "required",
        "Blank cells",
        "A cell with nothing but spaces of any kind is blank, and so is one of the missingValues of the "
        "schema. Blank is stored as null; where a value is required the row is refused.",
        (
            Example("(nothing)", None, TEXT, "null"),
            Example("(a space that does not break)", "\u00a0", TEXT, "null"),
            Example("n/a", "n/a", {"type": "integer", "missingValues": ["n/a"]}, "null"),
            Example("(nothing)", None, limited(required=True), code="required"),
        ),
        ("required",),
    ),
    CellRule(
        "leading_zeros",
        "Leading zeros",
        "Text keeps its zeros. A number has none: 6083 is read as 06083 only where the format of the cell "
        "says so, as 00000 does. The verdict then says that zeros were taken from the format.",
        (
            Example("06083, as text", "06083", TEXT, '"06083"'),
            Example("06083, a number under the format 00000", f"{NUMBER}6083\x7fz:00000", TEXT, '"06083"'),
            Example("6083, a number", 6083, TEXT, '"6083"'),
            Example("007, as text", "007", WHOLE, "7"),
        ),
    ),
    CellRule(
        "digits_lost",
        "Numbers of more than 15 digits",
        "Spreadsheet programs keep 15 digits of a number and replace the others by zeros when the file is "
        "saved. Nobody can tell what stood there, so such a cell is refused. As text every digit is kept.",
        (
            Example("1234567890123456, as text", "1234567890123456", TEXT, '"1234567890123456"'),
            Example("1234567890123450, a number", 1234567890123450, TEXT, code="digits_lost"),
            Example("12345678901234567890, as text", "12345678901234567890", WHOLE, "12345678901234567890"),
        ),
        ("digits_lost",),
    ),
    CellRule(
        "float_noise",
        "Noise behind the last digit",
        "A number is taken at the 15 digits that the program shows; what follows is left over from its "
        "binary form.",
        (Example("274.66", 274.65999999999997, DECIMAL, "274.66"), Example("0.3", 0.1 + 0.2, DECIMAL, "0.3")),
    ),
    CellRule(
        "type_number",
        "Numbers",
        "In number cells the separators are only shown. In text they are read as the locale of the "
        "dataset writes them, or as decimalChar and groupChar say. What could be a thousand or a fraction "
        "is refused.",
        (
            Example("1,234.5", "1,234.5", DECIMAL, "1234.5"),
            Example("1.234,5", "1.234,5", DECIMAL, "1234.5", locale="de"),
            Example("1 234,5", "1 234,5", DECIMAL, "1234.5", locale="fr"),
            Example("1.234", "1.234", DECIMAL, code="ambiguous_number", locale="de"),
            Example("1,234", "1,234", AMOUNTS, "1.234"),
            Example("about 5", "about 5", DECIMAL, code="type_number"),
            Example("12.0", "12.0", WHOLE, "12"),
            Example("12.5", 12.5, WHOLE, code="type_integer"),
        ),
        ("type_number", "type_integer", "ambiguous_number"),
    ),
    CellRule(
        "percent",
        "Percentages",
        "A cell that shows 52% holds 0.52, and that is stored; the verdict says so. Where the schema says "
        "bareNumber: false, 52 is stored, from a cell and from text alike.",
        (
            Example("52%, a number", f"{NUMBER}0.52\x7f%", DECIMAL, "0.52"),
            Example("52%, a number", f"{NUMBER}0.52\x7f%", DECIMAL | {"bareNumber": False}, "52"),
            Example("52%, as text", "52%", DECIMAL | {"bareNumber": False}, "52"),
            Example("52%, as text", "52%", DECIMAL, code="type_number"),
        ),
    ),
    CellRule(
        "currency_mixed",
        "Currencies",
        "A currency that is part of a cell's format is not stored. Two currencies in one column would "
        "become amounts that nobody can tell apart, so the second one is refused.",
        (
            Example("12.50 €, a number", f"{NUMBER}12.5\x7fc:EUR", DECIMAL, "12.5"),
            Example(
                "12.50 CHF below an amount in €",
                f"{NUMBER}12.5\x7fc:CHF",
                DECIMAL,
                code="currency_mixed",
                before=f"{NUMBER}1\x7fc:EUR",
            ),
            Example("€ 12.50, as text", "€ 12.50", DECIMAL, code="type_number"),
            Example("€ 12.50, as text", "€ 12.50", DECIMAL | {"bareNumber": False}, "12.5"),
        ),
        ("currency_mixed",),
    ),
    CellRule(
        "type_date",
        "Dates",
        "A date cell is the day that it shows, whether the workbook counts from 1900 or 1904. Text is "
        "read as YYYY-MM-DD, in the order of the locale, or only in the format that the schema declares. "
        "A plain number is no date: its cell lacks the format.",
        (
            Example("31 May 2024, a date", f"{DATE_CELL}2024-05-31\x7fd", DAY, '"2024-05-31"'),
            Example("2024-05-31", "2024-05-31", DAY, '"2024-05-31"'),
            Example("31.05.2024", "31.05.2024", DAY, '"2024-05-31"', locale="de"),
            Example("05/31/2024", "05/31/2024", DAY, '"2024-05-31"', locale="en-US"),
            Example("31.05.2024", "31.05.2024", DAY | {"format": "%d.%m.%Y"}, '"2024-05-31"'),
            Example("45443, a number", 45443, DAY, code="date_is_number"),
            Example("#####, a number under a date format", f"{NUMBER}-1\x7fd", DAY, code="date_out_of_range"),
            Example("soon", "soon", DAY, code="type_date"),
        ),
        ("type_date", "date_is_number", "date_out_of_range"),
    ),
    CellRule(
        "ambiguous_date",
        "Dates that are two",
        "03/04/2024 is a day in March or in April. It is refused unless the schema declares the format, "
        "or points stand between the parts, which put the day first everywhere. A year of two digits is "
        "refused as well.",
        (
            Example("03/04/2024", "03/04/2024", DAY, code="ambiguous_date"),
            Example("03/04/2024", "03/04/2024", DAY | {"format": "%d/%m/%Y"}, '"2024-04-03"'),
            Example("03.04.2024", "03.04.2024", DAY, '"2024-04-03"'),
            Example("31/05/24", "31/05/24", DAY, code="ambiguous_date"),
        ),
        ("ambiguous_date",),
    ),
    CellRule(
        "date_never_was",
        "The day that never was",
        "Workbooks that count from 1900 have a number for 29 February 1900, which was no day, and one for "
        "0 January 1900. Both are refused.",
        (
            Example("29 February 1900, a date", f"{NUMBER}60\x7fd", DAY, code="date_never_was"),
            Example("0 January 1900, a date", f"{NUMBER}0\x7fd", DAY, code="date_never_was"),
            Example("1 March 1900, a date", f"{DATE_CELL}1900-03-01\x7fd", DAY, '"1900-03-01"'),
        ),
        ("date_never_was",),
    ),
    CellRule(
        "type_datetime",
        "Dates with a time",
        "With an offset the moment is stored in UTC, without one the local time as it was written.",
        (
            Example(
                "31 May 2024 14:30, a date",
                f"{DATE_CELL}2024-05-31T14:30:00\x7fdt",
                MOMENT,
                '"2024-05-31T14:30:00"',
            ),
            Example("2024-05-31 14:30", "2024-05-31 14:30", MOMENT, '"2024-05-31T14:30:00"'),
            Example("2024-05-31T14:30+02:00", "2024-05-31T14:30+02:00", MOMENT, '"2024-05-31T12:30:00Z"'),
            Example("2024-05-31, as text", "2024-05-31", MOMENT, code="type_datetime"),
        ),
        ("type_datetime",),
    ),
    CellRule(
        "type_time",
        "Times of day",
        "From 0:00 to 23:59:59, as a cell or as text with 24 hours.",
        (
            Example("9:05", "9:05", CLOCK, '"09:05:00"'),
            Example("9:05, a time", f"{DATE_CELL}09:05:00\x7ft", CLOCK, '"09:05:00"'),
            Example("24:00", "24:00", CLOCK, code="type_time"),
        ),
        ("type_time",),
    ),
    CellRule(
        "type_duration",
        "Spans of time",
        "Hours and minutes, with more than 24 hours where need be, or a span of ISO 8601. 1:30 is an hour "
        "and a half. Spans are stored in one form, so that 36:00 and P1DT12H are equal; compared with a "
        "limit, a month counts its average length. A plain number says no unit.",
        (
            Example("1:30", "1:30", SPAN, '"PT1H30M"'),
            Example("36:00:00", "36:00:00", SPAN, '"P1DT12H"'),
            Example("36:00, a number under the format [h]:mm", f"{NUMBER}1.5\x7fdu", SPAN, '"P1DT12H"'),
            Example("P18M", "P18M", SPAN, '"P1Y6M"'),
            Example("1.5, a number", 1.5, SPAN, code="type_duration"),
            Example("90 minutes", "90 minutes", SPAN, code="type_duration"),
        ),
        ("type_duration",),
    ),
    CellRule(
        "type_year",
        "Years and months",
        "A year has four digits; a month of a year is written as 2024-05, or is a date cell.",
        (
            Example("2024", 2024, {"type": "year"}, "2024"),
            Example("24", 24, {"type": "year"}, code="type_year"),
            Example("2024-05", "2024-05", {"type": "yearmonth"}, '"2024-05"'),
            Example("May 2024, a date", f"{DATE_CELL}2024-05-01\x7fd", {"type": "yearmonth"}, '"2024-05"'),
            Example("5/2024", "5/2024", {"type": "yearmonth"}, code="type_yearmonth"),
        ),
        ("type_year", "type_yearmonth"),
    ),
    CellRule(
        "type_boolean",
        "Yes and no",
        "A truth cell, or a word: those that the schema lists, else true, false, 1, 0 and the words of "
        "the locale.",
        (
            Example("TRUE, a truth value", "\x7fb1", TRUTH, "true"),
            Example("no", "no", TRUTH, "false"),
            Example("WAHR", "WAHR", TRUTH, "true", locale="de"),
            Example("x", "x", TRUTH | {"trueValues": ["x"], "falseValues": ["o"]}, "true"),
            Example("perhaps", "perhaps", TRUTH, code="type_boolean"),
        ),
        ("type_boolean",),
    ),
    CellRule(
        "type_geopoint",
        "Places",
        "Longitude first, then latitude, in degrees with a point, in the form that the schema declares.",
        (
            Example("14.50, 50.1", "14.50, 50.1", PLACE, '"14.5, 50.1"'),
            Example("[14.5, 50.1]", "[14.5, 50.1]", PLACE | {"format": "array"}, "[14.5,50.1]"),
            Example("50.1, 114.5", "50.1, 114.5", PLACE, code="geopoint_range"),
            Example("14,5 50,1", "14,5 50,1", PLACE, code="type_geopoint"),
        ),
        ("type_geopoint", "geopoint_range"),
    ),
    CellRule(
        "error_value",
        "Error values",
        "A formula that ended in an error has no value. Text that only looks like one is text.",
        (
            Example("#N/A, of a formula", "\x7fe#N/A", TEXT, code="error_value"),
            Example("#NULL?, as text", "#NULL?", TEXT, '"#NULL?"'),
        ),
        ("error_value",),
    ),
    CellRule(
        "not_calculated",
        "Formulas that were never calculated",
        "Programs that write workbooks often leave formulas without a value. It is there once a "
        "spreadsheet program has opened and saved the file.",
        (Example("=A1+B1, never calculated", "\x7ff", DECIMAL, code="not_calculated"),),
        ("not_calculated",),
    ),
    CellRule(
        "control_character",
        "Control characters",
        "Nobody means them, and databases refuse some. Tabs and ends of lines are kept.",
        (
            Example("a, NUL, b", "a\x00b", TEXT, code="control_character"),
            Example("two lines", "a\nb", TEXT, '"a\\nb"'),
        ),
        ("control_character",),
    ),
    CellRule(
        "spaces",
        "Spaces, invisible characters and forms of letters",
        "Text is stored as it was typed. Keys, unique values and references are compared without outer "
        "spaces, without characters of no width, with any run of spaces as one, and in one form of "
        "Unicode, so that é typed in two ways is one key. Case counts.",
        (
            Example("(space) text (space)", " text ", TEXT, '" text "'),
            Example("12, between spaces", " 12\u00a0", WHOLE, "12"),
        ),
    ),
    CellRule(
        "format_email",
        "Addresses and identifiers",
        "An e-mail address is one address, a web address has its scheme, a UUID has 32 digits in five "
        "groups. They are stored as typed.",
        (
            Example("ann@example.org", "ann@example.org", TEXT | {"format": "email"}, '"ann@example.org"'),
            Example("ann@example", "ann@example", TEXT | {"format": "email"}, code="format_email"),
            Example("example.org", "example.org", TEXT | {"format": "uri"}, code="format_uri"),
            Example("8B1D2C3E", "8B1D2C3E", TEXT | {"format": "uuid"}, code="format_uuid"),
        ),
        ("format_email", "format_uri", "format_uuid"),
    ),
    CellRule(
        "enum",
        "Allowed values, limits and forms",
        "Limits include the value that they name. A pattern must fit the whole text. Case counts.",
        (
            Example("Open", "Open", limited(enum=["open", "closed"]), code="enum"),
            Example("10", 10, limited(maximum=10), "10"),
            Example("11", 11, limited(maximum=10), code="maximum"),
            Example("-1", -1, limited(minimum=0), code="minimum"),
            Example("ABC", "ABC", limited(pattern="[A-Z]{2}"), code="pattern"),
            Example("a", "a", limited(minLength=2), code="min_length"),
            Example("abc", "abc", limited(maxLength=2), code="max_length"),
        ),
        ("enum", "minimum", "maximum", "pattern", "min_length", "max_length"),
    ),
)
EXPLAINED = frozenset(code for rule in RULES for code in rule.codes)


def help_url(code: str) -> str:
    """Where the error of a row is explained: with examples, or in the list of every rule."""
    page = "cells" if code in EXPLAINED else "refusals"
    return f"{reverse('help_page', args=[page])}#{code}"
