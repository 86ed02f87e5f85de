"""Fills datasets with records of every kind, as years of uploads would, and has them indexed."""

from ingestion.models import Dataset, IndexChange, SchemaVersion, Upload
from ingestion.search import pipelines, reindexes
from tests.benchmarks.many_rows import run
from work import leases, runner

SCHEMA = {
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "town", "type": "string", "sortable": True},
        {"name": "amount", "type": "number", "sortable": True},
        {"name": "opened", "type": "date", "sortable": True},
        {"name": "measured", "type": "datetime", "sortable": True},
        {"name": "open", "type": "boolean", "sortable": True},
        {"name": "street", "type": "string"},
        {"name": "note", "type": "string"},
    ],
    "primaryKey": ["id"],
}
# “zirconium” is in one record of a hundred thousand, “lately” in the last fiftieth, “district” in all. One
# record in seventeen has no amount; one town has half of the records, and one has a single one in 100,000.
RECORDS = """
INSERT INTO ingestion_record (dataset_id, key, digest, version, upload_id, data)
SELECT %(dataset)s, '["K' || lpad(n::text, 9, '0') || '"]', '\\x00', 1, %(upload)s, jsonb_build_object(
  'id', 'K' || lpad(n::text, 9, '0'),
  'town', CASE WHEN n %% 100000 = 11 THEN 'Zalesie' WHEN n %% 2 = 0 THEN 'Warszawa'
    ELSE 'Town ' || n * 7919 %% 997 END,
  'amount', CASE WHEN n %% 17 <> 0 THEN (n * 7919 %% 1000003) / 100.0 END,
  'opened', to_char(date '1990-01-01' + (n * 31 %% 12000)::int, 'YYYY-MM-DD'),
  'measured', to_char(timestamp '2020-01-01' + make_interval(secs => n * 104729 %% 150000000),
    'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  'open', n %% 3 = 0,
  'street', 'ul. ' || md5((n %% 5000)::text) || ' ' || n %% 180,
  'note', 'Sampled in the ' || (ARRAY['northern', 'southern', 'eastern', 'western'])[1 + n %% 4]
    || ' district ' || md5(n::text) || CASE WHEN n %% 100000 = 7 THEN ' zirconium' ELSE '' END
    || CASE WHEN n > %(last)s - greatest(%(last)s * 0.02, 60) THEN ' lately' ELSE '' END)
FROM generate_series(%(first)s::bigint, %(last)s::bigint) n
"""


def make_dataset(upload: Upload, slug: str) -> Dataset:
    dataset = Dataset.objects.create(organisation=upload.organisation, slug=slug, title=slug.title())
    SchemaVersion.objects.create(dataset=dataset, number=1, schema=SCHEMA)
    return dataset


def add_records(dataset: Dataset, upload: Upload, *, first: int, last: int) -> None:
    run(RECORDS, dataset=dataset.pk, upload=upload.pk, first=first, last=last)


def rebuild(dataset: Dataset) -> None:
    """By its own rebuild; what the triggers noted meanwhile is in it."""
    reindexes.request(organisation=dataset.organisation, dataset=dataset)
    lease = leases.claim_next(pipelines.REINDEXES)
    assert lease is not None
    runner.run(lease)
    lease.row.refresh_from_db()
    if lease.row.state != "rebuilt":
        raise RuntimeError(f"the rebuild ended {lease.row.state}")
    IndexChange.objects.filter(dataset=dataset).delete()
