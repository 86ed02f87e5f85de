"""A file that is only tried: the whole verdict, and nothing of it is stored. And files that are too bad."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion import sentences
from ingestion.models import Dataset, Record, RecordVersion, RowError, Upload, UploadKeys
from ingestion.states import UploadState
from tests.factories import DatasetFactory
from work import analytics
from work.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

COUNTS = (
    "state", "rows_read", "valid", "refused", "blank", "inserted", "updated", "unchanged", "superseded",
    "retired", "error_count", "failure_code",
)  # fmt: skip
SCHEMA = {
    "fields": [
        {"name": "id"},
        {"name": "amount", "type": "integer", "constraints": {"unique": True}},
        {"name": "near"},
    ],
    "primaryKey": "id",
    "foreignKeys": [{"fields": "near", "reference": {"resource": "", "fields": "id"}}],
}


def verdict(upload):
    return {name: getattr(upload, name) for name in COUNTS}


def stored():
    records = Record.objects.order_by("pk").values_list(
        "pk", "key", "data", "version", "retired_at", "upload"
    )
    return list(records), RecordVersion.objects.count(), UploadKeys.objects.count()


def test_dry_run_says_what_would_be_stored_and_stores_nothing(process, dataset):
    process("id,amount\na,1\nb,2\n")
    before = stored()

    upload = process("id,amount\na,1\nb,20\nc,3\nd,many\n", dry_run=True)

    assert (upload.state, upload.unchanged, upload.updated, upload.inserted) == ("partial", 1, 1, 1)
    assert [row.row for row in RowError.objects.filter(run=upload.run)] == [5]
    assert stored() == before
    assert Dataset.objects.get(pk=dataset.pk).version == 1
    said = sentences.of(upload)
    assert said.title == "Dry run: 3 of 4 rows would be stored"
    assert "Nothing of the file is stored" in said.missing


def test_events_say_that_it_was_a_dry_run_and_no_figure_counts_it(process):
    process("id,amount\na,1\n", dry_run=True)

    event = Event.objects.get(type="upload.processed")
    assert event.payload["dry_run"] is True
    assert list(analytics._figures(event)) == []


def test_newer_dry_run_supersedes_nothing(accept, dataset):
    from tests.ingestion.conftest import work_on

    older, tried = accept("id,amount\na,1\n"), accept("id,amount\na,2\n", dry_run=True)
    Upload.objects.filter(pk=older.pk).update(due_at="2100-01-01T00:00Z")
    work_on(tried)
    Upload.objects.filter(pk=older.pk).update(due_at="2020-01-01T00:00Z")

    assert work_on(older).inserted == 1


def test_dry_run_of_a_snapshot_says_that_a_person_would_be_asked(process):
    whole = DatasetFactory(mode="snapshot")
    process("id,amount\na,1\nb,2\n", into=whole)

    upload = process("id,amount\na,1\n", into=whole, dry_run=True)

    assert (upload.state, upload.retired) == ("processed", 1)
    assert {each["code"]: each["detail"] for each in upload.assumptions}["retirement_asks"] == {
        "retire": 1, "records": 2, "limit": 20,
    }  # fmt: skip
    assert Record.objects.filter(retired_at=None).count() == 2


IDS = st.sampled_from(["a", "b", "c", "d", ""])
ROWS = st.lists(st.tuples(IDS, st.sampled_from(["1", "2", "3", "4", "x", ""]), IDS), min_size=0, max_size=6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=ROWS, then=ROWS, mode=st.sampled_from(["upsert", "snapshot"]))
def test_dry_run_counts_what_the_file_then_stores(process, first, then, mode):
    dataset = DatasetFactory(schema=SCHEMA, mode=mode, retire_limit=100)
    before, after = (
        "id,amount,near\n" + "".join(f"{','.join(row)}\n" for row in rows) for rows in (first, then)
    )
    process(before, into=dataset)

    tried = process(after, into=dataset, dry_run=True)
    real = process(after, into=dataset)

    assert verdict(tried) == verdict(real)
    current = Record.objects.filter(dataset=dataset, retired_at=None).count()
    if mode == "snapshot" and real.retired:
        keys = {row[0] for row in then}
        assert current <= len(keys)


@pytest.mark.parametrize(
    ("limit", "state"), [(None, "partial"), (50, "partial"), (49, "failed"), (0, "failed")]
)
def test_file_with_too_many_refused_rows_is_refused_whole(process, dataset, limit, state):
    Dataset.objects.update(refuse_limit=limit)

    upload = process("id,amount\na,1\nb,many\n\n")

    assert upload.state == state
    assert RowError.objects.filter(run=upload.run).count() == upload.refused == 1
    if state == UploadState.FAILED:
        assert (upload.failure_code, upload.valid, upload.inserted) == ("too_many_refused", 1, 0)
        assert sentences.of(upload).missing == (
            f"1 of 2 rows were refused. Above {limit} % nothing of a file is stored."
        )
        assert stored() == ([], 0, 0)
        assert Dataset.objects.get(pk=dataset.pk).version == 0


def test_clean_file_passes_a_threshold_of_nothing(process):
    Dataset.objects.update(refuse_limit=0)

    assert process("id,amount\na,1\n").state == UploadState.PROCESSED
