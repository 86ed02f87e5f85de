"""What pages show of datasets: their columns in words, their numbers, the values of a record."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, OuterRef, QuerySet, Subquery

from ingestion.models import Dataset, Record, SchemaVersion, Upload
from work.counting import Counted, bounded

RECORDS_COUNTED = 100_000


@dataclass(frozen=True)
class Column:
    """A field of the schema as a person reads it."""

    name: str
    title: str
    type: str
    rules: list[str]
    description: str
    is_key: bool


def every() -> QuerySet[Dataset]:
    return Dataset.objects.select_related("organisation")


def with_numbers(datasets: Sequence[Dataset]) -> list[tuple[Dataset, dict[str, Any]]]:
    """Each with the number of its fields, its current version, and when it was sent to last."""
    ids = [dataset.pk for dataset in datasets]
    versions = dict(
        SchemaVersion.objects.filter(dataset__in=ids).values_list("dataset").annotate(Max("number"))
    )
    newest = Upload.objects.filter(dataset=OuterRef("pk")).order_by("-pk").values("accepted_at")[:1]
    last = dict(Dataset.objects.filter(pk__in=ids).annotate(last=Subquery(newest)).values_list("pk", "last"))
    return [
        (
            dataset,
            {
                "version": versions.get(dataset.pk, 0),
                "uploads": dataset.next_sequence - 1,
                "last": last.get(dataset.pk),
            },
        )
        for dataset in datasets
    ]


def with_columns(datasets: Sequence[Dataset]) -> list[tuple[Dataset, list[Column]]]:
    current: dict[Any, SchemaVersion] = {}
    for version in SchemaVersion.objects.filter(dataset__in=datasets).order_by("dataset", "number"):
        current[version.dataset_id] = version
    return [(each, columns(current[each.pk].schema)) for each in datasets if each.pk in current]


def columns(schema: dict[str, Any]) -> list[Column]:
    key = key_names(schema)
    return [_column(field, key) for field in schema.get("fields", [])]


def key_names(schema: dict[str, Any]) -> list[str]:
    key = schema.get("primaryKey", [])
    return [key] if isinstance(key, str) else list(key)


def values(data: dict[str, Any], columns: Iterable[Column]) -> list[str]:
    return [text(data.get(column.name)) for column in columns]


def key_text(key: str) -> str:
    """The values of the key as people write them."""
    try:
        parts = json.loads(key)
    except ValueError:
        return key
    return " / ".join(text(part) for part in parts) if isinstance(parts, list) else text(parts)


def counted_records(dataset: Dataset) -> Counted:
    return bounded(Record.objects.filter(dataset=dataset, retired_at=None), RECORDS_COUNTED)


def _column(field: dict[str, Any], key: list[str]) -> Column:
    given = field.get("type", "string")
    form = field.get("format", "default")
    return Column(
        name=field["name"],
        title=field.get("title", ""),
        type=f"{given} ({form})" if form not in ("default", "") else given,
        rules=[*_rules(field.get("constraints", {})), *(["sortable"] if field.get("sortable") else [])],
        description=field.get("description", ""),
        is_key=field["name"] in key,
    )


def _rules(constraints: dict[str, Any]) -> list[str]:
    said = []
    for name in sorted(constraints, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER)):
        value = constraints[name]
        if name in ("required", "unique"):
            said += [name] if value else []
        elif name == "enum":
            shown = ", ".join(str(each) for each in value[:6])
            said.append(f"one of {shown}{' …' if len(value) > 6 else ''}")
        else:
            said.append(f"{WORDS.get(name, name)} {value}")
    return said


ORDER = ("required", "unique", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern")
WORDS = {
    "minimum": "at least",
    "maximum": "at most",
    "minLength": "length at least",
    "maxLength": "length at most",
    "pattern": "pattern",
}


def text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
