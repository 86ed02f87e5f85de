"""What a spreadsheet program can check while somebody types: choices, bounds and lengths, with a sentence."""

import datetime as dt
from typing import Any

from openpyxl.worksheet.datavalidation import DataValidation

# A spreadsheet program counts days from here.
DAY_ZERO = dt.date(1899, 12, 30)
CHECKED = {"integer": "whole", "number": "decimal", "year": "whole", "date": "date"}
LEAST, MOST = "-999999999999999", "999999999999999"
YEARS = ("1", "9999")


def choice(source: str) -> DataValidation:
    return _with_words(
        DataValidation(type="list", formula1=source, allow_blank=True),
        "Choose one of the values of the list.",
    )


def validation(field: dict[str, Any]) -> DataValidation | None:
    """None where there is nothing that the program could check, or a drop-down does."""
    given = field.get("constraints", {})
    kind = field.get("type", "string")
    if "enum" in given:
        return None
    if kind == "string":
        return _length(given)
    if kind not in CHECKED or field.get("bareNumber") is False:
        return None
    low, high = _bound(kind, given.get("minimum")), _bound(kind, given.get("maximum"))
    if kind == "date" and low is None and high is None:
        return None
    lowest, highest = ("1", "2958465") if kind == "date" else YEARS if kind == "year" else (LEAST, MOST)
    rule = DataValidation(
        type=CHECKED[kind], operator="between", formula1=low or lowest, formula2=high or highest,
        allow_blank=True, errorStyle="warning",
    )  # fmt: skip
    return _with_words(rule, _sentence(kind, given))


def _length(given: dict[str, Any]) -> DataValidation | None:
    if not {"minLength", "maxLength"} & given.keys():
        return None
    low, high = int(given.get("minLength", 0)), int(given.get("maxLength", 32_767))
    rule = DataValidation(
        type="textLength", operator="between", formula1=str(low), formula2=str(high), allow_blank=True,
        errorStyle="warning",
    )  # fmt: skip
    return _with_words(rule, f"Type {low:,} to {high:,} characters.")


def _bound(kind: str, limit: Any) -> str | None:
    """As a formula: digits, or the number of the day. None when the program could not compare with it."""
    if limit is None:
        return None
    try:
        if kind == "date":
            return str((dt.date.fromisoformat(str(limit)) - DAY_ZERO).days)
        return repr(float(limit)) if kind == "number" else str(int(str(limit)))
    except ValueError:
        return None


def _sentence(kind: str, given: dict[str, Any]) -> str:
    what = {"integer": "a whole number", "number": "a number", "year": "a year", "date": "a date"}[kind]
    bounds = [f"of at least {given['minimum']}"] if "minimum" in given else []
    bounds += [f"{'and' if bounds else 'of'} at most {given['maximum']}"] if "maximum" in given else []
    return " ".join([f"Type {what}", *bounds]) + "."


def _with_words(rule: DataValidation, sentence: str) -> DataValidation:
    rule.errorTitle, rule.error = "This value would be refused", sentence[:225]
    rule.promptTitle, rule.prompt = "What belongs here", sentence[:255]
    rule.showErrorMessage = rule.showInputMessage = True
    return rule
