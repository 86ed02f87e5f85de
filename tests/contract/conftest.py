import pytest

from tests.contract.s3_server import s3_server
from work.storage import FolderFiles


@pytest.fixture(params=["folder", "s3"])
def storage(request, tmp_path, monkeypatch):
    """Each storage in turn: whatever one promises, the other does too."""
    if request.param == "folder":
        yield FolderFiles(tmp_path / "files")
        return
    from work.storage_s3 import S3Files

    for name, value in {
        "ACCESS_KEY_ID": "test",
        "SECRET_ACCESS_KEY": "test",
        "DEFAULT_REGION": "eu-west-1",
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    with s3_server() as address:
        files = S3Files("waybill", endpoint_url=address)
        yield files
        files.client.close()
