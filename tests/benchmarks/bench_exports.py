"""All files of a publication beside three plain COPYs of the same rows: csv, json rows, and text for xml.

Both write to files; the plain ones are neither hashed, escaped nor put into storage.
"""

import statistics
import tempfile
import time
import uuid
from pathlib import Path

from django.db import connection
from psycopg import sql

from ingestion.models import Dataset, SchemaVersion
from publishing.data_services.local import LocalDataService
from publishing.data_services.protocol import ExportRequest
from publishing.formats import FORMATS
from tests.benchmarks.lines import Line
from tests.benchmarks.many_rows import run as run_sql
from tests.factories import DatasetFactory, UploadFactory

RECORDS = 300_000
ROUNDS = 5
AT_MOST = 2.0
FIELDS = {
    "station_id": "string", "name": "string", "city": "string", "country": "string", "opened": "date",
    "latitude": "number", "longitude": "number", "visits": "integer", "ratio": "number", "active": "boolean",
    "note": "string", "updated": "datetime",
}  # fmt: skip
FILL = """
INSERT INTO ingestion_record (dataset_id, key, digest, version, upload_id, data)
SELECT %(dataset)s, 'K' || lpad(n::text, 7, '0'), '\\x00', 1, %(upload)s, jsonb_build_object(
  'station_id', 'K' || lpad(n::text, 7, '0'), 'name', 'Station number ' || n, 'city', 'City of ' || n %% 500,
  'country', 'SE', 'opened', '2020-01-' || lpad((n %% 28 + 1)::text, 2, '0'),
  'latitude', round((50 + n / 100000.0)::numeric, 5), 'longitude', round((10 + n / 100000.0)::numeric, 5),
  'visits', n, 'ratio', round(n / 7.0, 3), 'active', n %% 2 = 0,
  'note', CASE WHEN n %% 1000 = 0 THEN 'a <b> & c' ELSE 'plain text with åäö ' || n END,
  'updated', '2026-01-01T10:00:00Z')
FROM generate_series(1, %(last)s) n
"""


def run() -> list[Line]:
    dataset = filled(RECORDS)
    rounds = [(plain(dataset), ours(dataset)) for _ in range(ROUNDS)]
    ratio = statistics.median(mine / theirs for theirs, mine in rounds)
    theirs, mine = (statistics.median(times) for times in zip(*rounds, strict=True))
    return [
        Line(
            what="300,000 x 12 records to CSV, JSON, JSON Lines and XML",
            measured=f"ratio {ratio:.2f}, {mine:.1f} s",
            baseline=f"three plain COPYs (csv, json rows, text): {theirs:.1f} s",
            bar=f"at most {AT_MOST:g} x",
            holds=ratio <= AT_MOST,
        )
    ]


def filled(records: int) -> Dataset:
    dataset = DatasetFactory(slug=f"exports-{uuid.uuid4().hex[:8]}")
    upload = UploadFactory(dataset=dataset, organisation=dataset.organisation)
    schema = {"fields": [{"name": name, "type": kind} for name, kind in FIELDS.items()]}
    SchemaVersion.objects.filter(dataset=dataset).update(schema=schema)
    run_sql(FILL, dataset=dataset.pk, upload=upload.pk, last=records)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE ingestion_record")
    return dataset


def plain(dataset: Dataset) -> float:
    names = [sql.SQL("data ->> {}").format(sql.Literal(name)) for name in FIELDS]
    columns = sql.SQL(", ").join(names)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        copy(dataset, columns, " (FORMAT csv, HEADER)", Path(folder) / "plain.csv")
        copy(dataset, sql.SQL("data"), "", Path(folder) / "plain.json")
        copy(dataset, columns, "", Path(folder) / "plain.txt")
    return time.perf_counter() - begun


def copy(dataset: Dataset, columns: sql.Composable, options: str, path: Path) -> None:
    statement = sql.SQL(
        "COPY (SELECT {} FROM ingestion_record WHERE dataset_id = {} AND retired_at IS NULL ORDER BY key)"
        " TO STDOUT" + options
    ).format(columns, sql.Literal(dataset.pk))
    with path.open("wb") as file, connection.cursor() as cursor, cursor.copy(statement) as lines:
        for line in lines:
            file.write(line)


def ours(dataset: Dataset) -> float:
    begun = time.perf_counter()
    key = uuid.uuid4().hex
    made = LocalDataService().start(
        ExportRequest(key, str(dataset.pk), tuple(FORMATS)), lambda done, total, unit: None
    )
    took = time.perf_counter() - begun
    if {file.records for file in made.files} != {RECORDS}:
        raise RuntimeError("not every record was written")
    LocalDataService().delete(key)
    return took
