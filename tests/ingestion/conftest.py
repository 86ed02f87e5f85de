"""An upload from its bytes to its verdict, in this process and on real PostgreSQL."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from accounts import tokens
from accounts.principals import Principal
from ingestion import uploads
from ingestion.models import Upload
from ingestion.pipeline import PIPELINE
from ingestion.upload_options import UploadOptions
from tests.factories import DatasetFactory, MembershipFactory, UserFactory
from work import leases, runner, storage

FILE = b"id,amount\na,1\nb,many\nc,=1+1\n"


@pytest.fixture(autouse=True)
def kept_files(settings, tmp_path):
    settings.FILES_DIR = tmp_path / "files"
    storage.files.cache_clear()
    yield settings.FILES_DIR
    storage.files.cache_clear()


@pytest.fixture
def by(db):
    return Principal(UserFactory(first_name="Ada", last_name="Byron"))


@pytest.fixture
def dataset(db):
    return DatasetFactory()


@pytest.fixture
def accept(by, dataset):
    def accept(content, *, filename="stations.csv", into=dataset, key="", **options):
        stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
        accepted = uploads.accept(
            dataset=into, stream=stream, filename=filename, by=by, idempotency_key=key,
            options=UploadOptions(**options),
        )  # fmt: skip
        return accepted.upload

    return accept


@pytest.fixture
def process(accept):
    """Accept, let a worker run once, and give the upload with its verdict."""

    def process(content, **how):
        return work_on(accept(content, **how))

    return process


def work_on(upload):
    """Run the oldest due upload, which is this one when nothing else waits.

    In tests with `transaction=True` only: after a second of work the heart writes the progress on its own
    connection, which sees nothing that is not committed, and takes the lease for lost.
    """
    assert not connection.in_atomic_block
    lease = leases.claim_next(PIPELINE)
    assert lease is not None
    runner.run(lease)
    return Upload.objects.get(pk=upload.pk)


@pytest.fixture
def manager(db):
    return MembershipFactory(organisation__slug="north", role="manager").user


@pytest.fixture
def north(manager):
    return manager.organisations.get()


@pytest.fixture
def stations(north):
    return DatasetFactory(organisation=north, slug="stations")


@pytest.fixture
def api(client, manager, north):
    """Calls by a manager's token: `api("get", "/uploads")`."""
    secret = tokens.make(user=manager, organisation=north, role="manager", title="t", by=manager)[1]

    def call(method, path, *, headers=None, **how):
        address = path if path.startswith("/api/") else f"/api/v1{path}"
        return getattr(client, method)(
            address, headers={"Authorization": f"Bearer {secret}"} | (headers or {}), **how
        )

    return call


@pytest.fixture
def send(api, stations):
    def send(content=FILE, *, name="stations.csv", key=None, **more):
        data = {"dataset": "stations", "file": SimpleUploadedFile(name, content), **more}
        return api("post", "/uploads", data=data, headers={"Idempotency-Key": key} if key else {})

    return send
