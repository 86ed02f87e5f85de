import uuid

import pytest
from django.db import transaction
from django.urls import reverse

from tests.factories import UploadFactory, UserFactory
from work import bulk, leases, runner
from work.bulk_pipeline import PIPELINE
from work.models import BulkAction, BulkOutcome, BulkState, Delivery, DeliveryState

pytestmark = pytest.mark.django_db
REPLAY = "delivery.replay"


def preview(browser, action=REPLAY, **chosen):
    return browser.post(reverse("bulk_preview", args=[action]), chosen)


def confirm(browser, action=REPLAY, **given):
    given = {"key": uuid.uuid4(), "why": "the store is back"} | given
    return browser.post(reverse("bulk_confirmation", args=[action]), given)


def test_preview_of_chosen_rows_counts_and_changes_nothing(as_operator, rows):
    dead, decided = rows.letters(2)
    Delivery.objects.filter(pk=decided.pk).update(
        state=DeliveryState.DISCARDED, asked_at=None, question=None, finished_at=dead.asked_at
    )

    text = preview(as_operator, chosen=[dead.pk, decided.pk]).content.decode()

    assert "2 match, 1 not eligible: 1 discarded" in text
    assert "Replay 1 row" in text
    assert not BulkAction.objects.exists()


def test_preview_of_everything_that_matches_follows_the_filters(as_operator, rows):
    rows.letters(3)

    matching = preview(as_operator, all="1", rule="consumer=audit").context["counted"]
    others = preview(as_operator, all="1", rule="consumer=notification").context["counted"]

    assert (matching.matching, others.matching) == (3, 0)


def test_preview_without_a_choice_leads_back(as_operator):
    assert preview(as_operator)["Location"] == reverse("dead_letters")


def test_preview_of_nonsense_is_refused(as_operator):
    assert preview(as_operator, chosen="nonsense").status_code == 400
    assert preview(as_operator, action="unknown", chosen=uuid.uuid4()).status_code == 404


def test_confirmation_needs_a_reason(as_operator, rows):
    (letter,) = rows.letters(1)

    answer = confirm(as_operator, chosen=[letter.pk], why="")

    assert answer.status_code == 422
    assert str(letter.pk) in answer.content.decode()
    assert not BulkAction.objects.exists()


def test_confirmation_accepts_and_leads_to_the_action(as_operator, operator, rows):
    rows.letters(2)

    answer = confirm(as_operator, all="1", rule="consumer=audit")

    action = BulkAction.objects.get()
    assert answer["Location"] == reverse("bulk_action", args=[action.pk])
    assert (action.requested_by, action.rule) == (operator, {"filter": {"consumer": ["audit"]}})
    assert action.previewed["matching"] == 2


def test_pressing_twice_makes_one_action(as_operator, rows):
    (letter,) = rows.letters(1)
    key = uuid.uuid4()

    first, second = (confirm(as_operator, chosen=[letter.pk], key=key) for _ in range(2))

    assert first["Location"] == second["Location"]
    assert BulkAction.objects.count() == 1


def test_key_of_somebody_elses_action_is_refused(as_operator, rows):
    (action,) = rows.bulk(1)
    BulkAction.objects.filter(pk=action.pk).update(requested_by=UserFactory())
    (letter,) = rows.letters(1)

    assert confirm(as_operator, chosen=[letter.pk], key=action.pk).status_code == 400


@pytest.mark.django_db(transaction=True)
def test_action_page_shows_the_outcome_of_every_row(as_operator, rows):
    with transaction.atomic():
        letters = rows.letters(2)
    confirm(as_operator, chosen=[row.pk for row in letters])
    action = BulkAction.objects.get()
    waiting = as_operator.get(reverse("bulk_action", args=[action.pk])).content.decode()

    runner.run(leases.claim_next(PIPELINE))
    finished = as_operator.get(reverse("bulk_action", args=[action.pk])).content.decode()

    assert "Accepted; no row was touched yet" in waiting
    assert "2 of 2 rows were changed" in finished
    assert finished.count("upload.processed to audit: stations.csv") == 2
    assert 'hx-trigger="every 5s' in waiting
    assert 'hx-trigger="every 5s' not in finished


def test_outcomes_are_narrowed_by_kind(as_operator, rows):
    (action,) = rows.bulk(1, outcomes=2)
    BulkOutcome.objects.create(bulk=action, subject=uuid.uuid4(), label="other", outcome="not_eligible")

    answer = as_operator.get(reverse("bulk_action", args=[action.pk]), {"outcome": "not_eligible"})

    assert [row.label for row in answer.context["list"].items] == ["other"]


def test_cancellation_stops_it_with_a_reason(as_operator, rows):
    (action,) = rows.bulk(1)

    as_operator.post(reverse("bulk_cancellation", args=[action.pk]), {"why": "enough"})

    action.refresh_from_db()
    assert action.state == BulkState.CANCELLED


def test_member_may_not_act_on_dead_letters(as_member, rows):
    (letter,) = rows.letters(1)

    assert preview(as_member, chosen=[letter.pk]).status_code == 403
    assert confirm(as_member, chosen=[letter.pk]).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_member_withdraws_uploads_of_the_own_organisation_only(as_member, organisation):
    mine = UploadFactory(dataset__organisation=organisation)
    foreign = UploadFactory()

    counted = preview(as_member, action="upload.withdraw", chosen=[mine.pk, foreign.pk]).context["counted"]
    confirm(as_member, action="upload.withdraw", chosen=[mine.pk, foreign.pk])
    runner.run(leases.claim_next(PIPELINE))

    mine.refresh_from_db()
    foreign.refresh_from_db()
    assert counted.matching == 1
    assert (mine.state, foreign.state) == ("cancelled", "accepted")


def test_member_sees_own_actions_and_none_of_others(as_member, member, rows):
    mine, foreign = rows.bulk(2)
    BulkAction.objects.filter(pk=mine.pk).update(requested_by=member)

    listed = as_member.get(reverse("bulk")).context["rows"]

    assert [action.pk for action, _, _ in listed] == [mine.pk]
    assert as_member.get(reverse("bulk_action", args=[foreign.pk])).status_code == 404
    assert as_member.post(reverse("bulk_cancellation", args=[foreign.pk]), {"why": "x"}).status_code == 404


def test_at_most_so_many_rows_are_chosen_one_by_one(as_operator, monkeypatch):
    monkeypatch.setattr("work.views.bulk.CHOSEN_AT_MOST", 2)

    assert preview(as_operator, chosen=[uuid.uuid4() for _ in range(3)]).status_code == 400
    assert bulk.CHOSEN_AT_MOST == 3000
