"""`"sortable": true` marks a field by which records are filtered and sorted; each has an index of its own."""

from collections.abc import Iterator
from typing import Any

from ingestion.checking.schema_problems import SchemaProblem

MOST_SORTABLE = 5


def sortable(fields: list[Any]) -> Iterator[SchemaProblem]:
    marked = 0
    for index, field in enumerate(fields):
        value = field.get("sortable", False) if isinstance(field, dict) else False
        if not isinstance(value, bool):
            message = "sortable must be true or false."
            yield SchemaProblem(f"fields[{index}].sortable", "not_boolean", message)
            continue
        marked += value
        if value and marked > MOST_SORTABLE:
            message = f"At most {MOST_SORTABLE} fields can be sortable: each costs an index."
            yield SchemaProblem(f"fields[{index}].sortable", "too_many_sortable", message)
