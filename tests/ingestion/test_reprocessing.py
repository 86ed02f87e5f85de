"""Reading a kept file again: a new upload in the place of the first, whose values it may replace, and which
it leaves as it is."""

import threading

import pytest
from django.db import connection
from django.db.models.functions import Now

from accounts.principals import Principal
from ingestion import attention, bulk_reprocess, reprocessing
from ingestion.kill_points import REPROCESS_MADE
from ingestion.models import HeaderAlias, Record, SchemaVersion, Upload
from ingestion.states import UploadState
from tests.factories import DatasetFactory, UploadFactory, UserFactory
from tests.ingestion.conftest import work_on
from work import bulk, bulk_pipeline, crash, invariants, leases, runner
from work.models import BulkAction, BulkOutcome, Decision, Event
from work.problems import Problem

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = "id,amount\na,1\nb,many\n"
TEXTS = {
    "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "string"}],
    "primaryKey": ["id"],
}


def again(upload, by, **how):
    return work_on(reprocessing.reprocess(upload=upload, by=by, **how).upload)


def new_schema(dataset, schema=TEXTS):
    number = dataset.schema_versions.latest("number").number + 1
    return SchemaVersion.objects.create(dataset=dataset, number=number, schema=schema)


def values(dataset):
    return {record.data["id"]: record.data["amount"] for record in Record.objects.filter(dataset=dataset)}


def test_file_is_read_by_the_schema_of_today_and_both_verdicts_stay(process, dataset, by):
    first = process(FIRST)
    new_schema(dataset)

    second = again(first, by, why="amounts are texts")

    assert (second.reprocesses, second.sequence, second.precedence) == (first, 2, 1)
    assert (second.storage_key, second.sha256, second.size, second.kind) == (
        first.storage_key, first.sha256, first.size, first.kind,
    )  # fmt: skip
    assert (second.state, second.schema_version, second.valid, second.refused) == ("processed", 2, 2, 0)
    first.refresh_from_db()
    assert (first.state, first.schema_version, first.valid, first.refused) == ("partial", 1, 1, 1)
    assert values(dataset) == {"a": "1", "b": "many"}
    assert invariants.run(deep=True).broken == []


def test_nothing_that_a_newer_upload_wrote_is_overwritten(process, dataset, by):
    first = process("id,amount\na,1\nb,2\n")
    process("id,amount\na,10\n")

    second = again(first, by)

    assert (second.superseded, second.unchanged, second.updated) == (1, 1, 0)
    assert values(dataset) == {"a": 10, "b": 2}


def test_what_the_original_stored_is_replaced(process, dataset, by):
    first = process("id,amount\na,1\n")
    new_schema(dataset)

    second = again(first, by)

    assert (second.updated, values(dataset)) == (1, {"a": "1"})


def test_file_sent_between_is_still_newer_than_a_second_reading(process, dataset, by):
    first = process("id,amount\na,1\n")
    again(first, by)
    process("id,amount\na,3\n")

    third = again(first, by)

    assert (third.superseded, values(dataset)) == (1, {"a": 3})


