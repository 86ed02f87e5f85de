"""What a sender says of a file beside the file: how it is to be read, and what is to become of it."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ingestion import readings
from ingestion.models import Dataset, Upload
from work.problems import Problem


@dataclass(frozen=True, kw_only=True)
class UploadOptions:
    """`reading` as it was sent (see `ingestion.asking.Reading`); `mends` is the upload whose refused rows the
    file brings mended. Of a `dry_run` nothing is stored.
    """

    reading: Mapping[str, Any] = field(default_factory=dict)
    on_doubt: str = Upload.OnDoubt.ASK
    dry_run: bool = False
    mends: uuid.UUID | None = None

    def columns(self, dataset: Dataset) -> dict[str, Any]:
        """As the upload keeps them. Raises Problem: 422 `reading_not_valid`, 422 `mends_unknown`."""
        mended = self._mended(dataset)
        return {
            "reading": self._reading(dataset),
            "on_doubt": self.on_doubt,
            "dry_run": self.dry_run,
            "mends": mended,
            "story_id": mended and (mended.story_id or mended.pk),
        }

    def repeated(self) -> list[str]:
        """What a repeated request must repeat beside the file. Nothing for a file sent without options, so
        that keys from before there were any still hold.
        """
        reading = readings.entries(self.reading)
        if not reading and self == UploadOptions(reading=self.reading):
            return []
        asked = [reading, self.on_doubt, self.dry_run, str(self.mends or "")]
        return [json.dumps(asked, sort_keys=True)]

    def _reading(self, dataset: Dataset) -> Mapping[str, Any]:
        if not self.reading:
            return {}  # most files: no schema need be looked at
        return readings.checked(self.reading, schema=dataset.schema_versions.latest("number").schema)

    def _mended(self, dataset: Dataset) -> Upload | None:
        if self.mends is None:
            return None
        found = Upload.objects.filter(pk=self.mends, dataset=dataset).first()
        if found is None:
            raise Problem(
                422,
                "mends_unknown",
                f"{dataset.title} has no upload {self.mends} that could be mended.",
                "Name an upload of the same dataset, or leave it out to send a file of its own.",
            )
        return found
