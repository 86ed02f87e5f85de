import json
import uuid
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models.functions import Now

from tests.factories import UploadFactory, UserFactory
from work import (
    decisions,
    ground_parts,
    invariants,
    invariants_deep,
    invariants_events,
    invariants_ground,
    invariants_rows,
    leases,
    outbox,
    pipelines,
    runner,
    storage,
    trail_head,
)
from work.deliveries import PIPELINE as DELIVERIES
from work.failures import StateChanged
from work.invariants import Breach, Invariant
from work.models import (
    Attempt,
    AuditEntry,
    CheckState,
    Decision,
    Delivery,
    Event,
    InvariantRun,
    Outcome,
    PeriodicRun,
    PeriodicState,
    PipelinePause,
    Worker,
)
from work.outbox import seconds_from_now
from work.pipelines import GROUND, PIPELINES
from work.storage_folder import FolderFiles

pytestmark = pytest.mark.django_db
at_once = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    folder = FolderFiles(tmp_path)
    monkeypatch.setattr(storage, "files", lambda: folder)
    monkeypatch.setattr(invariants, "SECOND_LOOK_AFTER", 0)
    return folder


@pytest.fixture(autouse=True)
def ground(monkeypatch):
    """The ground's own invariants: other apps test theirs."""
    own = (*invariants_rows.EVERY, *invariants_events.EVERY, *invariants_ground.EVERY)
    monkeypatch.setattr(invariants, "_registered", {each.name: each for each in own})


@pytest.fixture
def registered(monkeypatch, pipeline):
    """The test's pipeline over uploads stands in for ingestion's own."""
    monkeypatch.setitem(pipelines._registered, "upload", pipeline)
    return pipeline


@pytest.fixture
def only(monkeypatch):
    def choose(*chosen):
        monkeypatch.setattr(invariants, "_registered", {each.name: each for each in chosen})

    return choose


def broken(*, deep=False):
    return {finding.name: finding for finding in invariants.run(deep=deep).broken}


