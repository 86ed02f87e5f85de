"""A field of a schema in words: for notes of template workbooks, and for pages where fields are edited."""

from typing import Any

from ingestion.checking.locales import Locale
from ingestion.checking.texts import shown

TYPES = {
    "string": "Text",
    "integer": "Whole number",
    "number": "Number",
    "boolean": "Yes or no",
    "date": "Date",
    "time": "Time of day",
    "datetime": "Date and time",
    "year": "Year",
    "yearmonth": "Month of a year",
    "duration": "Duration",
    "geopoint": "Point on the map",
    "any": "Anything",
}
FORMATS = {"email": "E-mail address", "uri": "Web address", "uuid": "UUID"}
EXAMPLES = {
    "integer": "42",
    "number": "12.5",
    "date": "2024-05-31",
    "time": "14:30:00",
    "datetime": "2024-05-31 14:30:00",
    "year": "2024",
    "yearmonth": "2024-05",
    "duration": "P1DT2H30M",
    "geopoint": "13.4, 52.5",
}
FORMAT_EXAMPLES = {
    "email": "name@example.org",
    "uri": "https://example.org/",
    "uuid": "6f9619ff-8b86-4011-b42d-00cf4fc964ff",
}


def kind(field: dict[str, Any]) -> str:
    """The type in words: “E-mail address”, “Date, written as %d.%m.%Y”."""
    given, written = field.get("type", "string"), field.get("format", "default")
    if written in FORMATS:
        return FORMATS[written]
    name = TYPES.get(given, str(given))
    return name if written in ("default", "any", "") else f"{name}, written as {written}"


def rules(field: dict[str, Any], *, in_key: bool = False) -> list[str]:
    """One sentence for each rule."""
    given = field.get("constraints", {})
    said = ["Part of the key: no two rows may have the same."] if in_key else []
    if given.get("required") or in_key:
        said.append("Must be filled in.")
    if given.get("unique"):
        said.append("No value may occur twice.")
    if "enum" in given:
        listed = ", ".join(shown(str(each), most=40) for each in given["enum"][:8])
        more = len(given["enum"]) - 8
        said.append(f"One of: {listed}{f' and {more:,} more' if more > 0 else ''}.")
    bounds = [f"at least {given['minimum']}"] if "minimum" in given else []
    bounds += [f"at most {given['maximum']}"] if "maximum" in given else []
    if bounds:
        said.append(f"{' and '.join(bounds).capitalize()}.")
    lengths = [f"at least {given['minLength']}"] if "minLength" in given else []
    lengths += [f"at most {given['maxLength']}"] if "maxLength" in given else []
    if lengths:
        said.append(f"{' and '.join(lengths).capitalize()} characters.")
    if "pattern" in given:
        said.append(f"Of the form {shown(str(given['pattern']), most=100)}.")
    return said


def booleans(field: dict[str, Any], locale: Locale) -> tuple[str, str]:
    """The words for yes and no that the field takes and a person would choose first."""
    true = field.get("trueValues") or [*reversed(locale.true), "true"]
    false = field.get("falseValues") or [*reversed(locale.false), "false"]
    return true[0], false[0]


def example(field: dict[str, Any], locale: Locale) -> str:
    """What the field gives as its example, else an allowed value, else one of the type, or nothing."""
    if "example" in field and isinstance(field["example"], str | int | float):
        return shown(str(field["example"]), most=100)
    given = field.get("constraints", {})
    if given.get("enum"):
        return shown(str(given["enum"][0]), most=100)
    if field.get("type") == "boolean":
        return booleans(field, locale)[0]
    bound = given.get("minimum", given.get("maximum"))
    if bound is not None:
        return str(bound)
    return FORMAT_EXAMPLES.get(field.get("format", ""), EXAMPLES.get(field.get("type", "string"), ""))
