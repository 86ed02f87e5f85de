import pytest
from django.urls import reverse

from work import invariants
from work.invariants import Breach, Invariant
from work.models import InvariantRun

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def two_invariants(monkeypatch):
    held = Invariant("held", "This holds", lambda deep: [])
    broken = Invariant(
        "broken", "This does not hold", lambda deep: [Breach("row 7", "It stands on its head.")]
    )
    monkeypatch.setattr(invariants, "_registered", {"held": held, "broken": broken})


def test_page_before_any_run_says_so(as_operator):
    text = as_operator.get(reverse("invariants")).content.decode()

    assert "were not checked yet" in text
    assert "deep: never" in text


def test_quick_run_is_kept_and_shows_breaches_first(as_operator):
    text = as_operator.post(reverse("invariants_quick_run"), follow=True).content.decode()

    run = InvariantRun.objects.get()
    assert (run.broken, run.requested_by_label) == (1, "operator")
    assert "1 of 2 invariants do not hold" in text
    assert "It stands on its head." in text
    assert text.index("This does not hold") < text.index("This holds")


def test_deep_run_is_accepted_once(as_operator):
    first = as_operator.post(reverse("invariants_deep_run"), follow=True).content.decode()
    second = as_operator.post(reverse("invariants_deep_run"), follow=True).content.decode()

    assert InvariantRun.objects.filter(is_deep=True).count() == 1
    assert "is accepted" in first
    assert "Nothing was changed" in second
    assert "No worker has been seen yet." in second


def test_runs_are_not_for_members(as_member):
    assert as_member.post(reverse("invariants_quick_run")).status_code == 403
    assert as_member.post(reverse("invariants_deep_run")).status_code == 403
