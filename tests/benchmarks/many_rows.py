"""Fills the tables with uploads, refused rows, attempts and events, as years of use would."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.models import Model

from accounts.models import Organisation
from ingestion.models import Dataset, RowError, SchemaVersion, Upload
from work import health
from work.models import Attempt, Event

ORGANISATIONS = 20
DATASETS = 5  # of each organisation
# One in so many uploads has refused rows; the first of those has as many as all others together.
PARTIAL_OF = 10
ERRORS_A_ROW = 2
SCHEMA = {
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "amount", "type": "number"},
        {"name": "town", "type": "string"},
    ],
    "primaryKey": ["id"],
}
# Six in ten belong to the first organisation; every other one of “sender 125” there waits. Ids follow the
# moment of acceptance, as UUIDv7 does.
UPLOADS = """
INSERT INTO ingestion_upload (
  id, organisation_id, dataset_id, sequence, precedence, state, filename, storage_key, sha256, size, kind,
  uploaded_by_label, run, schema_version, parser_version, assumptions, headers, timings, rows_read, valid,
  refused, blank, inserted, updated, unchanged, superseded, error_count, cancelled_by_label, cancel_reason,
  starts, accepted_at, started_at, finished_at, due_at, failure_code)
SELECT (lpad(to_hex((extract(epoch FROM t.at) * 1000)::bigint), 12, '0') || '7'
    || lpad(to_hex(n %% 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
  d.organisation_id, d.id, n, n, s.state, 'returns ' || n || ' of ' || d.slug || '.xlsx', 'none', md5(n::text)
    || md5((n + 1)::text), 1000 + n, 'xlsx', 'sender ' || n %% 200, gen_random_uuid(), 1, '1', '[]',
  '["id", "amount", "town"]', '{"read_rows": 1.5, "store_records": 0.5}', 100, 100 - s.refused, s.refused, 0,
  100 - s.refused, 0, 0, 0, s.refused * %(errors)s, '', '', 1, t.at, t.at,
  CASE WHEN s.state <> 'accepted' THEN t.at END, CASE WHEN s.state = 'accepted' THEN t.at END,
  CASE WHEN s.state = 'failed' THEN 'no_data_rows' ELSE '' END
FROM generate_series(%(first)s::bigint, %(last)s::bigint) n
CROSS JOIN LATERAL (SELECT now() - make_interval(secs => (%(last)s - n) * 30) AS at) t
CROSS JOIN LATERAL (
  SELECT CASE WHEN n %% %(partial)s = 0 THEN 'partial' WHEN n %% 33 = 0 THEN 'failed'
    WHEN n %% 97 = 0 THEN 'cancelled' WHEN n %% 400 = 325 THEN 'accepted' ELSE 'processed' END AS state,
    CASE WHEN n %% %(partial)s = 0 THEN 20 ELSE 0 END AS refused) s
JOIN (SELECT id, slug, organisation_id, row_number() OVER (ORDER BY organisation_id, id) - 1 AS place
      FROM ingestion_dataset) d
  ON d.place = CASE WHEN n %% 10 < 6 THEN n %% %(datasets)s ELSE n %% (%(datasets)s * %(organisations)s) END
"""
ERRORS = """
INSERT INTO ingestion_rowerror (upload_id, run, sheet, row, errors, cells)
SELECT u.id, u.run, 'Data', r,
  CASE WHEN r %% 50000 = 7 THEN {rare} ELSE {common} END,
  jsonb_build_array('K' || r, 'many', 'Town ' || r %% 1000)
FROM ingestion_upload u CROSS JOIN LATERAL generate_series(2, %(rows)s + 1) r
WHERE u.state = 'partial' AND {which}
"""
ERROR = """jsonb_build_object('column', '{column}', 'header', '{header}', 'cell', '{column}' || r,
  'value', 'many', 'code', '{code}', 'message', '“many” is not a number.', 'remedy', 'Type digits only.')"""
COMMON = "jsonb_build_array(" + ", ".join([
    ERROR.format(column="B", header="amount", code="type_number"),
    ERROR.format(column="C", header="town", code="enum"),
]) + ")"  # fmt: skip
RARE = "jsonb_build_array(" + ", ".join([
    ERROR.format(column="A", header="id", code="pattern"),
    ERROR.format(column="C", header="town", code="enum"),
]) + ")"  # fmt: skip
ATTEMPTS = """
INSERT INTO work_attempt (pipeline, subject, number, token, worker, worker_label, organisation_id, started_at,
  ended_at, outcome, code)
SELECT 'upload', id, 1, gen_random_uuid(), gen_random_uuid(), 'host:1', organisation_id, accepted_at,
  accepted_at, CASE state WHEN 'failed' THEN 'failed' ELSE 'finished' END, failure_code
FROM ingestion_upload u WHERE state <> 'accepted'
  AND NOT EXISTS (SELECT 1 FROM work_attempt a WHERE a.subject = u.id AND a.pipeline = 'upload')
"""
EVENTS = """
INSERT INTO work_event (id, type, schema_version, organisation_id, subject_kind, subject_id, subject_label,
  actor, correlation_id, occurred_at, payload)
SELECT u.id, 'upload.' || state, 1, organisation_id, 'upload', u.id::text, filename, '', '', accepted_at, '{}'
FROM ingestion_upload u WHERE NOT EXISTS (SELECT 1 FROM work_event e WHERE e.id = u.id)
"""


# One that lives all through the run, as in an installation that works.
WORKER = """
INSERT INTO work_worker (id, cluster, label, seen_at, took_at)
VALUES (gen_random_uuid(), %(cluster)s, 'host:1', now() + interval '1 day', now())
"""
INDEXES = """
SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = ANY(%(tables)s::regclass[]) AND NOT i.indisunique
"""


def make_organisations() -> list[Organisation]:
    """Twenty organisations with five datasets each; the first is the big one."""
    made = []
    for number in range(ORGANISATIONS):
        owner = Organisation.objects.create(slug=f"tenant-{number:02}", title=f"Tenant {number:02}")
        for place in range(DATASETS):
            dataset = Dataset.objects.create(
                organisation=owner, slug=f"returns-{number}-{place}", title=f"Returns {place}"
            )
            SchemaVersion.objects.create(dataset=dataset, number=1, schema=SCHEMA)
        made.append(owner)
    return made


def let_workers_live() -> None:
    for cluster in health.CLUSTERS:
        run(WORKER, cluster=cluster)


def fill(*, uploads: int, errors: int) -> Upload:
    """Bring the tables up to so many uploads and errors; the upload with the most refused rows."""
    there = Upload.objects.count()
    with quickly(Upload):
        run(
            UPLOADS, first=there + 1, last=uploads, partial=PARTIAL_OF, errors=ERRORS_A_ROW,
            datasets=DATASETS, organisations=ORGANISATIONS,
        )  # fmt: skip
    with quickly(RowError, Attempt, Event):
        largest = add_rows_of(errors)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return Upload.objects.get(pk=largest.pk)


def add_rows_of(errors: int) -> Upload:
    """The refused rows, attempts and events of the uploads that are there."""
    run("TRUNCATE ingestion_rowerror, ingestion_errorcount")
    partial = Upload.objects.filter(state="partial")
    largest = partial.order_by("id").filter(organisation__slug="tenant-00").first()
    assert largest is not None
    rows = errors // ERRORS_A_ROW // 2
    add_errors("u.id = %(largest)s", rows=rows, largest=largest.pk)
    add_errors("u.id <> %(largest)s", rows=max(1, rows // max(1, partial.count() - 1)), largest=largest.pk)
    Upload.objects.filter(pk=largest.pk).update(
        rows_read=rows + 100, valid=100, refused=rows, inserted=100, error_count=rows * ERRORS_A_ROW
    )
    run(ATTEMPTS)
    run(EVENTS)
    return largest


@contextmanager
def quickly(*models: type[Model]) -> Iterator[None]:
    """Indexes that keep nothing unique are made anew after the tables were filled, and no trigger runs: what
    is filled here refers to rows that are there."""
    tables = [model._meta.db_table for model in models]
    with connection.cursor() as cursor:
        cursor.execute(INDEXES, {"tables": tables})
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        cursor.execute("SET session_replication_role = replica")
        yield
        cursor.execute("RESET session_replication_role")
        cursor.execute("SET maintenance_work_mem = '512MB'")
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute("RESET maintenance_work_mem")
        cursor.execute(f"ANALYZE {', '.join(tables)}")


def add_errors(which: str, **params: Any) -> None:
    run(ERRORS.format(rare=RARE, common=COMMON, which=which), **params)


def run(statement: str, **params: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params or None)
