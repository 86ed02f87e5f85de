import dataclasses
import uuid

import pytest
from django.http import QueryDict
from django.utils import timezone

from accounts.principals import Principal
from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import MembershipFactory, UploadFactory, UserFactory
from work import bulk, bulk_letters, bulk_pipeline, cancelling, leases, outbox, runner
from work.bulk import BulkKind
from work.failures import StateChanged
from work.models import (
    Attempt,
    BulkAction,
    BulkOutcome,
    BulkState,
    Decision,
    Delivery,
    DeliveryState,
    Event,
)

pytestmark = pytest.mark.django_db


def uploads(filters):
    rows = Upload.objects.all()
    return rows.filter(state=filters["state"]) if filters and filters.get("state") else rows


@pytest.fixture
def kind(pipeline, monkeypatch):
    def withdraw(row, by, why):
        cancelling.cancel(
            pipeline=pipeline, row=row, state="cancelled", allowed=(UploadState.ACCEPTED,), by=by, why=why,
            what="upload.cancelled", label=row.filename,
        )  # fmt: skip

    kind = BulkKind(
        action="test.withdraw",
        title="Withdraw uploads",
        verb="Withdraw",
        queryset=uploads,
        eligible=lambda rows: rows.filter(state=UploadState.ACCEPTED),
        act=withdraw,
        right="withdraw",
    )
    monkeypatch.setitem(bulk._registered, kind.action, kind)
    return kind


@pytest.fixture
def operator():
    return Principal(UserFactory(operator=True))


def accepted(kind, by, *, rule=None):
    rule = rule or bulk.rule_for(kind, by, filters=QueryDict())
    shown = bulk.preview(kind, rule)
    action, _ = bulk.accept(kind=kind, rule=rule, shown=shown, by=by, why="wrong quarter", key=uuid.uuid4())
    return action


def work_off(action):
    """As the worker does: slice after slice, without its pauses."""
    for _ in range(20):
        BulkAction.objects.filter(pk=action.pk, due_at__isnull=False).update(due_at=timezone.now())
        lease = leases.claim_next(bulk_pipeline.PIPELINE)
        if lease is None:
            break
        runner.run(lease)
    action.refresh_from_db()
    return action


def outcomes(action):
    return sorted(BulkOutcome.objects.filter(bulk=action).values_list("outcome", "found"))


def test_preview_counts_what_matches_and_why_the_rest_cannot(kind, operator):
    for _ in range(3):
        UploadFactory()
    UploadFactory(running=True)

    preview = bulk.preview(kind, bulk.rule_for(kind, operator, filters=QueryDict()))

    assert (preview.matching, preview.eligible, preview.not_eligible) == (4, 3, {"processing": 1})
    assert bulk.sentence(preview) == "4 match, 1 not eligible: 1 processing"


def test_preview_changes_nothing(kind, operator):
    upload = UploadFactory()

    bulk.preview(kind, bulk.rule_for(kind, operator, filters=QueryDict()))

    upload.refresh_from_db()
    assert upload.state == UploadState.ACCEPTED


def test_rule_of_a_member_is_bound_to_where_the_right_is(kind):
    mine, other = UploadFactory(), UploadFactory()
    member = Principal(MembershipFactory(organisation=mine.organisation).user)

    rule = bulk.rule_for(kind, member, ids=[mine.pk, other.pk])

    assert list(bulk.rows(kind, rule)) == [mine]


def test_accepted_action_keeps_rule_reason_and_numbers_shown(kind, operator):
    UploadFactory()
    action = accepted(kind, operator, rule=bulk.rule_for(kind, operator, filters=QueryDict("state=accepted")))

    decision = Decision.objects.get(what="bulk.accepted")
    assert action.state == BulkState.ACCEPTED
    assert action.rule == {"filter": {"state": ["accepted"]}}
    assert action.previewed == {"matching": 1, "eligible": 1, "not_eligible": {}}
    assert (decision.why, decision.rule, decision.shown) == ("wrong quarter", action.rule, action.previewed)


def test_accept_twice_under_one_key_makes_one_action(kind, operator):
    rule = bulk.rule_for(kind, operator, filters=QueryDict())
    given = {"kind": kind, "rule": rule, "shown": bulk.preview(kind, rule), "by": operator, "why": "x"}
    key = uuid.uuid4()

    first, again = bulk.accept(**given, key=key), bulk.accept(**given, key=key)

    assert (first[1], again[1]) == (False, True)
    assert first[0].pk == again[0].pk
    assert BulkAction.objects.count() == 1


def test_action_acts_on_every_eligible_row_and_keeps_both_counts(kind, operator):
    for _ in range(3):
        UploadFactory()
    UploadFactory(running=True)

    action = work_off(accepted(kind, operator))

    assert action.state == BulkState.FINISHED
    assert action.previewed["matching"] == 4
    assert action.counts == {"changed": 3, "not_eligible": 1}
    assert outcomes(action) == [("changed", "")] * 3 + [("not_eligible", "processing")]
    assert Upload.objects.filter(state=UploadState.CANCELLED).count() == 3
    assert Event.objects.get(type="bulk.finished").payload["counts"] == action.counts


def test_rows_that_moved_after_the_preview_are_left_and_said(kind, operator):
    moved, stays = UploadFactory(), UploadFactory()
    action = accepted(kind, operator, rule=bulk.rule_for(kind, operator, ids=[moved.pk, stays.pk]))
    Upload.objects.filter(pk=moved.pk).update(state="failed", due_at=None, finished_at=timezone.now())

    action = work_off(action)

    assert action.counts == {"changed": 1, "not_eligible": 1}
    assert outcomes(action) == [("changed", ""), ("not_eligible", "failed")]


