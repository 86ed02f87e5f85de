"""Datasets with records, files of their own, and the steps of publishing run in this process."""

import json

import pytest
from django.utils import timezone

from ingestion.models import Record, SchemaVersion
from tests.factories import DatasetFactory, UploadFactory
from tests.publishing.reference import over_http, reference  # noqa: F401 (fixtures)
from tests.publishing.triple_store import (  # noqa: F401 (fixtures)
    own_oxigraph,
    oxigraph,
    running_oxigraph,
)
from work import storage

FIELDS = [
    {"name": "id", "type": "string", "constraints": {"required": True}},
    {"name": "name", "type": "string"},
    {"name": "height (m)", "type": "number"},
    {"name": "open", "type": "boolean"},
    {"name": "2020", "type": "integer"},
]
SCHEMA = {"fields": FIELDS, "primaryKey": ["id"]}


@pytest.fixture(autouse=True)
def kept_files(settings, tmp_path):
    settings.FILES_DIR = tmp_path / "files"
    storage.files.cache_clear()
    yield settings.FILES_DIR
    storage.files.cache_clear()


@pytest.fixture
def peaks(db):
    """A dataset whose fields have names and values that formats trip over."""
    return DatasetFactory(slug="peaks", schema=SCHEMA, version=7)


@pytest.fixture
def store(peaks):
    """Store records in a dataset, as a merge would; values in the order of its fields, by name."""

    def store(*rows, into=peaks, retired=False):
        upload = UploadFactory(dataset=into, organisation=into.organisation)
        Record.objects.bulk_create(
            Record(
                dataset=into,
                key=row["id"],
                data=row,
                digest=json.dumps(row).encode()[:16],
                upload=upload,
                retired_at=timezone.now() if retired else None,
            )
            for row in rows
        )

    return store


@pytest.fixture
def change_schema():
    def change_schema(dataset, fields):
        number = dataset.schema_versions.latest("number").number + 1
        SchemaVersion.objects.create(
            dataset=dataset, number=number, schema={"fields": fields, "primaryKey": ["id"]}
        )

    return change_schema
