"""An upload from its bytes to its verdict, in this process and on real PostgreSQL."""

import io

import pytest

from accounts.principals import Principal
from ingestion import uploads
from ingestion.models import Upload
from ingestion.pipeline import PIPELINE
from tests.factories import DatasetFactory, UserFactory
from work import leases, runner, storage


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
    def accept(content, *, filename="stations.csv", into=dataset, key=""):
        stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
        accepted = uploads.accept(dataset=into, stream=stream, filename=filename, by=by, idempotency_key=key)
        return accepted.upload

    return accept


@pytest.fixture
def process(accept):
    """Accept, let a worker run once, and give the upload with its verdict."""

    def process(content, **how):
        return work_on(accept(content, **how))

    return process


def work_on(upload):
    """Run the oldest due upload, which is this one when nothing else waits."""
    lease = leases.claim_next(PIPELINE)
    assert lease is not None
    runner.run(lease)
    return Upload.objects.get(pk=upload.pk)
