import datetime as dt
import uuid

import pytest
from django.db import transaction
from django.db.models.functions import Now

from tests.factories import OrganisationFactory, UploadFactory, UserFactory
from work import attention, attention_ground, invariants, leases, outbox, parked, pipelines, recovery
from work.attention import AttentionKind, Case
from work.deliveries import PIPELINE as DELIVERIES
from work.failures import StateChanged
from work.invariants import Breach, Finding, Result
from work.models import (
    Canary,
    CaseClaim,
    Decision,
    Delivery,
    DeliveryState,
    Event,
    PeriodicRun,
    PeriodicState,
    Worker,
)
from work.outbox import seconds_from_now

pytestmark = pytest.mark.django_db


class Asking:
    def __init__(self, number, organisation=None):
        self.number, self.organisation = number, organisation


def asking_case(row):
    return Case(
        key=str(row.number), kind="asking", title=f"Case {row.number}", url="/x", question="Which?",
        since=dt.datetime(2026, 1, row.number, tzinfo=dt.UTC), action="Answer", action_url="/x/answer",
        organisation=row.organisation,
    )  # fmt: skip


@pytest.fixture
def only(monkeypatch):
    def choose(*chosen):
        monkeypatch.setattr(attention, "_registered", {each.name: each for each in chosen})

    return choose


@pytest.fixture
def alive(db):
    for cluster in ("ground", "pipelines"):
        Worker.objects.create(id=uuid.uuid4(), cluster=cluster, label="host:1", seen_at=Now())
        Canary.objects.create(cluster=cluster, sent_at=Now(), passed_at=Now())


def of_kind(name, principal=None):
    return attention.cases(principal, kind=name)


def test_cases_of_all_kinds_come_oldest_first(only):
    first = AttentionKind("first", "First", lambda principal: [Asking(2), Asking(4)], asking_case)
    second = AttentionKind("second", "Second", lambda principal: [Asking(1), Asking(3)], asking_case)
    only(first, second)

    assert [case.key for case in attention.cases(None)] == ["1", "2", "3", "4"]
    assert [case.key for case in attention.cases(None, kind="first")] == ["2", "4"]
    assert [case.key for case in attention.cases(None, limit=1)] == ["1"]


def test_cases_of_one_organisation(only):
    ours = OrganisationFactory()
    rows = [Asking(1, OrganisationFactory()), Asking(2, ours), Asking(3)]
    only(AttentionKind("asking", "Asking", lambda principal: rows, asking_case))

    assert [case.key for case in attention.cases(None, organisation=ours)] == ["2"]


def test_counts_stop_at_a_hundred(only):
    rows = [Asking(1)] * 150
    only(AttentionKind("asking", "Asking", lambda principal: rows, asking_case))

    assert attention.counts(None) == {"asking": 100}
    assert attention.count(None) == 100


def test_querysets_are_counted_and_ordered_by_the_database(only):
    old, new = UploadFactory(), UploadFactory()
    type(old).objects.filter(pk=old.pk).update(accepted_at=seconds_from_now(-60))

    def case(row):
        return asking_case(Asking(1 if row.pk == old.pk else 2))

    uploads = type(new).objects.all()
    kind = AttentionKind("uploads", "Uploads", lambda principal: uploads, case, since="accepted_at")
    only(kind)

    assert [each.key for each in attention.cases(None)] == ["1", "2"]
    assert attention.count(None) == 2


def test_looking_counts_by_what_it_read_and_asks_only_where_there_is_more(only, django_assert_num_queries):
    UploadFactory.create_batch(3)
    uploads = UploadFactory._meta.model.objects.order_by()
    many = AttentionKind(
        "many", "Many", lambda principal: uploads, lambda row: asking_case(Asking(2)), since="accepted_at"
    )
    only(many, AttentionKind("list", "List", lambda principal: [Asking(1)], asking_case))

    with django_assert_num_queries(2):  # the rows, the claims
        all_read = attention.look(None, limit=10)
    with django_assert_num_queries(3):  # and the count
        cut = attention.look(None, limit=2)

    assert all_read.counts == cut.counts == attention.counts(None) == {"many": 3, "list": 1}
    assert [case.id for case in all_read.cases] == [case.id for case in attention.cases(None)]
    assert (len(cut.cases), cut.total) == (2, 4)


