import pytest
from django.urls import reverse

from work import failure_texts
from work.models import Attempt

pytestmark = pytest.mark.django_db


def test_failures_are_grouped_and_lead_to_an_example(as_operator, rows):
    rows.attempts(3)

    listed = as_operator.get(reverse("failures"))
    shown = as_operator.get(reverse("failure", args=["f" * 32])).content.decode()

    assert [group.number for group, _ in listed.context["groups"]] == [3]
    assert "ValueError" in shown
    assert "Seen 3 times on 3 rows" in shown


def test_group_of_failures_is_listed_whatever_its_sentence_names(as_operator, rows):
    failure_texts.register({"too_wide": ("There are {columns:,} columns in {sheet}.", "Split it.")})
    rows.attempts(1)
    Attempt.objects.update(code="too_wide")

    listed = as_operator.get(reverse("failures"))

    assert "There are … columns in …." in listed.content.decode()


def test_failures_are_narrowed_by_pipeline(as_operator, rows):
    rows.attempts(1)

    other = as_operator.get(reverse("failures"), {"pipeline": "delivery", "within": "24"})

    assert other.context["groups"] == []


def test_unknown_failure_is_404(as_operator):
    assert as_operator.get(reverse("failure", args=["unknown"])).status_code == 404


def test_tracebacks_are_not_for_members(as_member, rows):
    rows.attempts(1)

    assert as_member.get(reverse("failure", args=["f" * 32])).status_code == 403
