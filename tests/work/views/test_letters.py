import pytest
from django.urls import reverse

from work.models import Decision, Delivery, DeliveryState

pytestmark = pytest.mark.django_db


@pytest.fixture
def letter(rows):
    return rows.letters()[0]


def state_of(letter):
    return Delivery.objects.get(pk=letter.pk).state


def test_list_is_narrowed_by_its_filters(as_operator, letter):
    shown = as_operator.get(reverse("dead_letters"), {"consumer": "audit", "failure": "store_away"})
    hidden = as_operator.get(reverse("dead_letters"), {"consumer": "notification"})

    assert str(letter.pk) in shown.content.decode()
    assert str(letter.pk) not in hidden.content.decode()


def test_letter_shows_why_and_the_other_consumers(as_operator, letter):
    text = as_operator.get(reverse("dead_letter", args=[letter.pk])).content.decode()

    assert "audit did not take upload.processed" in text
    assert "store_away" in text
    assert "notification" in text


def test_replay_needs_a_reason_then_makes_it_due(as_operator, letter):
    url = reverse("dead_letter_replay", args=[letter.pk])
    without = as_operator.post(url, {"why": ""})

    assert (without.status_code, state_of(letter)) == (422, DeliveryState.DEAD)
    as_operator.post(url, {"why": "the store is back"})
    assert state_of(letter) == DeliveryState.PENDING
    assert Decision.objects.get(what="delivery.replayed").why == "the store is back"


def test_discard_ends_it_with_the_reason(as_operator, operator, letter):
    as_operator.post(reverse("dead_letter_discarding", args=[letter.pk]), {"why": "made by a test"})

    decision = Decision.objects.get(what="delivery.discarded")
    assert state_of(letter) == DeliveryState.DISCARDED
    assert (decision.why, decision.by) == ("made by a test", operator)


def test_second_decision_says_that_somebody_was_faster(as_operator, letter):
    as_operator.post(reverse("dead_letter_discarding", args=[letter.pk]), {"why": "once"})

    text = as_operator.post(
        reverse("dead_letter_replay", args=[letter.pk]), {"why": "twice"}, follow=True
    ).content.decode()

    assert "It is now discarded" in text
    assert Decision.objects.count() == 1


def test_letter_is_not_for_members(as_member, letter):
    assert as_member.get(reverse("dead_letter", args=[letter.pk])).status_code == 403
    assert as_member.post(reverse("dead_letter_replay", args=[letter.pk]), {"why": "x"}).status_code == 403
    assert state_of(letter) == DeliveryState.DEAD
