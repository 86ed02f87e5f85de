import pytest

from tests.contract.s3_server import BUCKET, emptied, moto, way_to
from tests.publishing.reference import over_http, reference  # noqa: F401 (fixtures)
from tests.publishing.triple_store import oxigraph, running_oxigraph  # noqa: F401 (fixtures)
from work.storage_folder import FolderFiles

CREDENTIALS = {
    "ACCESS_KEY_ID": "AKIATEST",
    "SECRET_ACCESS_KEY": "not-to-be-told",
    "DEFAULT_REGION": "us-east-1",
}
# Enough to go in several parts without tests that carry tens of megabytes: S3 takes no smaller ones.
SMALL_PARTS = {"one_request_bytes": 5 << 20, "part_bytes": 5 << 20}


@pytest.fixture(scope="session")
def moto_server():
    with moto() as address:
        yield address


@pytest.fixture
def credentials(monkeypatch):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.fixture
def s3(credentials, moto_server, settings, tmp_path):
    """Makes S3Files over an empty bucket."""
    from work.storage_s3 import Options, S3Files

    settings.VAR_DIR = tmp_path / "var"
    emptied(moto_server)
    made = []

    def make(bucket=BUCKET, **options):
        given = {"endpoint_url": moto_server, "region": "us-east-1", **SMALL_PARTS, **options}
        made.append(S3Files(bucket, Options(**given)))
        return made[-1]

    yield make
    for files in made:
        files.client.close()


@pytest.fixture
def way(s3, moto_server):
    with way_to(moto_server) as server:
        yield server


@pytest.fixture(params=["folder", "s3", "s3 without checksums"])
def storage(request, tmp_path, settings):
    """Each storage in turn: whatever one promises, the others do too."""
    settings.VAR_DIR = tmp_path / "var"
    if request.param == "folder":
        return FolderFiles(tmp_path / "files")
    return request.getfixturevalue("s3")(checksums=request.param == "s3")