def test_rows_accepted_after_the_action_are_not_selected_by_its_filter(kind, operator):
    UploadFactory()
    action = accepted(kind, operator)
    later = UploadFactory()

    work_off(action)

    later.refresh_from_db()
    assert later.state == UploadState.ACCEPTED


def test_action_goes_on_in_slices_and_takes_no_row_twice(kind, operator, monkeypatch):
    monkeypatch.setattr(bulk_pipeline, "SLICE_ROWS", 2)
    for _ in range(5):
        UploadFactory()

    action = work_off(accepted(kind, operator))

    assert (action.state, action.starts, action.postponed) == (BulkState.FINISHED, 3, 2)
    assert action.counts == {"changed": 5}
    assert BulkOutcome.objects.filter(bulk=action).count() == 5


def test_a_row_that_raises_stops_no_other_and_stays_as_it_was(kind, operator, monkeypatch):
    broken, fine = UploadFactory(), UploadFactory()

    def act(row, by, why):
        kind.act(row, by, why)
        if row.pk == broken.pk:
            raise ValueError("a fault of ours")

    monkeypatch.setitem(bulk._registered, kind.action, dataclasses.replace(kind, act=act))

    action = work_off(accepted(kind, operator))

    broken.refresh_from_db()
    fine.refresh_from_db()
    assert (broken.state, fine.state) == (UploadState.ACCEPTED, UploadState.CANCELLED)
    assert outcomes(action) == [("changed", ""), ("failed", "ValueError")]


def test_a_killed_slice_is_taken_up_where_it_stopped(kind, operator, monkeypatch):
    for _ in range(4):
        UploadFactory()
    action = accepted(kind, operator)
    acted = []

    def die_at_the_third(row, by, why):
        if len(acted) == 2:
            raise KeyboardInterrupt
        acted.append(row.pk)
        kind.act(row, by, why)

    monkeypatch.setitem(bulk._registered, kind.action, dataclasses.replace(kind, act=die_at_the_third))
    with pytest.raises(KeyboardInterrupt):
        runner.run(leases.claim_next(bulk_pipeline.PIPELINE))
    assert BulkOutcome.objects.filter(bulk=action).count() == 2

    monkeypatch.setitem(bulk._registered, kind.action, kind)
    BulkAction.objects.filter(pk=action.pk).update(
        lease_token=None, locked_until=None, due_at=timezone.now(), state=BulkState.ACCEPTED, unanswered=0
    )
    Attempt.objects.filter(ended_at__isnull=True).update(ended_at=timezone.now(), outcome="died")

    assert work_off(action).counts == {"changed": 4}


def test_cancelled_action_stops_and_its_outcomes_stand(kind, operator, monkeypatch):
    for _ in range(3):
        UploadFactory()
    action = accepted(kind, operator)

    def cancel_after_the_first(row, by, why):
        kind.act(row, by, why)
        if BulkOutcome.objects.filter(bulk=action).count() == 1:
            bulk_pipeline.cancel(action=action, by=operator, why="enough")

    monkeypatch.setitem(bulk._registered, kind.action, dataclasses.replace(kind, act=cancel_after_the_first))

    runner.run(leases.claim_next(bulk_pipeline.PIPELINE))

    action.refresh_from_db()
    assert action.state != BulkState.FINISHED
    assert BulkOutcome.objects.filter(bulk=action).count() == 1


def test_cancel_of_a_finished_action_says_so(kind, operator):
    action = work_off(accepted(kind, operator))

    with pytest.raises(StateChanged):
        bulk_pipeline.cancel(action=action, by=operator, why="too late")


def test_action_of_someone_who_may_not_sign_in_any_more_fails(kind, operator):
    upload = UploadFactory()
    action = accepted(kind, operator)
    type(operator.user).objects.filter(pk=operator.user.pk).update(is_active=False)

    action = work_off(action)

    upload.refresh_from_db()
    assert (action.state, action.failure_code) == (BulkState.FAILED, "requester_gone")
    assert upload.state == UploadState.ACCEPTED


def dead_letter(consumer="audit"):
    event = outbox.record("upload.failed", subject="1", kind="upload")
    Delivery.objects.filter(event=event).exclude(consumer=consumer).delete()
    Delivery.objects.filter(event=event).update(
        state=DeliveryState.DEAD, due_at=None, asked_at=timezone.now(), question="dead_letter",
        failure_code="store_away",
    )  # fmt: skip
    return Delivery.objects.get(event=event)


def test_dead_letters_are_replayed_in_bulk(operator):
    letters = [dead_letter(), dead_letter()]
    replay = bulk.get("delivery.replay")

    action = work_off(accepted(replay, operator, rule=bulk.rule_for(replay, operator, filters=QueryDict())))

    assert action.counts == {"changed": 2}
    states = set(Delivery.objects.filter(pk__in=[row.pk for row in letters]).values_list("state", flat=True))
    assert states == {DeliveryState.PENDING}


def test_dead_letters_are_discarded_with_the_reason_of_the_action(operator):
    letter = dead_letter()
    discard = bulk.get("delivery.discard")

    work_off(accepted(discard, operator, rule=bulk.rule_for(discard, operator, ids=[letter.pk])))

    letter.refresh_from_db()
    assert letter.state == DeliveryState.DISCARDED
    assert Decision.objects.get(what="delivery.discarded").why == "wrong quarter"


def test_dead_letters_follow_the_filters_of_their_page():
    letter = dead_letter()

    assert list(bulk_letters.dead_letters(QueryDict("consumer=audit&failure=store_away"))) == [letter]
    assert list(bulk_letters.dead_letters(QueryDict("consumer=notification"))) == []
