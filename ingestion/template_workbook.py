"""The template of a dataset: an empty workbook whose headings, formats and choices are those of its schema.

Filled in and sent, it passes. Nothing in it is ever calculated: whatever the schema says goes in as text.
"""

import io
from collections.abc import Sequence
from typing import Any

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.packaging.custom import IntProperty, StringProperty
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from ingestion import field_words, template_rules
from ingestion.checking import locales, texts
from ingestion.checking.locales import Locale
from ingestion.models import Dataset, SchemaVersion

# Part of the ETag: raised whenever the same schema gives another workbook.
TEMPLATE_VERSION = 1
DATA_SHEET, EXPLANATIONS, LISTS = "Data", "How to fill it in", "Lists"
LAST_ROW = 1_048_576
FORMATS = {
    "string": "@",
    "integer": "0",
    "date": "yyyy-mm-dd",
    "time": "hh:mm:ss",
    "datetime": "yyyy-mm-dd hh:mm:ss",
    "year": "0",
    "yearmonth": "@",
    "duration": "@",
    "geopoint": "@",
}
NARROWEST, WIDEST = 12, 40


def etag(dataset: Dataset, version: SchemaVersion) -> str:
    return f'W/"{TEMPLATE_VERSION}-{version.number}-{dataset.locale}"'


def filename(dataset: Dataset) -> str:
    return f"{dataset.slug} template.xlsx"


def build(dataset: Dataset, version: SchemaVersion) -> bytes:
    """The workbook as a file; some 10 kB for a dozen columns."""
    book = Workbook()
    book.properties.title, book.properties.creator = texts.shown(dataset.title), "Waybill"
    book.custom_doc_props.append(StringProperty(name="Waybill dataset", value=dataset.slug))
    book.custom_doc_props.append(IntProperty(name="Waybill schema version", value=version.number))
    schema, locale = version.schema, locales.find(dataset.locale)
    key = schema.get("primaryKey", [])
    names = headings(schema["fields"])
    keyed = [key] if isinstance(key, str) else key
    data = book.active
    data.title = DATA_SHEET
    _write_data(data, schema["fields"], names, keyed, locale)
    _write_explanations(book.create_sheet(EXPLANATIONS), dataset, version, names, keyed, locale)
    _write_lists(book.create_sheet(LISTS), data, schema["fields"], locale)
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def headings(fields: Sequence[dict[str, Any]]) -> list[str]:
    """Titles, as people know the columns; the name where the title is missing or might be another field's."""
    likes = [{texts.loose(field["name"]), texts.loose(field.get("title") or "")} - {""} for field in fields]
    chosen = []
    for place, field in enumerate(fields):
        title = " ".join(str(field.get("title") or "").split())
        like = texts.loose(title)
        others = set().union(*(like for other, like in enumerate(likes) if other != place))
        is_clear = bool(like) and like not in others and texts.shown(title) == title
        chosen.append(title if is_clear else field["name"])
    return chosen


def _write_data(
    sheet: Worksheet, fields: Sequence[dict[str, Any]], names: Sequence[str], key: list[str], locale: Locale
) -> None:
    sheet.freeze_panes = "A2"
    for place, (field, name) in enumerate(zip(fields, names, strict=True), start=1):
        cell = text(sheet, 1, place, name)
        cell.font, cell.alignment = Font(bold=True), Alignment(vertical="top", wrap_text=True)
        cell.number_format = "@"
        cell.comment = Comment(_note(field, field["name"] in key, locale), "Waybill", height=160, width=300)
        column = sheet.column_dimensions[get_column_letter(place)]
        column.width = min(max(len(name) + 2, NARROWEST), WIDEST)
        column.number_format = FORMATS.get(field.get("type", "string"), "General")
        rule = template_rules.validation(field)
        if rule is not None:
            _apply(sheet, rule, place)


def _note(field: dict[str, Any], in_key: bool, locale: Locale) -> str:
    lines = [field_words.kind(field) + ".", *field_words.rules(field, in_key=in_key)]
    example = field_words.example(field, locale)
    lines += [f"Example: {example}"] if example else []
    lines += [str(field["description"])] if field.get("description") else []
    return "\n".join(_clean(line)[:500] for line in lines)


def _write_explanations(
    sheet: Worksheet, dataset: Dataset, version: SchemaVersion, names: Sequence[str], key: list[str],
    locale: Locale,
) -> None:  # fmt: skip
    said = (
        f"Template of “{dataset.title}”, schema version {version.number}.",
        f"Fill in the sheet “{DATA_SHEET}”, one record in each row, and send the file to this dataset.",
        "Leave the first row as it is. Columns that are not needed may stay empty.",
    )
    for row, line in enumerate(said, start=1):
        text(sheet, row, 1, line)
    for place, head in enumerate(("What stands there", "Kind", "Rules", "Example", "Description"), start=1):
        text(sheet, 5, place, head).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(place)].width = 26
    for row, (field, name) in enumerate(zip(version.schema["fields"], names, strict=True), start=6):
        cells = (
            f"Column “{name}”",
            field_words.kind(field),
            " ".join(field_words.rules(field, in_key=field["name"] in key)),
            field_words.example(field, locale),
            str(field.get("description", "")),
        )
        for place, line in enumerate(cells, start=1):
            text(sheet, row, place, line).alignment = Alignment(vertical="top", wrap_text=True)


def _write_lists(lists: Worksheet, data: Worksheet, fields: Sequence[dict[str, Any]], locale: Locale) -> None:
    """A hidden sheet with the values of each drop-down, and the drop-downs that take from it."""
    lists.sheet_state = "hidden"
    used = 0
    for place, field in enumerate(fields, start=1):
        values = choices(field, locale)
        if not values:
            continue
        used += 1
        for row, value in enumerate(values, start=1):
            if isinstance(value, int | float):
                lists.cell(row, used, value)
            else:
                text(lists, row, used, str(value))
        letters = get_column_letter(used)
        source = f"{LISTS}!${letters}$1:${letters}${len(values)}"
        _apply(data, template_rules.choice(source), place)


def choices(field: dict[str, Any], locale: Locale) -> list[Any]:
    if field.get("type") == "boolean":
        return list(field_words.booleans(field, locale))
    values: list[Any] = field.get("constraints", {}).get("enum", [])
    return values


def _apply(sheet: Worksheet, rule: DataValidation, place: int) -> None:
    letters = get_column_letter(place)
    rule.add(f"{letters}2:{letters}{LAST_ROW}")
    sheet.add_data_validation(rule)


def text(sheet: Worksheet, row: int, column: int, value: str) -> Any:
    """A cell that is text whatever it begins with: a title is never calculated."""
    cell = sheet.cell(row, column)
    cell.value = _clean(value)
    cell.data_type = "s"
    cell.quotePrefix = value[:1] in ("=", "+", "-", "@")
    return cell


def _clean(value: str) -> str:
    return texts.shown(value, most=30_000)
