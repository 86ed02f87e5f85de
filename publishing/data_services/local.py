"""Our own data service: ingested records, exported by the worker that asks.

An export's files are named by their hash, so that a worker that comes late, with records of another moment,
overwrites nothing; the first to finish has made the export, and the late one takes its own files away.
"""

import tempfile
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from ingestion import exports
from ingestion.models import Dataset
from publishing.data_services.protocol import (
    ExportFile,
    ExportLost,
    ExportRefused,
    ExportRequest,
    ExportState,
    ExportStatus,
    FetchedFile,
    Watch,
)
from publishing.formats import FORMATS
from publishing.kill_points import EXPORT_HALF
from publishing.models import LocalExport
from work import crash
from work.storage import FileMissing, export_folder, files

DELETED = "export_deleted"
NO_DATASET = "export_without_dataset"
UNKNOWN = "export_unknown"
CORRUPT = "export_corrupt"


class LocalDataService:
    """Exports of datasets of ours; `source` is the dataset's id."""

    def start(self, request: ExportRequest, watch: Watch) -> ExportStatus:
        dataset = self._dataset(request)
        export, _ = LocalExport.objects.get_or_create(
            key=request.key, defaults={"organisation_id": dataset.organisation_id, "dataset": dataset}
        )
        if export.deleted_at is not None:
            raise ExportRefused(DELETED, key=request.key)
        if export.finished_at is None:
            export = self._make(export, dataset, watch)
        return _status(export)

    def status(self, key: str) -> ExportStatus:
        export = LocalExport.objects.filter(key=key, deleted_at=None).first()
        if export is None:
            raise ExportLost(UNKNOWN)
        return _status(export)

    def fetch(self, key: str, file: ExportFile, target: str, watch: Watch) -> FetchedFile:
        """The file lies in our storage already: it is only looked at."""
        export = LocalExport.objects.filter(key=key, deleted_at=None).first()
        if export is None:
            raise ExportLost(UNKNOWN)
        storage_key = next(each["storage_key"] for each in export.files if each["format"] == file.format)
        try:
            if files().size(storage_key) != file.size:
                raise ExportLost(CORRUPT, format=file.format)
        except FileMissing as missing:
            raise ExportLost(CORRUPT, format=file.format) from missing
        return FetchedFile(file, storage_key)

    def delete(self, key: str) -> None:
        """The tombstone first: a late start finds it, and a late finish takes away what it brought."""
        with transaction.atomic():
            found = LocalExport.objects.select_for_update().select_related("organisation").filter(key=key)
            export = found.first()
            if export is None:
                return
            LocalExport.objects.filter(key=key).update(deleted_at=Now(), files=[])
        folder = export_folder(export.organisation.slug, key)
        for storage_key in list(files().keys(folder)):
            files().delete(storage_key)

    def _dataset(self, request: ExportRequest) -> Dataset:
        found = Dataset.objects.select_related("organisation").filter(pk=uuid.UUID(request.source)).first()
        if found is None:
            raise ExportRefused(NO_DATASET, source=request.source)
        return found

    def _make(self, export: LocalExport, dataset: Dataset, watch: Watch) -> LocalExport:
        folder = Path(settings.VAR_DIR) / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="export-") as temporary:
            made = exports.export(dataset.pk, folder=Path(temporary), watch=watch)
            kept = []
            for each in made.files:
                kept.append(_keep(export, dataset, each))
                crash.point(EXPORT_HALF)
        return self._finish(export, made.version, kept)

    def _finish(self, export: LocalExport, version: int, kept: list[dict[str, Any]]) -> LocalExport:
        unfinished = LocalExport.objects.filter(key=export.key, finished_at=None, deleted_at=None)
        unfinished.update(finished_at=Now(), dataset_version=version, files=kept)
        now = LocalExport.objects.get(key=export.key)
        named = {each["storage_key"] for each in now.files}
        for each in kept:
            if each["storage_key"] not in named:
                files().delete(each["storage_key"])
        if now.deleted_at is not None:
            raise ExportRefused(DELETED, key=export.key)
        return now


def _keep(export: LocalExport, dataset: Dataset, made: exports.Exported) -> dict[str, Any]:
    folder = export_folder(dataset.organisation.slug, export.key)
    storage_key = f"{folder}{made.sha256}.{FORMATS[made.format].ending}"
    files().put_file(storage_key, made.path)
    return {
        "format": made.format,
        "storage_key": storage_key,
        "size": made.size,
        "sha256": made.sha256,
        "records": made.records,
    }


def _status(export: LocalExport) -> ExportStatus:
    """Unfinished, it is being made by another worker, or was by one that died: whoever starts it makes it."""
    if export.finished_at is None:
        return ExportStatus(ExportState.RUNNING)
    made = tuple(
        ExportFile(each["format"], each["size"], each["sha256"], each["records"]) for each in export.files
    )
    records = made[0].records if made else 0
    return ExportStatus(
        ExportState.FINISHED,
        done=records,
        total=records,
        unit="records",
        files=made,
        data_version=str(export.dataset_version),
    )
