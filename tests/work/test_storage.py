import io
import urllib.request

import pytest

from tests.contract.s3_server import s3_server
from work import storage
from work.storage import FolderFiles


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


def test_presigned_address_serves_the_file_under_its_name(monkeypatch):
    from work.storage_s3 import S3Files

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    with s3_server() as address:
        files = S3Files("waybill", endpoint_url=address)
        key = files.put(io.BytesIO(b"a,b"), organisation_slug="one", limit=10).key

        url = files.presigned(key, filename="März.csv", content_type="text/csv")
        with urllib.request.urlopen(url) as answer:  # noqa: S310 (an address of our own server)
            assert answer.read() == b"a,b"
            assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''M%C3%A4rz.csv"
        files.client.close()
    assert "X-Amz-Algorithm=AWS4-HMAC-SHA256" in url