def test_dataset_without_a_key_holds_each_row_once(process, by):
    dataset = DatasetFactory(
        schema={"fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "integer"}]}
    )
    first = process("id,amount\na,1\na,x\n", into=dataset)
    new_schema(dataset, {"fields": TEXTS["fields"]})

    second = again(first, by)

    assert (second.inserted, second.updated) == (1, 1)
    assert sorted(record.data["amount"] for record in Record.objects.filter(dataset=dataset)) == ["1", "x"]


def test_reading_of_a_reading_is_linked_to_the_first(process, by):
    first = process(FIRST)
    second = again(first, by)

    third = again(second, by)

    assert third.reprocesses == first
    assert [each.pk for each in reprocessing.readings_of(first)] == [third.pk, second.pk]
    assert [each.pk for each in reprocessing.readings_of(second)] == [third.pk, first.pk]
    assert reprocessing.latest_of([first.pk]) == {first.pk: third}


def test_everything_that_says_how_the_file_is_read_comes_along(process, by):
    first = process(FIRST)
    mended, told = process("id,amount\nb,2\n"), {"sheet": "Data", "mapping": {"amount": "B"}}
    Upload.objects.filter(pk=mended.pk).update(
        mends=first, story=first, reading=told, on_doubt="fail", uploaded_by=None, uploaded_by_label="Ulla"
    )
    mended.refresh_from_db()

    made = reprocessing.reprocess(upload=mended, by=by).upload

    assert (made.mends_id, made.story_id, made.reading, made.on_doubt) == (first.pk, first.pk, told, "fail")
    assert (made.uploaded_by, made.uploaded_by_label) == (None, "Ulla")


@pytest.mark.parametrize("state", [UploadState.ACCEPTED, UploadState.PROCESSING, UploadState.NEEDS_ANSWER])
def test_upload_without_a_verdict_is_not_read_again(dataset, by, state):
    columns = {
        UploadState.ACCEPTED: {},
        UploadState.PROCESSING: {"running": True},
        UploadState.NEEDS_ANSWER: {
            "state": state,
            "due_at": None,
            "asked_at": Now(),
            "question": "which_sheet",
        },
    }[state]
    upload = UploadFactory(dataset=dataset, **columns)

    with pytest.raises(Problem) as refused:
        reprocessing.reprocess(upload=upload, by=by)

    assert (refused.value.status, refused.value.code) == (409, "not_reprocessable")
    assert refused.value.extra == {"state": state}
    assert Upload.objects.count() == 1


def test_withdrawn_upload_is_not_read_again(dataset, by):
    upload = UploadFactory(dataset=dataset, state="cancelled", due_at=None, finished_at=Now())

    with pytest.raises(Problem, match="withdrawn"):
        reprocessing.reprocess(upload=upload, by=by)


def test_who_comes_second_is_given_the_first(process, by):
    first = process(FIRST)

    one = reprocessing.reprocess(upload=first, by=by)
    two = reprocessing.reprocess(upload=first, by=UserFactory())

    assert (two.upload, one.already, two.already) == (one.upload, False, True)
    assert Decision.objects.filter(what="upload.reprocess_asked").count() == 1


def test_of_many_at_once_one_is_made(process, by):
    first, barrier, made = process(FIRST), threading.Barrier(4), []

    def ask():
        try:
            barrier.wait()
            made.append(reprocessing.reprocess(upload=first, by=by).upload.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(made), len(set(made))) == (4, 1)
    assert Upload.objects.filter(reprocesses=first).count() == 1
    assert Event.objects.filter(type="upload.accepted").count() == 2


def test_key_makes_a_repeated_request_harmless_also_after_the_verdict(process, by):
    first = process(FIRST)
    one = again(first, by, idempotency_key="k")

    two = reprocessing.reprocess(upload=first, by=by, idempotency_key="k")

    assert (two.upload, two.already) == (one, True)
    with pytest.raises(Problem) as refused:
        reprocessing.reprocess(upload=first, by=by, dry_run=True, idempotency_key="k")
    assert refused.value.code == "idempotency_key_reused"


def test_trial_runs_beside_a_real_reading(process, by):
    first = process(FIRST)

    trial = reprocessing.reprocess(upload=first, by=by, dry_run=True)
    real = reprocessing.reprocess(upload=first, by=by)

    assert (trial.upload.dry_run, real.upload.dry_run, real.already) == (True, False, False)


def test_file_that_was_only_tried_is_stored_as_one_sent_now(process, by, dataset):
    tried = process(FIRST)
    Upload.objects.filter(pk=tried.pk).update(dry_run=True)
    tried.refresh_from_db()

    made = reprocessing.reprocess(upload=tried, by=by).upload

    assert (made.dry_run, made.reprocesses, made.precedence) == (False, None, 2)


def test_reprocess_is_a_decision_with_what_was_seen(process, by):
    first = process(FIRST)

    made = reprocessing.reprocess(upload=first, by=by, why="a new schema").upload

    asked = reprocessing.asked_by(made)
    assert (asked.by_label, asked.why) == ("Ada Byron", "a new schema")
    assert asked.shown == {
        "upload": str(first.pk),
        "state": "partial",
        "schema": 1,
        "parser": first.parser_version,
        "refused": 1,
    }
    accepted = Event.objects.get(type="upload.accepted", subject_id=str(made.pk))
    assert accepted.payload["reprocesses"] == str(first.pk)
    assert reprocessing.asked_by(first) is None


def test_killed_before_its_commit_nothing_is_left_and_it_can_be_asked_again(process, by, monkeypatch):
    first = process(FIRST)

    class Killed(BaseException):
        pass

    def die(name):
        if name == REPROCESS_MADE:
            raise Killed

    monkeypatch.setattr(crash, "point", die)
    with pytest.raises(Killed):
        reprocessing.reprocess(upload=first, by=by, idempotency_key="k")
    monkeypatch.undo()

    assert Upload.objects.count() == 1
    assert not Decision.objects.exists()
    assert again(first, by, idempotency_key="k").state == "partial"


def test_since_its_verdict(process, dataset):
    first = process(FIRST)
    assert not reprocessing.since_verdict(first).has_changed
    assert "would give the same verdict" in reprocessing.since_verdict(first).sentence

    new_schema(dataset)
    HeaderAlias.objects.create(dataset=dataset, header="menge", field="amount")
    Upload.objects.filter(pk=first.pk).update(parser_version="0")
    first.refresh_from_db()

    since = reprocessing.since_verdict(first)
    assert since.has_changed
    assert since.sentence == (
        "Since its verdict the schema went from version 1 to 2, the reader of files went from version 0 to "
        f"{since.parser_now}, 1 heading was learnt."
    )


def test_file_that_was_never_read_to_its_end(process):
    broken = process('id,amount\n"a,1\n')

    assert (broken.state, broken.schema_version) == ("failed", None)
    assert reprocessing.since_verdict(broken).sentence.startswith("It was never read to its end.")


def test_original_is_no_case_any_more_once_it_was_read_again_well(process, dataset, by):
    first = process(FIRST)
    assert list(attention.to_mend(None)) == [first]
    new_schema(dataset)

    again(first, by)

    assert list(attention.to_mend(None)) == []


def test_reading_an_old_file_again_answers_no_newer_case(process, by):
    first = process("id,amount\na,1\n")
    newer = process(FIRST)

    again(first, by)

    assert list(attention.to_mend(None)) == [newer]


@pytest.fixture
def several(process, dataset, by):
    """Of each kind one: processed, withdrawn, waiting, a trial, being read again, and that reading."""
    good, running = process("id,amount\na,1\n"), process("id,amount\nb,1\n")
    reprocessing.reprocess(upload=running, by=by)
    UploadFactory(dataset=dataset, sequence=91, state="cancelled", due_at=None, finished_at=Now())
    UploadFactory(dataset=dataset, sequence=92)
    UploadFactory(
        dataset=dataset,
        sequence=93,
        state="processed",
        due_at=None,
        finished_at=Now(),
        dry_run=True,
        run=good.pk,
    )
    return good


def test_many_are_previewed_with_what_stands_in_the_way_of_each(several):
    found = bulk.preview(bulk_reprocess.KIND, {"filter": {}})

    assert (found.matching, found.eligible) == (6, 1)
    assert found.not_eligible == {
        "cancelled": 1, "accepted": 1, "a trial": 1, "being read again": 1, "reads another again": 1,
    }  # fmt: skip


def test_many_are_read_again_each_with_its_outcome(several):
    rule = {"filter": {}}
    action, _ = bulk.accept(
        kind=bulk_reprocess.KIND, rule=rule, shown=bulk.preview(bulk_reprocess.KIND, rule),
        by=Principal(UserFactory(operator=True)), why="a new schema", key=several.pk,
    )  # fmt: skip

    runner.run(leases.claim_next(bulk_pipeline.PIPELINE))

    action = BulkAction.objects.get(pk=action.pk)
    assert (action.state, action.counts["changed"]) == ("finished", 1)
    told = dict(BulkOutcome.objects.filter(bulk=action).values_list("subject", "outcome"))
    assert told[several.pk] == "changed"
    made = Upload.objects.get(reprocesses=several)
    assert reprocessing.asked_by(made).why == "a new schema"
