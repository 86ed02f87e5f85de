"""What is filled in when a dataset begins, and when its draft is saved."""

from typing import Any

from django import forms
from django.core.validators import validate_slug

from accounts.models import Organisation
from accounts.principals import Principal
from ingestion.forms import parsed
from ingestion.inferring import naming
from ingestion.models import Dataset, SchemaDraft
from ingestion.schema_editing import key_of
from work.identifiers import uuid7

LOCALE = "Decides how dates and numbers typed as text are read, such as de or en-GB."


class StartForm(forms.Form):
    """Where the dataset will belong: asked only of people who manage several organisations."""

    organisation = forms.ModelChoiceField(queryset=Organisation.objects.none(), empty_label=None)

    def __init__(self, *args: Any, principal: Principal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        may = [each.pk for each in principal.organisations() if principal.can("manage", each)]
        field: Any = self.fields["organisation"]
        field.queryset = Organisation.objects.filter(pk__in=may).order_by("title")
        if len(may) == 1:
            field.initial, field.widget = may[0], forms.HiddenInput()


class SampleForm(StartForm):
    nonce = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    file = forms.FileField(
        label="A file as people will send it",
        help_text="A workbook or text with separators; its first rows are enough. It is not stored as data.",
        allow_empty_file=True,  # refused by the verb, in the same words as to programs
    )


class DatasetSavingForm(forms.Form):
    """For a draft that becomes a new dataset."""

    title = forms.CharField(max_length=150, help_text="As people will see it, such as Monitoring stations.")
    slug = forms.CharField(
        max_length=80,
        validators=[validate_slug],
        help_text="Its name in addresses and for programs, such as stations. It stays for ever.",
    )
    locale = forms.CharField(max_length=10, required=False, help_text=LOCALE)
    send_sample = forms.BooleanField(
        label="Send the sample as the first upload", required=False, initial=True
    )

    def __init__(self, data: Any = None, *, draft: SchemaDraft) -> None:
        stem = draft.sample_name.rpartition(".")[0]
        slug = naming.identifier(stem).encode("ascii", "ignore").decode().replace("_", "-").strip("-")
        initial = {"title": stem.replace("_", " ").strip(), "slug": slug, "locale": draft.locale}
        super().__init__(data, initial=initial)
        if not draft.sample_key:
            del self.fields["send_sample"]


class DraftJsonForm(forms.Form):
    revision = forms.IntegerField(widget=forms.HiddenInput)
    schema = forms.CharField(
        label="Table Schema, as JSON",
        strip=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 24, "class": "code", "spellcheck": "false"}),
    )

    def clean_schema(self) -> Any:
        found = parsed(self.cleaned_data["schema"])
        fields = found.get("fields")
        if not isinstance(fields, list) or not all(
            isinstance(field, dict) and isinstance(field.get("name"), str) for field in fields
        ):
            raise forms.ValidationError("“fields” must be a list of objects, each with a name.")
        return found


class SettingsForm(forms.Form):
    title = forms.CharField(max_length=150)
    locale = forms.RegexField(r"^[a-z]{2,3}([-_][A-Za-z]{2,4})?$", max_length=10, help_text=LOCALE)
    mode = forms.ChoiceField(
        label="A file",
        choices=[
            (Dataset.Mode.UPSERT, "adds records, and replaces those under its keys"),
            (Dataset.Mode.SNAPSHOT, "is the whole: records that are absent from it are retired"),
        ],
        widget=forms.RadioSelect,
    )
    retire_limit = forms.IntegerField(
        label="Ask before more than this share is retired, in %", min_value=0, max_value=100,
        help_text="Of the records in use, by one file that is the whole.",
    )  # fmt: skip
    refuse_limit = forms.IntegerField(
        label="Store nothing of a file when more rows than this are refused, in %",
        min_value=0, max_value=100, required=False,
        help_text="Left empty, the rows that pass are always stored.",
    )  # fmt: skip
    why = forms.CharField(
        label="Reason", max_length=2000, widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Kept with the decision, where others read it later.",
    )  # fmt: skip

    def __init__(self, data: Any = None, *, dataset: Dataset) -> None:
        self.dataset = dataset
        super().__init__(data, initial={name: getattr(dataset, name) for name in SETTINGS})

    def clean_mode(self) -> str:
        mode: str = self.cleaned_data["mode"]
        if mode == Dataset.Mode.SNAPSHOT and not key_of(self.dataset.schema_versions.latest("number").schema):
            raise forms.ValidationError(
                "Without a key nothing says which records are absent. Give the columns a key first."
            )
        return mode

    def changed_settings(self) -> dict[str, Any]:
        return {
            name: self.cleaned_data[name]
            for name in SETTINGS
            if self.cleaned_data[name] != getattr(self.dataset, name)
        }


SETTINGS = ("title", "locale", "mode", "retire_limit", "refuse_limit")
