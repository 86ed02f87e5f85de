import io

import pytest

from work import storage
from work.storage_folder import FolderFiles


class Endless:
    """A stream that would fill the memory of whoever reads it whole."""

    def __init__(self):
        self.largest = 0

    def read(self, size):
        self.largest = max(self.largest, size)
        return b"x" * size


def test_put_reads_block_by_block_and_leaves_no_temporary_file(tmp_path):
    endless = Endless()

    with pytest.raises(storage.FileTooLarge):
        FolderFiles(tmp_path).put(endless, organisation_slug="one", limit=10_000_000)

    assert endless.largest == storage.BLOCK_BYTES
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_files_are_in_the_folder_of_the_settings(settings, tmp_path):
    settings.FILES_DIR = tmp_path
    storage.files.cache_clear()

    stored = storage.files().put(io.BytesIO(b"a"), organisation_slug="one", limit=10)
    storage.files.cache_clear()

    assert (tmp_path / stored.key).read_bytes() == b"a"
