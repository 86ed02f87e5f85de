import pytest
from django.urls import reverse
from django.utils import timezone

from work.models import Decision, PeriodicRun

pytestmark = pytest.mark.django_db


def start(browser, why="the disk was full", name="sweep"):
    return browser.post(reverse("periodic_start", args=[name]), {"why": why}, follow=True)


def test_job_page_shows_its_slots_and_what_they_did(as_operator, rows):
    rows.runs(2)

    text = as_operator.get(reverse("periodic_job", args=["sweep"])).content.decode()

    assert text.count("Succeeded") >= 2
    assert "rang" in text


def test_jobs_say_since_when_one_fails(as_operator, rows):
    rows.runs(1, state="failed", did="", failure_code="store_away")

    text = as_operator.get(reverse("periodic_jobs")).content.decode()

    assert "1 of" in text
    assert "failing since" in text


def test_start_needs_a_reason(as_operator):
    asked = as_operator.get(reverse("periodic_start", args=["sweep"]))
    refused = as_operator.post(reverse("periodic_start", args=["sweep"]), {"why": " "})

    assert (asked.status_code, refused.status_code) == (200, 422)
    assert not PeriodicRun.objects.exists()


def test_start_makes_a_run_with_who_and_why(as_operator, operator):
    text = start(as_operator).content.decode()

    run = PeriodicRun.objects.get()
    decision = Decision.objects.get(what="periodic.started")
    assert (run.trigger, run.requested_by) == ("person", operator)
    assert (decision.why, decision.by) == ("the disk was full", operator)
    assert "is accepted" in text


def test_start_while_a_run_is_unfinished_says_so(as_operator):
    start(as_operator)

    text = start(as_operator).content.decode()

    assert PeriodicRun.objects.count() == 1
    assert "Nothing was changed" in text


def test_start_of_an_unknown_job_is_404(as_operator):
    assert as_operator.get(reverse("periodic_start", args=["unknown"])).status_code == 404


def test_run_page_tells_attempts_died_apart_from_failed(as_operator, rows):
    (run,) = rows.runs(1)
    _, died = rows.attempts(2, subject=run.pk)
    type(died).objects.filter(pk=died.pk).update(outcome="died", code="no_answer")
    rows.refused(1, subject=run.pk)

    text = as_operator.get(reverse("periodic_run", args=[run.pk])).content.decode()

    assert "2 starts, 1 failed by an error, 1 died without an answer" in text
    assert "Late writes refused" in text
    assert "host:7" in text


def test_waiting_run_says_why_and_reads_itself_again(as_operator):
    run = PeriodicRun.objects.create(name="sweep", slot=timezone.now())

    text = as_operator.get(reverse("periodic_run", args=[run.pk])).content.decode()

    assert "No worker has been seen yet." in text
    assert 'hx-trigger="every 5s' in text


def test_ended_run_is_not_read_again(as_operator, rows):
    (run,) = rows.runs(1)

    assert (
        'hx-trigger="every 5s' not in as_operator.get(reverse("periodic_run", args=[run.pk])).content.decode()
    )


def test_interval_grows_with_the_readings(as_operator):
    def interval(number):
        answer = as_operator.get(reverse("periodic_jobs"), HTTP_HX_REQUEST="true", HTTP_X_READING=number)
        return answer.content.decode().split('hx-trigger="every ')[1].split("s")[0]

    assert [interval(number) for number in ("0", "20", "99", "nonsense")] == ["5", "15", "60", "5"]