def test_a_kind_registers_once(only):
    only()
    kind = AttentionKind("asking", "Asking", lambda principal: [], asking_case)
    attention.register(kind)

    with pytest.raises(ValueError, match="asking"):
        attention.register(kind)


def test_a_claim_is_shown_and_expires(only):
    only(AttentionKind("asking", "Asking", lambda principal: [Asking(1)], asking_case))
    operator = UserFactory(operator=True)

    attention.claim("asking:1", by=operator)
    assert attention.cases(None)[0].claim.by == operator

    CaseClaim.objects.update(until=Now())
    assert attention.cases(None)[0].claim is None


def test_a_claim_lasts_a_quarter_of_an_hour():
    made = attention.claim("asking:1", by=UserFactory())

    assert made.until - made.claimed_at == dt.timedelta(minutes=15)


def test_a_claimed_case_is_refused_to_another_and_names_the_holder():
    first, second = UserFactory(username="ann"), UserFactory()
    attention.claim("asking:1", by=first)

    with pytest.raises(StateChanged) as refused:
        attention.claim("asking:1", by=second)
    assert refused.value.found == "ann"


def test_an_expired_claim_is_free_and_an_own_one_is_renewed():
    first, second = UserFactory(), UserFactory()
    attention.claim("asking:1", by=first)
    attention.claim("asking:1", by=first)
    CaseClaim.objects.update(until=seconds_from_now(-1))

    assert attention.claim("asking:1", by=second).by == second


def test_leaving_a_case_gives_back_only_the_own_claim():
    first, second = UserFactory(), UserFactory()
    attention.claim("asking:1", by=first)

    attention.leave("asking:1", by=second)
    assert CaseClaim.objects.count() == 1
    attention.leave("asking:1", by=first)
    assert CaseClaim.objects.count() == 0


def dead_letter():
    with transaction.atomic():
        event = outbox.record("upload.accepted", subject="s", kind="upload", label="stations.csv")
    delivery = Delivery.objects.get(event=event, consumer="audit")
    Delivery.objects.filter(pk=delivery.pk).update(
        state=DeliveryState.DEAD, due_at=None, asked_at=Now(), question="dead_letter", failure_code="no_disk"
    )
    return delivery


def test_a_dead_letter_asks_operators(alive):
    delivery = dead_letter()

    (case,) = of_kind("dead_letter")
    assert case.id == f"dead_letter:{delivery.pk}"
    assert ("Reason", "no_disk") in case.evidence
    assert of_kind("dead_letter", person(UserFactory())) == []
    assert len(of_kind("dead_letter", person(UserFactory(operator=True)))) == 1


def person(user):
    class Principal:
        is_operator = user.is_operator

    return Principal()


def finished_run(name, state, *, minutes_ago):
    return PeriodicRun.objects.create(
        name=name, slot=seconds_from_now(-60 * minutes_ago), state=state, due_at=None, failure_code="broken",
        started_at=seconds_from_now(-60 * minutes_ago), finished_at=seconds_from_now(-60 * minutes_ago),
    )  # fmt: skip


def test_a_job_whose_last_run_failed_asks_until_it_succeeds(alive):
    finished_run("sweep", PeriodicState.SUCCEEDED, minutes_ago=3)
    finished_run("sweep", PeriodicState.FAILED, minutes_ago=2)
    PeriodicRun.objects.create(
        name="sweep", slot=seconds_from_now(-60), state=PeriodicState.SKIPPED, due_at=None, finished_at=Now(),
        skipped_because="busy",
    )  # fmt: skip

    assert [case.key for case in of_kind("periodic")] == ["sweep"]
    finished_run("sweep", PeriodicState.SUCCEEDED, minutes_ago=0)
    assert of_kind("periodic") == []


