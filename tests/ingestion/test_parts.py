"""What ingestion tells the ground: invariants that can be broken, cases, notices, figures, finders."""

import uuid

import pytest
from django.db import connection

from accounts.principals import Principal
from ingestion import attention, figures, finders, invariants, notices, reports, sweeping
from ingestion.models import Report, RowError, Upload
from ingestion.report_pipeline import REPORTS
from ingestion.states import UploadState
from tests.factories import MembershipFactory
from work import leases, runner
from work.models import Event
from work.problems import Problem

pytestmark = pytest.mark.django_db(transaction=True)

FILE = "id,amount\na,1\nb,many\nc,3\n"


def run(statement, *params):
    with connection.cursor() as cursor:
        cursor.execute(statement, params)


def broken(deep=True):
    return {invariant.name for invariant in invariants.EVERY if invariant.check(deep)}


@pytest.fixture
def partial(process):
    return process(FILE)


def test_invariants_hold_after_a_verdict_and_a_report(partial, by):
    reports.request(upload=partial, kind="csv", by=by)
    runner.run(leases.claim_next(REPORTS))

    assert broken() == set()
    assert broken(deep=False) == set()


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        (
            "UPDATE ingestion_upload SET valid = 9, inserted = 9, rows_read = 9, refused = 0",
            "upload_row_report",
        ),
        ("UPDATE ingestion_rowerror SET errors = '[]'", "upload_row_report"),
        ("UPDATE ingestion_upload SET state = 'failed', rows_read = 99", "upload_rows_add_up"),
        ("UPDATE ingestion_upload SET state = 'processed'", "upload_verdict_event"),
        ("DELETE FROM ingestion_uploadkeys", "upload_key_list"),
        ("UPDATE ingestion_dataset SET next_sequence = 1", "dataset_sequence"),
        ("DELETE FROM ingestion_schemaversion", "dataset_schema"),
        ("UPDATE ingestion_record SET version = 3 WHERE key = '[\"a\"]'", "record_versions"),
        ("UPDATE ingestion_upload SET state = 'failed'", "record_upload"),
        ("UPDATE ingestion_upload SET dry_run = true", "record_upload"),
        ("UPDATE ingestion_upload SET dry_run = true", "upload_dry_run"),
        ("UPDATE ingestion_upload SET state = 'failed', failure_code = 'x'", "upload_rows_add_up"),
        ("UPDATE ingestion_record SET retired_at = now()", "record_retired"),
        (
            "UPDATE ingestion_upload SET state = 'needs_answer', question = 'which_sheet', asked_at = now(),"
            " finished_at = NULL",
            "upload_asking",
        ),
    ],
)
def test_broken_row_is_named(partial, statement, name):
    run(statement)

    assert name in broken()


def test_changed_missing_and_stray_files_are_named(partial, accept, kept_files):
    original = kept_files / partial.storage_key
    content = original.read_bytes()

    original.write_bytes(content[::-1])
    assert "original_kept" in broken()
    assert "original_kept" not in broken(deep=False)
    original.write_bytes(content)
    (kept_files / "north").mkdir()
    (kept_files / "north" / "stray").write_bytes(b"x")
    assert broken() == {"files_known"}
    original.unlink()
    assert broken() == {"files_known", "original_kept"}


def test_file_of_an_accept_that_was_refused_is_no_breach(accept):
    accept(FILE, key="once")
    with pytest.raises(Problem, match="came before with other content"):
        accept(FILE * 2, key="once")

    assert "files_known" not in broken()


def test_file_with_refused_rows_asks_its_owners_until_a_newer_one_comes(partial, accept, dataset):
    owner = MembershipFactory(organisation=dataset.organisation).user
    stranger = MembershipFactory().user

    cases = [attention.KINDS[1].case(upload) for upload in attention.to_mend(Principal(owner))]

    assert [case.title for case in cases] == ["stations.csv was stored in part"]
    assert list(attention.to_mend(Principal(stranger))) == []
    assert list(attention.to_mend(None)) == [partial]
    accept("id,amount\nb,2\n")
    assert list(attention.to_mend(None)) == []


def test_file_sent_twice_asks_while_it_waits(partial, accept):
    again = accept(FILE)

    assert list(attention.sent_twice(None)) == [again]
    assert ("The same bytes", "stations.csv") in attention.KINDS[2].case(again).evidence


def test_upload_given_up_by_us_is_an_operators_case(partial):
    Upload.objects.filter(pk=partial.pk).update(
        state=UploadState.FAILED, failure_code="worker_died_repeatedly"
    )

    assert list(attention.given_up(None)) == [partial]
    assert "given up" in attention.KINDS[3].case(partial).title
    assert list(attention.to_mend(None)) == []


def test_verdict_is_told_in_a_sentence_with_its_numbers(partial):
    event = Event.objects.get(type="upload.partial")

    assert notices._text(event) == (
        "2 of 3 rows are valid: 2 new, 0 changed, 0 unchanged. 1 were refused; the page says why, row by row."
    )


def test_notice_of_an_unreadable_file_names_what_stands_in_the_way(process):
    process(b"a," * 20_000 + b"b\n")
    event = Event.objects.get(type="upload.failed")

    assert notices._text(event).startswith(
        "The sheet has a cell at row 1, column 20001, outside the grid of 1,048,576"
    )


def test_verdict_adds_to_the_figures_of_its_day(partial, dataset):
    event = Event.objects.get(type="upload.partial")

    found = {(figure.measure, figure.key): figure.value for figure in figures._of_verdict(event)}

    assert found["verdicts", "partial"] == 1
    assert found["rows", "inserted"] == 2
    assert found["errors", "type_integer"] == 1
    assert any(measure == "seconds_to_verdict" for measure, _ in found)


@pytest.mark.parametrize("text", ["stations.csv", "tation", "id", "sha256", "correlation_id"])
def test_upload_is_found(partial, by, text, settings):
    by.user.is_operator = True
    looked_for = str(getattr(partial, {"id": "pk"}.get(text, text), text))

    settings.ROOT_URLCONF = "tests.ingestion.places"
    hits = list(finders.find_uploads(by, looked_for))

    assert [hit.label for hit in hits] == ["stations.csv"]
    assert hits[0].exact == (text != "tation")


def test_row_errors_of_dead_runs_are_swept(partial):
    dead = RowError.objects.create(upload=partial, run=uuid.uuid4(), sheet="", row=3, faults=[])
    Upload.objects.filter(pk=partial.pk).update(starts=2)

    class Job:
        def progress(self, done, **more):
            pass

    assert sweeping.sweep_dead_runs(Job()) == "1 row errors of dead runs deleted"
    assert not RowError.objects.filter(pk=dead.pk).exists()
    assert RowError.objects.filter(run=partial.run).count() == 1


def test_report_files_are_dropped_and_built_again_on_demand(partial, by, kept_files):
    report = reports.request(upload=partial, kind="csv", by=by)
    runner.run(leases.claim_next(REPORTS))
    report.refresh_from_db()
    kept = kept_files / report.storage_key
    assert kept.exists()

    sweeping.REPORT_FILES.drop(Report.objects.all())

    assert not kept.exists()
    assert reports.request(upload=partial, kind="csv", by=by).pk != report.pk
