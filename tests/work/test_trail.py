import datetime as dt
from io import StringIO
from itertools import pairwise

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from tests.factories import OrganisationFactory
from work import consumers, leases, outbox, runner, storage, trail, trail_head
from work.deliveries import PIPELINE
from work.failures import PermanentFailure
from work.models import AuditEntry, Decision, Delivery, DeliveryState, Event
from work.storage_folder import FolderFiles

pytestmark = pytest.mark.django_db


def record(number=1, **changes):
    return outbox.record(
        "upload.accepted", subject=f"s-{number}", kind="upload", payload={"rows": number}, **changes
    )


def seal_everything():
    Delivery.objects.exclude(consumer="audit").delete()
    while (lease := leases.claim_next(PIPELINE)) is not None:
        runner.run(lease)


@pytest.fixture
def sealed():
    for number in range(1, 6):
        record(number, organisation=OrganisationFactory())
    seal_everything()


@pytest.fixture
def unguarded():
    """What somebody with the rights of the table's owner could do."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE work_auditentry DISABLE TRIGGER USER")
    yield
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE work_auditentry ENABLE TRIGGER USER")


@pytest.fixture
def files(tmp_path, monkeypatch):
    folder = FolderFiles(tmp_path)
    monkeypatch.setattr(storage, "files", lambda: folder)
    return folder


def test_events_are_sealed_in_one_chain_without_gaps(sealed):
    entries = list(AuditEntry.objects.order_by("number"))

    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[0].previous_hash == trail.GENESIS
    assert all(after.previous_hash == before.hash for before, after in pairwise(entries))
    assert [entry.payload["rows"] for entry in entries] == [1, 2, 3, 4, 5]
    assert trail.first_break() is None


def test_a_batch_seals_many_events_with_one_claim():
    for number in range(1, 21):
        record(number)
    Delivery.objects.exclude(consumer="audit").delete()

    runner.run(leases.claim_next(PIPELINE))

    assert AuditEntry.objects.count() == 20
    assert not Delivery.objects.exclude(state=DeliveryState.DELIVERED).exists()


def test_sealing_goes_on_from_the_head(sealed):
    record(6)
    seal_everything()

    assert trail.head().number == 6
    assert trail.first_break() is None


def test_sealing_an_event_twice_makes_one_entry(sealed):
    trail.seal(list(Event.objects.all()))

    assert AuditEntry.objects.count() == 5


def test_two_entries_after_the_same_one_are_refused(sealed):
    entry = AuditEntry.objects.get(number=5)
    entry.number, entry.event, entry.hash = 6, Event.objects.first().pk, "f" * 64

    with pytest.raises(IntegrityError, match=r"previous_hash|event"), transaction.atomic():
        entry.save(force_insert=True)


def test_a_changed_entry_is_named(sealed, unguarded):
    AuditEntry.objects.filter(number=3).update(actor="somebody else")

    assert trail.first_break().number == 3
    assert "changed" in trail.first_break().sentence


def test_a_rehashed_entry_breaks_the_link_after_it(sealed, unguarded):
    entry = AuditEntry.objects.get(number=3)
    entry.actor = "somebody else"
    AuditEntry.objects.filter(number=3).update(actor=entry.actor, hash=trail.hash_of(entry))

    assert trail.first_break().number == 4


def test_a_removed_entry_is_named(sealed, unguarded):
    AuditEntry.objects.filter(number=2).delete()

    assert trail.first_break().number == 3
    assert "missing" in trail.first_break().sentence


def test_a_quick_look_sees_a_break_at_its_first_link(sealed, unguarded):
    AuditEntry.objects.filter(number=3).update(hash="0" * 63 + "1")

    assert trail.first_break(since=4).number == 4


def test_numbers_hash_alike_before_and_after_the_database():
    values = {"a": 0.1, "b": 1.0, "c": 10**20, "d": [1, {"e": -0.5}], "ü": "é", "n": None}
    record(1, organisation=OrganisationFactory())
    outbox.record("dataset.created", subject="x", kind="dataset", payload=values)
    seal_everything()

    assert trail.first_break() is None


@pytest.mark.parametrize(
    ("table", "model"), [("work_auditentry", AuditEntry), ("work_decision", Decision), ("work_event", Event)]
)
def test_history_refuses_updates(sealed, table, model):
    Decision.objects.create(what="x", by_label="operator", subject_kind="x")

    with (
        pytest.raises(IntegrityError, match=f"{table} is append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE {table} SET correlation_id = 'x'")


@pytest.mark.parametrize("model", [AuditEntry, Decision])
def test_history_refuses_deletion(sealed, model):
    Decision.objects.create(what="x", by_label="operator", subject_kind="x")

    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        model.objects.all().delete()


def test_head_is_kept_outside_the_database(sealed, files):
    assert trail_head.kept() is None

    did = trail_head.keep(None)

    kept = trail_head.kept()
    assert (kept.number, kept.hash) == (5, trail.head().hash)
    assert kept.at.tzinfo == dt.UTC
    assert "entry 5" in did


def test_head_of_an_empty_trail_is_not_kept(files):
    assert trail_head.keep(None) == "nothing is sealed yet"
    assert trail_head.kept() is None


def test_a_cut_tail_is_seen_and_never_written_over(sealed, files, unguarded):
    trail_head.keep(None)
    AuditEntry.objects.filter(number__gte=4).delete()

    assert trail.first_break() is None
    assert "cut" in trail_head.what_is_missing(trail_head.kept())
    with pytest.raises(PermanentFailure, match="trail_is_cut"):
        trail_head.keep(None)
    assert trail_head.kept().number == 5


def test_a_rewritten_trail_is_seen_by_the_head(sealed, files, unguarded):
    trail_head.keep(None)
    AuditEntry.objects.filter(number=5).update(hash="a" * 64)

    assert "rewritten" in trail_head.what_is_missing(trail_head.kept())


def test_a_restore_is_accepted_with_a_reason(sealed, files, unguarded):
    with pytest.raises(CommandError, match="Nothing is missing"):
        call_command("accept_restored_trail", by="ann", why="x")
    trail_head.keep(None)
    AuditEntry.objects.filter(number__gte=4).delete()

    call_command("accept_restored_trail", by="ann", why="the backup of Monday", stdout=StringIO())

    assert trail_head.kept().number == 3
    decision = Decision.objects.get()
    assert (decision.by_label, decision.why) == ("ann", "the backup of Monday")
    assert (decision.before["number"], decision.after["number"]) == (5, 3)
    assert "cut" in decision.shown["found"]


def test_audit_takes_every_event():
    assert consumers.get("audit").wants("anything.happened")
