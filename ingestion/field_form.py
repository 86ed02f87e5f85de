"""The form of one field of a schema: what its type needs and no more. What the form does not show stays."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms

from ingestion import field_words
from ingestion.checking.fields import FORMATS
from ingestion.checking.schema_problems import SchemaProblem
from ingestion.checking.schemas import BOUNDED_TYPES, DESCRIPTIVE, DIRECTIVES, LONGEST_NAME

LONGEST_LINES = 400_000
TEXT_TYPES = ("string", "any")
NUMBER_TYPES = ("integer", "number")
SORTED = ("string", "integer", "number", "boolean", "date", "time", "datetime", "year", "yearmonth")
# Name of the form's field: where it stands in the descriptor, and the types that have it (None: all).
SHOWN: dict[str, tuple[str, tuple[str, ...] | None]] = {
    "format": ("format", tuple(kind for kind, names in FORMATS.items() if len(names) > 1)),
    "enum": ("constraints.enum", None),
    "minimum": ("constraints.minimum", tuple(sorted(BOUNDED_TYPES))),
    "maximum": ("constraints.maximum", tuple(sorted(BOUNDED_TYPES))),
    "min_length": ("constraints.minLength", TEXT_TYPES),
    "max_length": ("constraints.maxLength", TEXT_TYPES),
    "pattern": ("constraints.pattern", TEXT_TYPES),
    "decimal_char": ("decimalChar", ("number",)),
    "group_char": ("groupChar", NUMBER_TYPES),
    "with_symbols": ("bareNumber", NUMBER_TYPES),
    "true_values": ("trueValues", ("boolean",)),
    "false_values": ("falseValues", ("boolean",)),
    "missing_values": ("missingValues", None),
}
LISTS = ("enum", "true_values", "false_values", "missing_values")
PLACES = {place: name for name, (place, _) in SHOWN.items()} | {"constraints": "min_length"}


def lines(label: str, help_text: str = "", rows: int = 3) -> forms.CharField:
    return forms.CharField(
        label=label, required=False, strip=False, max_length=LONGEST_LINES, help_text=help_text,
        widget=forms.Textarea(attrs={"rows": rows, "spellcheck": "false"}),
    )  # fmt: skip


def line(label: str, help_text: str = "", most: int = 2_000) -> forms.CharField:
    return forms.CharField(
        label=label, required=False, strip=False, max_length=most, help_text=help_text,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )  # fmt: skip


class FieldForm(forms.Form):
    """`field` is the descriptor that is changed; `kind` the type that the form is for."""

    title = line("Title", "The heading of the column, as people write it.")
    name = line("Name", "For programs, such as station_id. It names the value in every record.", LONGEST_NAME)
    type = forms.ChoiceField(choices=[(kind, field_words.TYPES[kind]) for kind in FORMATS])
    format = line("Format")
    in_key = forms.BooleanField(label="Part of the key", required=False)
    is_required = forms.BooleanField(label="Must be filled in", required=False)
    is_unique = forms.BooleanField(label="No value twice", required=False)
    enum = lines("Allowed values", "One per line. Left empty, every value is allowed.", 5)
    minimum = line("At least", most=100)
    maximum = line("At most", most=100)
    min_length = line("Shortest, in characters", most=10)
    max_length = line("Longest, in characters", most=10)
    pattern = line("Pattern", "A regular expression that the whole text must fit, such as [A-Z]{2}.")
    decimal_char = line("Decimal sign", "For numbers typed as text. Empty: as the locale writes it.", 1)
    group_char = line("Sign between thousands", "For numbers typed as text.", 1)
    with_symbols = forms.BooleanField(label="Symbols such as € or % may stand around it", required=False)
    true_values = lines("Words for yes", "One per line. Empty: those of the locale.")
    false_values = lines("Words for no", "One per line. Empty: those of the locale.")
    missing_values = lines("Words for a missing value", "One per line, such as n/a.")
    sortable = forms.BooleanField(
        label="Sort and filter records by it",
        required=False,
        help_text="At most five columns: each costs an index.",
    )
    refers_to = forms.ChoiceField(
        label="Refers to", required=False, help_text="Each value must be a key of that dataset."
    )
    example = line("Example", "Shown in the template and beside errors.")
    description = forms.CharField(
        required=False, strip=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(self, data: Any = None, *, field: dict[str, Any], in_key: bool, kind: str = "",
        target: str = "", targets: Sequence[tuple[str, str]] = (),
    ) -> None:  # fmt: skip
        self.field, self.kind = field, kind or str(field.get("type", "string"))
        super().__init__(
            data, initial=_initial(field) | {"in_key": in_key, "type": self.kind, "refers_to": target}
        )
        self.fields["refers_to"].choices = list(targets) or [(target, target)]  # type: ignore[attr-defined]
        if "sortable" not in DESCRIPTIVE or self.kind not in SORTED:
            del self.fields["sortable"]
        for name, (_, kinds) in SHOWN.items():
            if kinds is not None and self.kind not in kinds:
                del self.fields[name]
        if "format" in self.fields:
            self.fields["format"] = self._format()

    def _format(self) -> forms.Field:
        named = FORMATS[self.kind]
        if self.kind not in DIRECTIVES:
            words = [
                (name, field_words.FORMATS.get(name, name if name != "default" else "Any")) for name in named
            ]
            return forms.ChoiceField(choices=words, required=False)
        return line(
            "Written as", "When it is typed as text, such as %d.%m.%Y. Empty: as the locale writes it.", 100
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in ("min_length", "max_length"):
            text = cleaned.get(name, "").strip()
            if text and text != self.initial[name] and not (text.isascii() and text.isdecimal()):
                self.add_error(name, "Type a whole number, such as 10.")
        return cleaned

    def unjudged(self) -> "FieldForm":
        """The same as typed, before anybody is told what is wrong with it."""
        typed = {name: self.data.get(name, "") for name in self.fields if name in self.data}
        ticks = {name: name in self.data for name, each in self.fields.items() if _is_tick(each)}
        choices = self.fields["refers_to"].choices  # type: ignore[attr-defined]
        form = FieldForm(field=self.field, in_key=ticks["in_key"], kind=self.kind, targets=choices)
        form.initial = {**form.initial, **typed, **ticks, "type": self.kind}
        return form

    def descriptor(self) -> dict[str, Any]:
        """The field as it was, with what was typed. Values that were left alone keep their exact form."""
        made = {name: value for name, value in self.field.items() if self._stays(name)}
        cleaned, before = self.cleaned_data, _initial(self.field)
        made["name"] = cleaned["name"].strip()
        if "type" in self.field or self.kind != "string":
            made["type"] = self.kind
        for name in ("title", "description", "example"):
            _put(made, name, cleaned[name], before[name], self.field.get(name))
        rules = {
            name: value
            for name, value in self.field.get("constraints", {}).items()
            if self._stays(f"constraints.{name}")
        }
        for name, given in (("required", "is_required"), ("unique", "is_unique")):
            if cleaned[given] != bool(self.field.get("constraints", {}).get(name)):
                rules[name] = cleaned[given]
                if not cleaned[given]:
                    del rules[name]
        if "sortable" in self.fields and cleaned["sortable"] != self.initial["sortable"]:
            made["sortable"] = cleaned["sortable"]
            if not cleaned["sortable"]:
                del made["sortable"]
        for name, (place, _) in SHOWN.items():
            if name in self.fields:
                self._place(made, rules, name, place, before)
        made.pop("constraints", None)
        return made | ({"constraints": rules} if rules or self.field.get("constraints") == {} else {})

    def _stays(self, place: str) -> bool:
        """What another type had goes with that type."""
        name = PLACES.get(place) if place != "constraints" else None
        return name is None or name in self.fields

    def _place(
        self, made: dict[str, Any], rules: dict[str, Any], name: str, place: str, before: dict[str, Any]
    ) -> None:
        typed = self.cleaned_data[name]
        within, _, inner = place.rpartition(".")
        target = rules if within else made
        if isinstance(typed, str):
            typed = typed.replace("\r\n", "\n")
        if typed == before[name] or (name == "format" and typed in ("", "default") and not before[name]):
            return
        value = self._value(name, typed)
        if value is None:
            target.pop(inner, None)
        else:
            target[inner] = value

    def _value(self, name: str, typed: Any) -> Any:
        """None where nothing was typed."""
        if name == "with_symbols":
            return False if typed else None
        if name in LISTS:
            listed = [each for each in typed.split("\n") if each]
            if name == "missing_values":
                return ["", *listed] if listed else None
            return ([_json(each, self.kind) for each in listed] if name == "enum" else listed) or None
        if not typed.strip():
            return typed if name in ("group_char",) and typed else None
        if name in ("min_length", "max_length"):
            return int(typed)
        return _json(typed.strip(), self.kind) if name in ("minimum", "maximum") else typed

    def refuse(self, problem: SchemaProblem, place: int) -> None:
        """Say it at the control that it is about."""
        inner = problem.path.removeprefix(f"fields[{place}]").lstrip(".")
        name = PLACES.get(inner, inner)
        self.add_error(name if name in self.fields else None, problem.message)


def _is_tick(field: forms.Field) -> bool:
    return isinstance(field, forms.BooleanField)


def _initial(field: dict[str, Any]) -> dict[str, Any]:
    rules = field.get("constraints", {})
    found: dict[str, Any] = {
        "name": field.get("name", ""),
        "title": field.get("title", ""),
        "description": field.get("description", ""),
        "example": _said(field.get("example")),
        "is_required": bool(rules.get("required")),
        "is_unique": bool(rules.get("unique")),
        "sortable": field.get("sortable") is True,
    }
    for name, (place, _) in SHOWN.items():
        within, _, inner = place.rpartition(".")
        value = (rules if within else field).get(inner)
        if name == "with_symbols":
            found[name] = value is False
        elif name in LISTS:
            found[name] = "\n".join(_said(each) for each in value or [] if each != "")
        else:
            found[name] = "" if name == "format" and value == "default" else _said(value)
    return found


def _put(made: dict[str, Any], name: str, typed: str, before: str, exact: Any) -> None:
    typed = typed.replace("\r\n", "\n")
    if typed == before:
        if exact is not None:
            made[name] = exact
    elif typed:
        made[name] = typed
    else:
        made.pop(name, None)


def _said(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(text: str, kind: str) -> Any:
    """A number where the type is one; else the text."""
    if kind not in (*NUMBER_TYPES, "year"):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float) and not isinstance(value, bool) else text
