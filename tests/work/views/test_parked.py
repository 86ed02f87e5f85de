import pytest
from django.urls import reverse
from django.utils import timezone

from work.models import Decision, PeriodicRun
from work.recovery import PARKED

pytestmark = pytest.mark.django_db


@pytest.fixture
def parked(db):
    return PeriodicRun.objects.create(
        name="sweep", slot=timezone.now(), state="running", due_at=None, asked_at=timezone.now(),
        question=PARKED, starts=3, unanswered=3,
    )  # fmt: skip


def url(name, row):
    return reverse(name, args=["periodic", row.pk])


def test_page_shows_the_evidence_and_both_ways(as_operator, parked):
    text = as_operator.get(url("parked_row", parked)).content.decode()

    assert "Recovery could not free" in text
    assert "3, 3 without an answer" in text
    assert url("parked_retry", parked) in text
    assert url("parked_ending", parked) in text


def test_retry_makes_it_due(as_operator, parked):
    as_operator.post(url("parked_retry", parked), {"why": "mended"})

    parked.refresh_from_db()
    assert (parked.state, parked.unanswered, parked.asked_at) == ("waiting", 0, None)
    assert Decision.objects.get(what="work.retried").why == "mended"


def test_ending_fails_it(as_operator, parked):
    as_operator.post(url("parked_ending", parked), {"why": "hopeless"})

    parked.refresh_from_db()
    assert parked.state == "failed"


def test_a_row_that_is_not_parked_is_404(as_operator, rows):
    (run,) = rows.runs(1)

    assert as_operator.get(url("parked_row", run)).status_code == 404
    assert as_operator.get(reverse("parked_row", args=["unknown", run.pk])).status_code == 404
