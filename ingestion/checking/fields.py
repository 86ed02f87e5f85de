"""A field of a schema, made ready: its type's reader with what it declares and what the locale adds."""

from typing import Any

from ingestion.checking.columns import Column
from ingestion.checking.columns_durations import DurationColumn
from ingestion.checking.columns_moments import DateColumn, DatetimeColumn, MonthColumn, TimeColumn, YearColumn
from ingestion.checking.columns_numbers import IntegerColumn, NumberColumn
from ingestion.checking.columns_places import PlaceColumn
from ingestion.checking.columns_texts import AnyColumn, BooleanColumn, TextColumn
from ingestion.checking.locales import Locale, find

# The formats that have a name; date, time and datetime take patterns as well.
FORMATS: dict[str, tuple[str, ...]] = {
    "string": ("default", "email", "uri", "uuid"),
    "integer": ("default",),
    "number": ("default",),
    "boolean": ("default",),
    "date": ("default", "any"),
    "time": ("default", "any"),
    "datetime": ("default", "any"),
    "year": ("default",),
    "yearmonth": ("default",),
    "duration": ("default",),
    "geopoint": ("default", "array", "object"),
    "any": ("default",),
}
COLUMNS: dict[str, type[Column]] = {
    "string": TextColumn,
    "integer": IntegerColumn,
    "number": NumberColumn,
    "boolean": BooleanColumn,
    "date": DateColumn,
    "time": TimeColumn,
    "datetime": DatetimeColumn,
    "year": YearColumn,
    "yearmonth": MonthColumn,
    "duration": DurationColumn,
    "geopoint": PlaceColumn,
    "any": AnyColumn,
}


def build_field(
    field: dict[str, Any],
    *,
    locale: Locale | None = None,
    missing_values: list[str] | None = None,
    in_key: bool = False,
) -> Column:
    """The column of a valid field."""
    kind = COLUMNS[field.get("type", "string")]
    values = field.get("missingValues", [""] if missing_values is None else missing_values)
    return kind(field, locale=locale or find("en"), missing_values=values, in_key=in_key)