def test_an_undeclared_job_asks_nothing(alive):
    finished_run("gone", PeriodicState.FAILED, minutes_ago=2)

    assert of_kind("periodic") == []


def test_silent_and_hung_clusters_ask(alive):
    assert of_kind("cluster") == []

    Worker.objects.filter(cluster="ground").update(seen_at=seconds_from_now(-3600))
    Canary.objects.filter(cluster="pipelines").update(waiting_since=seconds_from_now(-3600))

    titles = {case.key: case.title for case in of_kind("cluster")}
    assert titles == {
        "ground": "The ground workers give no sign of life",
        "pipelines": "The pipelines workers take nothing up",
    }


def test_invariants_broken_in_the_last_run_ask(alive):
    broken = Finding("lamp", "The lamp burns", 0.1, 1, (Breach("lamp", "It is dark."),))
    invariants.keep(Result([broken], is_deep=False))
    invariants.keep(Result([broken], is_deep=True))

    (case,) = of_kind("invariant")
    assert case.title == "Does not hold: The lamp burns"
    assert ("First", "lamp: It is dark.") in case.evidence

    for is_deep in (False, True):
        invariants.keep(Result([Finding("lamp", "The lamp burns", 0.1)], is_deep=is_deep))
    assert of_kind("invariant") == []


@pytest.fixture
def parking(monkeypatch, with_steps):
    def unable(row, died):
        raise RuntimeError

    made = with_steps(on_expiry=unable)
    monkeypatch.setitem(pipelines._registered, "upload", made)
    upload = UploadFactory()
    leases.claim_next(made)
    type(upload).objects.update(locked_until=seconds_from_now(-60))
    recovery.recover(made)
    return made


def test_a_parked_row_asks_and_tells(alive, parking):
    (case,) = of_kind("parked")

    assert case.organisation is not None
    assert case.question == "Try it again, or end it as failed?"
    assert Event.objects.filter(type="work.parked").count() == 1


def test_a_parked_row_is_tried_again(parking):
    upload = parked.rows(parking).get()

    parked.retry(pipeline=parking, row=upload, by="operator", why="the disk is back")

    upload.refresh_from_db()
    assert (upload.state, upload.unanswered, upload.question) == ("accepted", 0, None)
    assert upload.due_at is not None
    assert Decision.objects.get().what == "work.retried"
    with pytest.raises(StateChanged):
        parked.retry(pipeline=parking, row=upload, by="operator", why="again")


def test_a_parked_row_is_ended(parking):
    pipeline, upload = parked.find("upload", parked.rows(parking).get().pk)

    parked.fail(pipeline=pipeline, row=upload, by="operator", why="the file is gone")

    upload.refresh_from_db()
    assert (upload.state, upload.failure_code) == ("failed", parked.GIVEN_UP)
    assert upload.finished_at is not None
    with pytest.raises(StateChanged):
        parked.fail(pipeline=parking, row=upload, by="operator", why="again")


def test_a_parked_delivery_that_is_given_up_becomes_a_dead_letter(monkeypatch):
    with transaction.atomic():
        outbox.record("upload.accepted", subject="s", kind="upload")
    leases.claim_next(DELIVERIES)
    Delivery.objects.filter(lease_token__isnull=False).update(
        lease_token=None, locked_until=None, locked_by=None, asked_at=Now(), question=recovery.PARKED
    )
    delivery = parked.rows(DELIVERIES).get()

    parked.fail(pipeline=DELIVERIES, row=delivery, by="operator", why="x")

    delivery.refresh_from_db()
    assert (delivery.state, delivery.question) == (DeliveryState.DEAD, "dead_letter")


def test_the_badge_costs_few_queries(alive, parking, only, django_assert_num_queries):
    only(*attention_ground.kinds())
    dead_letter()

    with django_assert_num_queries(9):
        assert attention.count(None) == 2
