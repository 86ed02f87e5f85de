"""`manage.py check --deploy` of the storage."""

import pytest

from work import storage, storage_checks


@pytest.fixture(autouse=True)
def fresh(settings, tmp_path):
    settings.FILES_DIR = tmp_path / "files"
    storage.files.cache_clear()
    yield
    storage.files.cache_clear()


def test_folder_that_takes_files_is_well_and_left_empty():
    assert storage_checks.storage_takes_files() == []
    assert list(storage.files().keys("")) == []


def test_folder_that_is_a_file_is_said(settings):
    settings.FILES_DIR.write_text("")

    (found,) = storage_checks.storage_takes_files()

    assert (found.id, found.msg) == (
        "work.E001", "No file can be kept. The folder of the storage cannot be used.",
    )  # fmt: skip
    assert "VAR_DIR" in found.hint


def test_bucket_that_is_away_is_said_with_what_to_look_at(settings, monkeypatch):
    settings.S3_BUCKET, settings.S3_ENDPOINT_URL = "waybill", "http://127.0.0.1:9"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "not-to-be-told")

    (found,) = storage_checks.storage_takes_files()

    assert found.msg.startswith("No file can be kept. The storage cannot be reached under its address.")
    assert "S3_" in found.hint
    assert "not-to-be-told" not in str(found)
