"""What the steps of one upload hand to each other."""

from dataclasses import dataclass, field
from typing import Any

from accounts.models import Organisation
from ingestion.checking.checker import Checker
from ingestion.mending import Mending
from ingestion.models import Dataset, SchemaVersion, Upload


@dataclass
class Context:
    """`looked_at` is the version of the dataset at which stored values were last compared; `mending` is there
    for an upload that brings refused rows of an earlier one.
    """

    upload: Upload
    organisation: Organisation
    dataset: Dataset
    schema: SchemaVersion
    checker: Checker
    mending: Mending | None = None
    sheet: str = ""
    rows_read: int = 0
    blank: int = 0
    assumptions: list[dict[str, Any]] = field(default_factory=list)
    looked_at: int = -1

    @property
    def headers(self) -> list[str]:
        return self.checker.header.headers if self.checker.header else []

    @property
    def unique_fields(self) -> list[str]:
        """Fields whose values must differ, the key itself left out: it has rules of its own."""
        unique = [
            entry["name"]
            for entry in self.schema.schema["fields"]
            if entry.get("constraints", {}).get("unique")
        ]
        return [name for name in unique if [name] != self.checker.primary_key]


def begin(upload: Upload) -> Context:
    """The schema that is current when the attempt starts is the one that the file is checked by."""
    dataset = Dataset.objects.select_related("organisation").get(pk=upload.dataset_id)
    schema = dataset.schema_versions.latest("number")
    return Context(
        upload=upload,
        organisation=dataset.organisation,
        dataset=dataset,
        schema=schema,
        checker=Checker(schema.schema, locale=dataset.locale),
    )
