import pytest
from django.urls import reverse

from work import pipelines
from work.models import Decision, PeriodicRun, PipelinePause

pytestmark = pytest.mark.django_db


def test_overview_counts_what_waits_and_what_was_refused(as_operator, rows):
    PeriodicRun.objects.create(name="sweep", slot="2026-01-01T00:00Z")
    rows.refused(2)

    shown = as_operator.get(reverse("pipelines")).context["rows"]

    (row,) = (row for row in shown if row.pipeline.name == "periodic")
    assert (row.waiting, row.due, row.running, row.asking, row.refused, row.cap) == (1, 1, 0, 0, 2, None)


def test_overview_counts_failed_apart_from_died(as_operator, rows):
    _, died = rows.attempts(2)
    type(died).objects.filter(pk=died.pk).update(outcome="died")

    (row,) = (
        row
        for row in as_operator.get(reverse("pipelines")).context["rows"]
        if row.pipeline.name == "periodic"
    )

    assert (row.failed, row.gave_no_answer, row.tried_again) == (1, 1, 0)


def test_pause_needs_a_reason_and_is_shown_to_everybody_after(as_operator, operator):
    url = reverse("pipeline_pause", args=["periodic"])

    assert as_operator.post(url, {"why": ""}).status_code == 422
    text = as_operator.post(url, {"why": "disk full"}, follow=True).content.decode()

    held = PipelinePause.objects.get(pipeline="periodic")
    assert (held.paused_by, held.reason) == (operator, "disk full")
    assert "Periodic jobs are paused" in text
    assert "disk full" in text


def test_pause_twice_says_that_it_is_paused(as_operator):
    url = reverse("pipeline_pause", args=["periodic"])
    as_operator.post(url, {"why": "disk full"})

    text = as_operator.post(url, {"why": "again"}, follow=True).content.decode()

    assert "It is now paused" in text


def test_resume_ends_the_pause_and_keeps_the_story(as_operator):
    as_operator.post(reverse("pipeline_pause", args=["periodic"]), {"why": "disk full"})

    as_operator.post(reverse("pipeline_resume", args=["periodic"]), {"why": "disk exchanged"})

    assert not PipelinePause.objects.exists()
    told = Decision.objects.order_by("pk").values_list("what", "why")
    assert list(told) == [("pipeline.paused", "disk full"), ("pipeline.resumed", "disk exchanged")]


@pytest.mark.parametrize("pipeline", [each.name for each in pipelines.every()])
def test_each_pipeline_has_a_page(as_operator, pipeline):
    assert as_operator.get(reverse("pipeline", args=[pipeline])).status_code == 200


def test_unknown_pipeline_is_404(as_operator):
    assert as_operator.get(reverse("pipeline", args=["unknown"])).status_code == 404


def test_pipeline_lists_what_moves(as_operator):
    run = PeriodicRun.objects.create(name="sweep", slot="2026-01-01T00:00Z")

    assert as_operator.get(reverse("pipeline", args=["periodic"])).context["moving"] == [run]
