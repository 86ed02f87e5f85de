"""What the steps of one upload hand to each other."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Organisation
from ingestion import references
from ingestion.checking.checker import Checker
from ingestion.mending import Mending
from ingestion.models import Dataset, SchemaVersion, Upload
from ingestion.references import Reference


@dataclass
class Context:
    """`looked_at` has the versions at which stored values were last compared, of this dataset and of those
    that it refers to; `mending` is there for an upload that brings refused rows of an earlier one. `mapping`
    is what was said of the columns, of this file or of the one that it mends.
    """

    upload: Upload
    organisation: Organisation
    dataset: Dataset
    schema: SchemaVersion
    checker: Checker
    mending: Mending | None = None
    mapping: dict[str, str | None] = field(default_factory=dict)
    sheet: str = ""
    format: str = ""
    header_row: int = 0
    header_rows: int = 1
    rows_read: int = 0
    blank: int = 0
    assumptions: list[dict[str, Any]] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    looked_at: dict[uuid.UUID, int] = field(default_factory=dict)

    @property
    def is_snapshot(self) -> bool:
        """A file that mends some rows of another is not the whole."""
        is_part = self.upload.mends_id is not None
        return self.dataset.mode == Dataset.Mode.SNAPSHOT and bool(self.checker.primary_key) and not is_part

    @property
    def concerned(self) -> list[uuid.UUID]:
        """This dataset, and those whose records its rows refer to."""
        return sorted({self.dataset.pk, *(each.dataset_id for each in self.references)})

    @property
    def headers(self) -> list[str]:
        return self.checker.header.headers if self.checker.header else []

    @property
    def places(self) -> dict[str, int | None]:
        """As the verdict keeps them."""
        denied: dict[str, int | None] = {name: None for name, said in self.mapping.items() if said is None}
        return {**denied, **(self.checker.header.places if self.checker.header else {})}

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
    found = references.resolve(dataset, schema.schema)
    checker = Checker(schema.schema, locale=dataset.locale)
    checker.foreign_keys = [each.fields for each in found]
    return Context(
        upload=upload,
        organisation=dataset.organisation,
        dataset=dataset,
        schema=schema,
        checker=checker,
        references=found,
    )
