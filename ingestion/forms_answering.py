"""The form in which a person says which column is which: a choice for each field of the schema."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms import BoundField

from ingestion import dataset_pages
from ingestion.answers_layout import Column, Layout
from ingestion.asking import Suggestion
from ingestion.checking.header import DOUBLE

NONE = "none"
NOT_CHOSEN = ("", "Choose a column…")
NO_COLUMN = (NONE, "Not in this file")
SHOWN = 40
# So many choices in all, and per field: a page of every column for every field could not be sent.
MOST_CHOICES, MOST_COLUMNS, FEWEST_COLUMNS = 20_000, 300, 50
NO_NAME = (
    "Column {letters} has no heading of its own, and another column is headed “{letters}”. "
    "Give it a heading in the file, and send it again."
)
NOTES = {
    "similar": "The heading is similar, please look.",
    "double": "More than one column has this heading, please choose.",
    "alias": "Somebody said so for an earlier file.",
    "title": "Found by the title of the field.",
}


@dataclass(frozen=True)
class Line:
    """One field of the schema, in words, and its choice."""

    described: dataset_pages.Column
    suggestion: Suggestion
    bound: BoundField
    note: str


class AnswerForm(forms.Form):
    """Choices are places of columns. Which fields need one is said by the checks of the answer."""

    def __init__(self, *args: Any, layout: Layout, schema: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.layout = layout
        self.described = dataset_pages.columns(dict(schema))
        self.by_field = {each["field"]: each for each in layout.suggestions}
        offered = [(str(column.place), _label(column)) for column in self._offered()]
        for number, field in enumerate(self.described):
            choice = forms.ChoiceField(
                required=False,
                choices=[NOT_CHOSEN, NO_COLUMN, *offered],
                initial=_initial(self.by_field[field.name]),
                label=field.title or field.name,
            )
            self.fields[f"column_{number}"] = choice

    def clean(self) -> dict[str, Any]:
        """A column without a plain heading goes by its letters, unless these are the heading of another."""
        for name, value in list(self.cleaned_data.items()):
            if value.isdigit():
                column = self.layout.columns[int(value)]
                if [found.place for found in self.layout.find(column.name)] != [column.place]:
                    self.add_error(name, NO_NAME.format(letters=column.letters))
        return self.cleaned_data

    def lines(self) -> Iterator[Line]:
        for number, described in enumerate(self.described):
            suggestion = self.by_field[described.name]
            note = NOTES.get(suggestion["why"], "") if suggestion["column"] is not None else ""
            yield Line(described, suggestion, self[f"column_{number}"], note)

    def mapping(self) -> dict[str, str | None]:
        """Of a form that is valid, each field that something was chosen for."""
        chosen = {
            described.name: self.cleaned_data[f"column_{number}"]
            for number, described in enumerate(self.described)
        }
        return {
            field: None if value == NONE else self.layout.columns[int(value)].name
            for field, value in chosen.items()
            if value
        }

    def left_out(self) -> list[Column]:
        """Columns that hold something and that no field has, as the form stands."""
        taken = {str(self[name].value()) for name in self.fields}
        return [
            column
            for column in self.layout.columns
            if str(column.place) not in taken and (column.heading or column.example)
        ]

    def refuse(self, at: str, message: str) -> bool:
        """Puts a fault of the answer at its field; whether there is such a field."""
        for number, described in enumerate(self.described):
            if at == f"mapping.{described.name}":
                self.add_error(f"column_{number}", message)
                return True
        return False

    def _offered(self) -> list[Column]:
        """As many columns as fit, and those that are suggested wherever they stand."""
        most = max(FEWEST_COLUMNS, min(MOST_COLUMNS, MOST_CHOICES // max(1, len(self.described))))
        suggested = {each["column"] for each in self.layout.suggestions}
        return [
            column
            for column in self.layout.columns
            if (column.place < most and (column.heading or column.example)) or column.place in suggested
        ]


class ReasonForm(forms.Form):
    """Of a decision that takes records out of use."""

    why = forms.CharField(
        label="Reason",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the decision, where others read it later.",
    )


class WhichTotalsForm(forms.Form):
    """Of rows below the data that look like totals."""

    LEAVE_OUT, KEEP = "leave_out", "keep"
    rows = forms.ChoiceField(
        label="What are these rows?",
        choices=[
            (LEAVE_OUT, "Totals; they are left out"),
            (KEEP, "Rows of the data; they are read like the others"),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Say what these rows are."},
    )


class WhichValuesForm(forms.Form):
    """Of mended rows whose records a newer upload has written."""

    MINE, THEIRS = "mine", "theirs"
    values = forms.ChoiceField(
        label="Which values shall stand?",
        choices=[
            (THEIRS, "What is stored now; the mended rows are left out"),
            (MINE, "What was mended; it replaces what is stored now"),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": "Say which values shall stand."},
    )
    why = forms.CharField(
        label="Reason",
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="If there is one: it is kept with the decision.",
    )


def _label(column: Column) -> str:
    heading = _cut(column.heading) or "no heading"
    return f"{column.letters}: {heading}" + (f" (such as {_cut(column.example)})" if column.example else "")


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _initial(suggestion: Suggestion) -> str:
    if suggestion["why"] == DOUBLE:
        return ""
    if suggestion["column"] is not None:
        return str(suggestion["column"])
    return "" if suggestion["required"] else NONE
