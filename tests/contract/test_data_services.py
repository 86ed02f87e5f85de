"""Every data service keeps one contract: our own, and one over HTTP by the reference service."""

from types import SimpleNamespace

import pytest

from ingestion.models import Record
from publishing.data_services.local import LocalDataService
from publishing.data_services.protocol import (
    ExportFile,
    ExportLost,
    ExportRefused,
    ExportState,
)
from publishing.formats import FORMATS
from tests.factories import DatasetFactory, UploadFactory
from tests.publishing.reference import FOLDER, ROWS, asked, silent
from work import storage

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def kept_files(settings, tmp_path):
    settings.FILES_DIR = tmp_path / "files"
    storage.files.cache_clear()
    yield
    storage.files.cache_clear()


def ours():
    dataset = DatasetFactory(
        organisation__slug="north",
        schema={"fields": [{"name": "id"}, {"name": "name"}], "primaryKey": ["id"]},
    )
    upload = UploadFactory(dataset=dataset, organisation=dataset.organisation)
    Record.objects.bulk_create(
        Record(dataset=dataset, key=row["id"], data=row, digest=b"x", upload=upload) for row in ROWS
    )
    return SimpleNamespace(service=LocalDataService(), source=str(dataset.pk))


@pytest.fixture(params=["local", "http"])
def kept(request):
    """A service that keeps the contract, and a source that it has."""
    if request.param == "local":
        return ours()
    return SimpleNamespace(service=request.getfixturevalue("over_http"), source="peaks")


def test_start_status_fetch_and_delete(kept):
    status = kept.service.start(asked(kept.source), silent)
    assert status.state == ExportState.FINISHED
    assert status.data_version
    assert {file.format for file in status.files} == set(FORMATS)
    assert {file.records for file in status.files} == {2}
    assert kept.service.status("k-1").files == status.files
    assert kept.service.start(asked(kept.source), silent).files == status.files
    for file in status.files:
        fetched = kept.service.fetch("k-1", file, f"{FOLDER}peaks.{file.format}", silent)
        with storage.files().open(fetched.storage_key) as content, storage.temporary_file() as copy:
            sha256, size = storage.copy_hashed(content, copy, limit=1 << 20)
        assert (sha256, size) == (file.sha256, file.size)
    kept.service.delete("k-1")
    kept.service.delete("k-1")
    with pytest.raises(ExportRefused, match="export_deleted"):
        kept.service.start(asked(kept.source), silent)
    with pytest.raises(ExportLost, match="export_unknown"):
        kept.service.status("k-1")
    with pytest.raises(ExportLost, match="export_unknown"):
        kept.service.fetch("k-1", ExportFile("csv", 1, "0" * 64, 1), f"{FOLDER}x.csv", silent)


def test_an_unknown_key_is_lost_and_its_deletion_done(kept):
    with pytest.raises(ExportLost, match="export_unknown"):
        kept.service.status("never")
    kept.service.delete("never")


def test_an_unknown_source_is_refused(kept):
    source = "0190b0a0-0000-7000-8000-000000000000"
    with pytest.raises(ExportRefused):
        kept.service.start(asked(source), silent)
