import pytest

from ingestion.models import IndexUpdate, Record, Reindex
from ingestion.search import pipelines, updating
from ingestion.search.index import index
from tests.factories import DatasetFactory, UploadFactory
from work import leases, runner

SCHEMA = {
    "fields": [
        {"name": "id", "type": "string", "constraints": {"required": True}},
        {"name": "name", "type": "string", "title": "Name", "sortable": True},
        {"name": "amount", "type": "integer", "sortable": True},
        {"name": "opened", "type": "date", "sortable": True},
        {"name": "open", "type": "boolean", "sortable": True},
        {"name": "note", "type": "string"},
    ],
    "primaryKey": ["id"],
}


@pytest.fixture
def dataset(db, stations):
    version = stations.schema_versions.get()
    type(version).objects.filter(pk=version.pk).update(schema=SCHEMA)
    return stations


@pytest.fixture
def other(db):
    return DatasetFactory(schema=SCHEMA)


@pytest.fixture
def store():
    """Records as a merge leaves them: `store(dataset, {"a": {...}})`."""

    def store(dataset, rows, **columns):
        upload = UploadFactory(dataset=dataset)
        made = [
            Record(
                dataset=dataset,
                key=f'["{key}"]',
                data={"id": key, **data},
                digest=b"x",
                upload=upload,
                **columns,
            )
            for key, data in rows.items()
        ]
        return Record.objects.bulk_create(made)

    return store


def settle(dataset):
    """Let workers bring into the index what waits."""
    updating.want_all()
    while run_one(pipelines.UPDATES):
        pass
    assert not IndexUpdate.objects.filter(dataset=dataset).unfinished().exists()


def rebuild(reindex):
    assert run_one(pipelines.REINDEXES)
    return Reindex.objects.get(pk=reindex.pk)


def run_one(pipeline):
    lease = leases.claim_next(pipeline)
    if lease is not None:
        runner.run(lease)
    return lease


def indexed(dataset):
    return dict(index().versions(dataset.pk, after=0, limit=100_000))


def expected(dataset):
    live = Record.objects.filter(dataset=dataset, retired_at=None)
    return {id: version * 2 for id, version in live.values_list("pk", "version")}