def sql(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with checks to come cannot be altered
        cursor.execute(statement, values)


def alive(cluster, **columns):
    return Worker.objects.create(id=uuid.uuid4(), cluster=cluster, label="host:1", seen_at=Now(), **columns)


def sealed_event(**changes):
    with_defaults = {"subject": "s", "kind": "upload", **changes}
    with transaction.atomic():
        event = outbox.record("upload.accepted", **with_defaults)
    while (lease := leases.claim_next(DELIVERIES)) is not None:
        runner.run(lease)
    return event


def drop_constraint(table, name):
    """The test's transaction puts it back."""
    sql(f"ALTER TABLE {table} DROP CONSTRAINT {name}")


@at_once
def test_a_fresh_installation_holds():
    assert broken(deep=True) == {}


@at_once
def test_an_installation_with_work_holds(registered):
    UploadFactory()
    UploadFactory()
    leases.claim_next(registered)
    runner.run(leases.claim_next(registered))
    decisions_by(UserFactory(operator=True))
    sealed_event()
    trail_head.keep(None)

    assert broken(deep=True) == {}


def decisions_by(user):
    with transaction.atomic():
        return decisions.record("pipeline.paused", by=user, kind="pipeline", subject="upload", why="test")


@at_once
def test_the_snapshot_refuses_writes(only):
    only(Invariant("writes", "Writes", lambda deep: UserFactory() and []))

    found = broken()

    assert "itself failed" in found["writes"].breaches[0].sentence


@at_once
def test_the_snapshot_is_of_one_moment(only):
    other = connection.copy()

    def look(deep):
        before = Worker.objects.count()
        with other.cursor() as cursor:
            cursor.execute(
                "INSERT INTO work_worker (id, cluster, label) VALUES (gen_random_uuid(), 'ground', 'x')"
            )
        return [Breach("count", "moved")] if Worker.objects.count() != before else []

    only(Invariant("still", "Still", look))
    try:
        assert broken() == {}
    finally:
        other.close()
    assert Worker.objects.count() == 1


@at_once
def test_a_check_that_raises_is_a_breach_and_hides_no_other(only):
    def fails(deep):
        sql("SELECT 1/0")

    only(
        Invariant("fails", "Fails", fails),
        Invariant("finds", "Finds", lambda deep: [Breach("x", "is broken")]),
    )

    assert list(broken()) == ["fails", "finds"]


def test_what_looks_outside_counts_only_when_seen_twice(only):
    answers = [[Breach("a", "missing"), Breach("b", "missing")], [Breach("b", "missing")]]
    only(Invariant("files", "Files", lambda deep: answers.pop(0), looks_outside=True))

    assert [breach.subject for breach in broken()["files"].breaches] == ["b"]


def test_second_law_names_a_missing_constraint_and_the_row(registered):
    upload = UploadFactory()

    drop_constraint("ingestion_upload", "upload_is_leased_due_asking_or_finished")
    sql("UPDATE ingestion_upload SET due_at = NULL")
    found = broken()["second_law"]

    assert [breach.subject for breach in found.breaches] == ["ingestion_upload", f"upload {upload.pk}"]


def test_unanswered_is_bounded_names_the_row(registered):
    upload = UploadFactory()

    drop_constraint("ingestion_upload", "upload_unanswered_is_bounded")
    sql("UPDATE ingestion_upload SET unanswered = 4, starts = 4")
    found = broken()["unanswered_is_bounded"]

    assert [breach.subject for breach in found.breaches] == [f"upload {upload.pk}"]


def test_no_row_is_idle_names_an_abandoned_lease(registered):
    upload = UploadFactory()
    leases.claim_next(registered)
    sql("UPDATE ingestion_upload SET locked_until = now() - interval '1 hour'")

    found = broken()["no_row_is_idle"]

    assert [breach.subject for breach in found.breaches] == [f"upload {upload.pk}"]


def test_no_row_is_idle_waits_for_recovery_and_sweep(registered):
    UploadFactory()
    leases.claim_next(registered)
    sql("UPDATE ingestion_upload SET locked_until = now() - interval '1 minute'")

    assert broken() == {}


def test_no_row_is_idle_names_a_due_row_that_idle_workers_leave(registered):
    upload = UploadFactory()
    sql("UPDATE ingestion_upload SET due_at = now() - interval '1 hour'")
    alive(PIPELINES)

    found = broken()["no_row_is_idle"]

    assert [breach.subject for breach in found.breaches] == [f"upload {upload.pk}"]


@pytest.mark.parametrize("case", ["no worker", "busy", "took lately", "paused"])
def test_no_row_is_idle_behind_a_reason(registered, case):
    UploadFactory()
    sql("UPDATE ingestion_upload SET due_at = now() - interval '1 hour'")
    if case != "no worker":
        alive(PIPELINES, busy_since=Now() if case == "busy" else None,
              took_at=Now() if case == "took lately" else None)  # fmt: skip
    if case == "paused":
        PipelinePause.objects.create(pipeline="upload", paused_by_label="operator", reason="x")

    assert broken() == {}


def test_attempts_match_leases_names_a_lease_without_attempt(registered):
    upload = UploadFactory()
    leases.claim_next(registered)
    Attempt.objects.all().delete()

    assert broken()["attempts_match_leases"].breaches[0].subject == f"upload {upload.pk}"


def test_attempts_match_leases_names_an_attempt_without_lease(registered):
    upload = UploadFactory()
    leases.claim_next(registered)
    sql(
        "UPDATE ingestion_upload SET lease_token = NULL, locked_until = NULL, due_at = now(), "
        "state = 'accepted'"
    )

    assert broken()["attempts_match_leases"].breaches[0].subject == f"upload {upload.pk}"


def test_attempts_match_leases_names_an_unknown_pipeline():
    Attempt.objects.create(
        pipeline="gone", subject=uuid.uuid4(), number=1, token=uuid.uuid4(), worker=uuid.uuid4()
    )

    assert "gone" in broken()["attempts_match_leases"].breaches[0].subject


def test_one_open_attempt_names_the_row(registered):
    upload = UploadFactory()
    leases.claim_next(registered)

    sql("DROP INDEX one_open_attempt_per_subject")
    sql(
        "INSERT INTO work_attempt (pipeline, subject, number, token, worker, worker_label) "
        "SELECT pipeline, subject, 2, gen_random_uuid(), worker, worker_label FROM work_attempt"
    )
    found = broken()["one_open_attempt"]

    assert found.breaches[0].subject == f"upload {upload.pk}"


def test_events_have_deliveries_names_event_and_consumer():
    sealed_event()
    event = sealed_event()
    Delivery.objects.filter(event=event, consumer="audit").delete()

    found = broken()["events_have_deliveries"]

    assert [breach.subject for breach in found.breaches] == [str(event.pk)]
    assert "audit" in found.breaches[0].sentence


def test_events_have_deliveries_asks_a_new_consumer_for_nothing_older():
    sealed_event()
    sql("DELETE FROM work_delivery")

    assert broken() == {}


def unsealed_event():
    """Recorded three minutes ago, and nobody sealed it."""
    return Event.objects.create(
        type="upload.accepted", subject_kind="upload", subject_id="x",
        occurred_at=seconds_from_now(-180),
    )  # fmt: skip


def test_events_are_sealed_names_the_event():
    event = unsealed_event()

    assert [breach.subject for breach in broken()["events_are_sealed"].breaches] == [str(event.pk)]


def test_events_are_sealed_gives_two_minutes():
    Event.objects.create(type="upload.accepted", subject_kind="upload", subject_id="x")

    assert broken() == {}


def test_trail_names_the_first_broken_link():
    for _ in range(3):
        sealed_event()
    with off("work_auditentry"):
        AuditEntry.objects.filter(number=2).update(actor="x")

    assert broken()["trail_is_unbroken"].breaches[0].subject == "entry 2"


def test_a_quick_run_follows_the_newest_links_only(monkeypatch):
    monkeypatch.setattr("work.invariants_events.QUICK_ENTRIES", 2)
    for _ in range(5):
        sealed_event()
    with off("work_auditentry"):
        AuditEntry.objects.filter(number=1).update(actor="x")

    assert broken() == {}
    assert broken(deep=True)["trail_is_unbroken"].breaches[0].subject == "entry 1"


@at_once
def test_a_cut_tail_is_named():
    for _ in range(3):
        sealed_event()
    trail_head.keep(None)
    with off("work_auditentry"):
        AuditEntry.objects.filter(number=3).delete()

    assert broken()["trail_is_not_cut"].breaches[0].subject == "entry 3"


def test_entries_equal_events_names_the_entry():
    sealed_event()
    sealed_event()
    with off("work_event"):
        Event.objects.filter(pk=AuditEntry.objects.get(number=2).event).update(payload={"rows": 9})

    assert [breach.subject for breach in broken()["entries_equal_events"].breaches] == ["entry 2"]


def test_entries_equal_events_names_the_entry_of_a_missing_event():
    event = sealed_event()
    Delivery.objects.filter(event=event).delete()
    event.delete()

    assert broken()["entries_equal_events"].breaches[0].sentence == "Its event is gone."


def test_decisions_have_events_names_the_decision():
    decision = Decision.objects.create(
        what="upload.cancelled", by_label="x", subject_kind="upload", subject_id="1"
    )

    assert broken()["decisions_have_events"].breaches[0].subject == str(decision.pk)


@pytest.mark.parametrize("table", ["work_auditentry", "work_decision", "work_event"])
def test_history_is_append_only_names_a_trigger_that_is_off(table):
    with off(table):
        found = broken()

    assert found["history_is_append_only"].breaches[0].subject == table
    assert broken() == {}


class off:
    """The triggers of a table, for what only its owner could do."""

    def __init__(self, table):
        self.table = table

    def __enter__(self):
        sql(f"ALTER TABLE {self.table} DISABLE TRIGGER USER")

    def __exit__(self, *problem):
        sql(f"ALTER TABLE {self.table} ENABLE TRIGGER USER")


def run_of(name="sweep", **columns):
    return PeriodicRun.objects.create(**{"name": name, "slot": Now(), **columns})


def test_ledger_names_two_unfinished_runs_of_a_job():
    sql("DROP INDEX one_run_at_a_time")
    run_of()
    run_of(slot=seconds_from_now(-60))
    found = broken()["ledger_is_sane"]

    assert found.breaches[0].subject == "sweep"


def test_ledger_names_a_run_skipped_without_a_reason():
    run_of(state=PeriodicState.SKIPPED, due_at=None, finished_at=Now())

    assert "skipped" in broken()["ledger_is_sane"].breaches[0].sentence


def test_ledger_names_a_run_that_ended_before_it_began():
    run_of(state=PeriodicState.FAILED, due_at=None, finished_at=seconds_from_now(-60), started_at=Now())

    assert "failed" in broken()["ledger_is_sane"].breaches[0].sentence


def test_jobs_are_planned_names_a_job_without_recent_slots():
    run_of(slot=seconds_from_now(-3600), state=PeriodicState.SUCCEEDED, due_at=None,
           started_at=seconds_from_now(-3600), finished_at=seconds_from_now(-3500))  # fmt: skip
    alive(GROUND)

    assert [breach.subject for breach in broken()["jobs_are_planned"].breaches] == ["sweep"]


def test_jobs_are_planned_says_nothing_while_the_ground_is_down():
    run_of(slot=seconds_from_now(-3600), state=PeriodicState.SUCCEEDED, due_at=None,
           started_at=seconds_from_now(-3600), finished_at=seconds_from_now(-3500))  # fmt: skip

    assert broken() == {}


def test_jobs_are_planned_names_a_slot_in_the_future():
    run_of(slot=seconds_from_now(3600))
    alive(GROUND)

    assert "future" in broken()["jobs_are_planned"].breaches[0].sentence


def test_pauses_name_pipelines_names_a_stray_pause():
    PipelinePause.objects.create(pipeline="gone", paused_by_label="operator", reason="x")

    assert broken()["pauses_name_pipelines"].breaches[0].subject == "gone"


def test_a_kept_run_tells_once_of_what_broke(only):
    only(Invariant("lamp", "The lamp burns", lambda deep: [Breach("lamp", "It is dark.")]))

    first, second = invariants.run_and_keep(by="x"), invariants.run_and_keep()

    assert (first.broken, second.broken) == (1, 1)
    assert Event.objects.filter(type="invariant.broken").count() == 1
    assert invariants.last(deep=False) == second
    assert invariants.last(deep=True) is None


def test_a_deep_run_is_leased_work(only):
    only(Invariant("lamp", "The lamp burns", lambda deep: [Breach("lamp", "dark")] if deep else []))
    asked = invariants_deep.request(by="operator")

    with pytest.raises(StateChanged):
        invariants_deep.request(by="operator")
    runner.run(leases.claim_next(invariants_deep.PIPELINE))

    asked.refresh_from_db()
    assert (asked.state, asked.broken) == (CheckState.CHECKED, 1)
    assert Attempt.objects.get().outcome == Outcome.FINISHED
    assert invariants.last(deep=True) == asked


def test_the_night_asks_for_one_deep_run():
    assert invariants_deep.request_nightly(None) == "asked for a deep run"
    assert "unfinished" in invariants_deep.request_nightly(None)
    assert InvariantRun.objects.count() == 1


@at_once
def test_verify_prints_a_table_and_keeps_the_run():
    output = StringIO()

    call_command("verify", stdout=output)

    assert "The audit trail is unbroken" in output.getvalue()
    assert output.getvalue().splitlines()[-1] == f"All {len(invariants.every())} invariants hold (quick run)."
    assert InvariantRun.objects.get().requested_by_label == "manage.py verify"


def test_verify_prints_the_first_breaches(only):
    only(
        Invariant("lamps", "Lamps burn", lambda deep: [Breach(f"lamp {n}", "It is dark.") for n in range(7)])
    )
    output = StringIO()

    with pytest.raises(SystemExit):
        call_command("verify", stdout=output)

    lines = output.getvalue().splitlines()
    assert lines[0].endswith("7 broken")
    assert lines[1:6] == [f"    lamp {n}: It is dark." for n in range(5)]
    assert lines[6:] == ["    and 2 more", "1 of 1 invariants are broken (quick run)."]


def test_verify_exits_with_1_and_names_the_breach():
    PipelinePause.objects.create(pipeline="gone", paused_by_label="operator", reason="x")
    output = StringIO()

    with pytest.raises(SystemExit) as ended:
        call_command("verify", "--deep", "--json", stdout=output)

    said = json.loads(output.getvalue())
    line = next(line for line in said["invariants"] if not line["ok"])
    assert ended.value.code == 1
    assert (said["deep"], said["ok"], line["name"]) == (True, False, "pauses_name_pipelines")
    assert line["breaches"][0]["subject"] == "gone"


def test_the_periodic_check_waits_until_the_ground_has_caught_up(only):
    only(Invariant("lamp", "The lamp burns", lambda deep: [Breach("lamp", "It is dark.")]))
    worker = alive(GROUND)
    assert ground_parts.check_invariants(None) == "nothing: the workers have just started"

    Worker.objects.filter(pk=worker.pk).update(started_at=seconds_from_now(-3600))
    assert ground_parts.check_invariants(None) == "1 of 1 invariants are broken"
