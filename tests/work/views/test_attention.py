import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.factories import UserFactory
from tests.work.views.conftest import signed_in
from work import attention
from work.models import CaseClaim

pytestmark = pytest.mark.django_db


def claim(browser, case, **more):
    return browser.post(
        reverse("attention_claim"), {"case": case, "next": "/attention/?kind=dead_letter"} | more
    )


@pytest.fixture
def case(rows):
    return f"dead_letter:{rows.letters()[0].pk}"


def test_list_shows_question_evidence_and_decision(as_operator, case):
    text = as_operator.get(reverse("attention")).content.decode()

    assert "3 cases need a person" in text  # with two clusters that have no workers here
    assert "Deliver it again, or discard it?" in text
    assert "store_away" in text


def test_list_is_narrowed_by_kind(as_operator, case):
    text = as_operator.get(reverse("attention"), {"kind": "invariant"}).content.decode()

    assert "Deliver it again" not in text


def test_list_is_narrowed_by_organisation(as_operator, case, organisation):
    other = type(organisation).objects.create(slug="other", title="Other")
    shown = as_operator.get(reverse("attention"), {"organisation": organisation.slug}).content.decode()
    hidden = as_operator.get(reverse("attention"), {"organisation": other.slug}).content.decode()

    assert "Deliver it again" in shown
    assert "Deliver it again" not in hidden


def test_member_sees_no_case_of_operators(as_member, case):
    assert "Nothing needs a person" in as_member.get(reverse("attention")).content.decode()


def test_claim_is_shown_to_others_and_leads_back(as_operator, operator, case):
    answer = claim(as_operator, case)

    assert answer["Location"] == "/attention/?kind=dead_letter"
    held = CaseClaim.objects.get(case=case)
    assert held.by == operator
    assert dt.timedelta(minutes=14) < held.until - timezone.now() < dt.timedelta(minutes=16)
    other = signed_in(UserFactory(operator=True))
    assert "is on it until" in other.get(reverse("attention")).content.decode()


def test_claim_of_a_claimed_case_says_who_is_on_it(as_operator, operator, case):
    claim(as_operator, case)
    other = UserFactory(operator=True)

    text = (
        signed_in(other)
        .post(reverse("attention_claim"), {"case": case, "next": "/attention/"}, follow=True)
        .content.decode()
    )

    assert "operator is on this case already" in text
    assert CaseClaim.objects.get(case=case).by == operator


def test_leave_gives_the_own_claim_back(as_operator, case):
    claim(as_operator, case)

    claim(as_operator, case, leave="1")

    assert not CaseClaim.objects.exists()


def test_claim_of_a_case_one_does_not_see_changes_nothing(as_member, case):
    claim(as_member, case)

    assert not CaseClaim.objects.exists()


def test_claim_leads_to_no_foreign_address(as_operator, case):
    answer = claim(as_operator, case, next="//elsewhere.example/")

    assert answer["Location"] == reverse("attention")


def test_claim_of_nonsense_is_refused(as_operator):
    assert claim(as_operator, "nonsense").status_code == 400


def test_counted_at_most_is_said_as_such(as_operator, rows, monkeypatch):
    monkeypatch.setattr(attention, "COUNTED_AT_MOST", 2)
    rows.letters(3)

    assert "2 or more cases need a person" in as_operator.get(reverse("home")).content.decode()
