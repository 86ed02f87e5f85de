"""Says of the storage, before anybody sends a file, whether it takes one: `manage.py check --deploy`."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks

from work import storage
from work.failure_texts import Text

PROBE = storage.report_key("probe", "deploy-check")
SETTINGS_HINT = (
    "Look at the settings S3_… and at the credentials that boto3 finds: AWS_ACCESS_KEY_ID and its like."
)
FOLDER_HINT = "Look at VAR_DIR: the folder files under it must take new files, with room for the largest."


def storage_takes_files(**options: Any) -> list[checks.CheckMessage]:
    """A small file is written, read and deleted, since a key that may read need not be one that may write."""
    try:
        files = storage.files()
        files.look()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "probe"
            path.write_bytes(b"probe")
            files.put_file(PROBE, path)
        with files.open(PROBE) as file:
            file.read()
        files.delete(PROBE)
        next(files.keys("probe/"), None)
    except (storage.StorageUnavailable, storage.FileMissing) as error:
        hint = SETTINGS_HINT if settings.S3_BUCKET else FOLDER_HINT
        return [checks.Error(f"No file can be kept. {error}", hint=hint, id="work.E001")]
    return []


def _text(detail: Mapping[str, Any]) -> Text:
    reason = storage.REASONS.get(str(detail.get("reason")), "")
    return (
        f"The storage of files did not do what it was asked. {reason}".strip(),
        "It is tried again by itself. If it lasts, an operator must look at the storage.",
    )


FAILURE_TEXTS = {storage.UNAVAILABLE: _text}
