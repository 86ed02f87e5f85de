"""The form over the records of a dataset: a search box, and an input for each field that is sortable."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from ingestion.search.finding import parameter
from ingestion.search.protocol import Field

ANY = ("", "Any")


class RecordFilter(forms.Form):
    """Read by its names only: `ingestion.search.finding` reads the same query string for the API."""

    q = forms.CharField(
        required=False,
        max_length=200,
        label="Find in records",
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    sort = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, fields: Iterable[Field], schema: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        described = {field["name"]: field for field in schema["fields"]}
        for field in fields:
            told = described.get(field.name, {})
            self.fields.update(_inputs(field, told.get("title") or field.name, told))


def _inputs(field: Field, title: str, told: Mapping[str, Any]) -> dict[str, forms.Field]:
    name = parameter(field.name)
    choices = told.get("constraints", {}).get("enum") or []
    if field.kind == "boolean":
        return {name: _choice(title, [("true", "true"), ("false", "false")])}
    if field.kind == "text":
        listed = [(str(value), str(value)) for value in choices if isinstance(value, str)]
        return {name: _choice(title, listed) if listed else _text(title, {})}
    attrs = {"type": "number", "step": "any"} if field.kind == "number" else {"type": "date"}
    return {
        parameter(field.name, "from"): _text(f"{title} from", attrs),
        parameter(field.name, "to"): _text(f"{title} to", attrs),
    }


def _choice(title: str, choices: list[tuple[str, str]]) -> forms.Field:
    return forms.ChoiceField(required=False, label=title, choices=[ANY, *choices])


def _text(title: str, attrs: dict[str, str]) -> forms.Field:
    return forms.CharField(required=False, label=title, widget=forms.TextInput(attrs=attrs), max_length=200)
