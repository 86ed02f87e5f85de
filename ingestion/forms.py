"""What people fill in about uploads and datasets."""

import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.validators import validate_slug
from django.urls import reverse_lazy

from accounts.models import Organisation
from accounts.principals import Principal
from ingestion import list_filters
from ingestion.models import Dataset, ErrorCount, Upload
from ingestion.readings import LAST_ROW, LONGEST_SHEET
from ingestion.states import UploadState
from ingestion.upload_options import UploadOptions
from work.identifiers import uuid7
from work.problems import Problem


class UploadFilter(forms.Form):
    """The state stands as pills beside it; everything else is in this form, and all of it in the address."""

    status = forms.ChoiceField(
        required=False, choices=[("", "Any"), *UploadState.choices], widget=forms.HiddenInput
    )
    text = forms.CharField(
        required=False,
        max_length=100,
        label="File name or sha256",
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    dataset = forms.ChoiceField(required=False, label="Dataset")
    organisation = forms.ChoiceField(required=False, label="Organisation")
    sender = forms.CharField(required=False, max_length=100, label="Sent by")
    period = forms.ChoiceField(required=False, label="Accepted", choices=list_filters.PERIODS)

    def __init__(self, *args: Any, principal: Principal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        datasets = principal.sees(Dataset.objects.all()).order_by("title").values_list("slug", "title")
        named = dict(datasets[:500])
        _offer(self.fields["dataset"], [("", "Every dataset"), *named.items()])
        seen = list(principal.organisations().order_by("title").values_list("slug", "title")[:500])
        if len(seen) > 1:
            _offer(self.fields["organisation"], [("", "Every organisation"), *seen])
        else:
            del self.fields["organisation"]


class UploadForm(forms.Form):
    """`nonce` goes along as the Idempotency-Key: pressed twice, it is one upload."""

    nonce = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    mends = forms.ModelChoiceField(
        queryset=Upload.objects.none(), required=False, widget=forms.HiddenInput, label="Mends"
    )
    dataset = forms.ModelChoiceField(
        queryset=Dataset.objects.none(),
        empty_label="Choose a dataset",
        widget=forms.Select(
            attrs={
                "hx-get": reverse_lazy("upload_new"),
                "hx-trigger": "change",
                "hx-target": "#expected",
                "hx-swap": "outerHTML",
                "hx-sync": "this:queue last",
            }
        ),
    )
    file = forms.FileField(
        label="Spreadsheet",
        help_text="A workbook (.xlsx, .xlsm, .xls, .xlsb, .ods) or text with separators (.csv, .tsv).",
        allow_empty_file=True,  # a verb says what is wrong with it, in the same words as to programs
        widget=forms.ClearableFileInput(attrs={"accept": ".xlsx,.xlsm,.xls,.xlsb,.ods,.csv,.tsv,.txt"}),
    )

    dry_run = forms.BooleanField(
        required=False,
        label="Try it first (store nothing)",
        help_text="You get the verdict, and may store the file afterwards.",
    )
    sheet = forms.CharField(
        required=False,
        max_length=LONGEST_SHEET,
        help_text="Its name, when the workbook has several. Left blank, the one that fits is taken.",
    )
    header_row = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=LAST_ROW,
        label="Row with the names of the columns",
        help_text="As the spreadsheet numbers it. Left blank, it is found.",
    )

    def __init__(self, *args: Any, principal: Principal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        may = [each for each in principal.organisations() if principal.can("upload", each)]
        datasets = Dataset.objects.filter(organisation__in=may).select_related("organisation")
        self.fields["mends"].queryset = principal.sees(Upload.objects.all())  # type: ignore[attr-defined]
        field = self.fields["dataset"]
        field.queryset = datasets.order_by("organisation__title", "title")  # type: ignore[attr-defined]
        several = len(may) > 1
        field.label_from_instance = lambda each: (  # type: ignore[attr-defined]
            f"{each.organisation.title}: {each.title}" if several else each.title
        )

    def options(self) -> UploadOptions:
        """What is sent into another dataset than the one it was offered for mends nothing."""
        given = self.cleaned_data
        mended = given["mends"] if given["mends"] and given["mends"].dataset == given["dataset"] else None
        reading = {"sheet": given["sheet"], "header_row": given["header_row"]}
        return UploadOptions(reading=reading, dry_run=given["dry_run"], mends=mended and mended.pk)

    def refuse_reading(self, problem: Problem) -> None:
        for error in problem.extra["errors"]:
            self.add_error(error["at"] if error["at"] in self.fields else None, error["message"])


class RowFilter(forms.Form):
    """Rule and column as they were found in this upload."""

    code = forms.ChoiceField(required=False, label="Rule")
    column = forms.ChoiceField(required=False, label="Column")
    text = forms.CharField(
        required=False,
        max_length=100,
        label="Find in values",
        widget=forms.TextInput(attrs={"type": "search"}),
    )

    def __init__(self, *args: Any, groups: Iterable[ErrorCount], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        codes = sorted({group.code for group in groups})
        columns = {group.column: f"{group.column} {group.header}".strip() for group in groups if group.column}
        _offer(self.fields["code"], [("", "Every rule"), *((code, code) for code in codes)])
        by_place = sorted(columns.items(), key=lambda column: (len(column[0]), column[0]))
        _offer(self.fields["column"], [("", "Every column"), *by_place])


class SchemaForm(forms.Form):
    """JSON as typed is kept when it is refused. `version` is the number that the change was made to."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    schema = forms.CharField(
        label="Table Schema, as JSON",
        strip=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 24, "class": "code", "spellcheck": "false"}),
    )

    def clean_schema(self) -> Any:
        return parsed(self.cleaned_data["schema"])


class DatasetForm(forms.Form):
    organisation = forms.ModelChoiceField(queryset=Organisation.objects.none(), empty_label=None)
    title = forms.CharField(max_length=150, help_text="As people will see it, such as Monitoring stations.")
    slug = forms.CharField(
        max_length=80,
        validators=[validate_slug],
        help_text="Its name in addresses and for programs, such as stations. It stays for ever.",
    )
    locale = forms.CharField(
        max_length=10,
        required=False,
        help_text="Decides how dates and numbers typed as text are read, such as de or en-GB."
        " Left blank, the organisation's is used.",
    )
    schema = forms.CharField(
        label="Table Schema, as JSON",
        strip=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 20, "class": "code", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, principal: Principal, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        may = [each.pk for each in principal.organisations() if principal.can("manage", each)]
        field = self.fields["organisation"]
        field.queryset = Organisation.objects.filter(pk__in=may).order_by("title")  # type: ignore[attr-defined]

    def clean_schema(self) -> Any:
        return parsed(self.cleaned_data["schema"])


def parsed(text: str) -> Any:
    """Raises ValidationError naming the line and the column of what is not JSON."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise forms.ValidationError(
            f"This is not JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        ) from error
    except RecursionError as error:
        raise forms.ValidationError("This is nested too deeply to be a schema.") from error
    if not isinstance(found, dict):
        raise forms.ValidationError("A schema is a JSON object with “fields”.")
    return found


def _offer(field: forms.Field, choices: list[tuple[str, str]]) -> None:
    field.choices = choices  # type: ignore[attr-defined]
