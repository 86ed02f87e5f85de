"""Holding a pipeline back: claims stop at once, what runs goes on, and the decision is kept."""

import pytest

from tests.factories import UploadFactory, UserFactory
from work import doorbell, leases, pauses
from work.failures import StateChanged
from work.models import Decision, Event, PipelinePause

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator():
    return UserFactory(operator=True, username="olga")


def test_paused_pipeline_claims_nothing_and_resumed_it_does(pipeline, operator):
    UploadFactory()

    pauses.pause(pipeline=pipeline, by=operator, why="maintenance")
    assert leases.claim_next(pipeline) is None

    pauses.resume(pipeline=pipeline, by=operator, why="done")
    assert leases.claim_next(pipeline) is not None


def test_running_row_is_not_touched(pipeline, operator):
    UploadFactory()
    lease = leases.claim_next(pipeline)

    pauses.pause(pipeline=pipeline, by=operator, why="maintenance")

    lease.row.refresh_from_db()
    assert lease.row.lease_token == lease.token


def test_accepting_goes_on(pipeline, operator):
    pauses.pause(pipeline=pipeline, by=operator, why="maintenance")

    assert UploadFactory().due_at is not None


def test_decisions_keep_who_why_and_how_much_waited(pipeline, operator):
    UploadFactory()
    pauses.pause(pipeline=pipeline, by=operator, why="maintenance")
    pauses.resume(pipeline=pipeline, by=operator, why="done")

    paused, resumed = Decision.objects.order_by("pk")
    assert (paused.what, paused.by, paused.why, paused.shown) == (
        "pipeline.paused", operator, "maintenance", {"waiting": 1},
    )  # fmt: skip
    assert resumed.what == "pipeline.resumed"
    assert set(Event.objects.values_list("type", flat=True)) == {"pipeline.paused", "pipeline.resumed"}


def test_second_pause_and_second_resume_are_told_so(pipeline, operator):
    pauses.pause(pipeline=pipeline, by=operator, why="maintenance")
    with pytest.raises(StateChanged):
        pauses.pause(pipeline=pipeline, by="another", why="me too")
    assert PipelinePause.objects.get().reason == "maintenance"

    pauses.resume(pipeline=pipeline, by=operator, why="done")
    with pytest.raises(StateChanged):
        pauses.resume(pipeline=pipeline, by=operator, why="done")


def test_two_operators_at_once_make_one_pause(pipeline):
    """The primary key is the lock; see the second operator's answer above."""
    pauses.pause(pipeline=pipeline, by="one", why="x")

    assert PipelinePause.objects.count() == 1


def test_resuming_rings(pipeline, operator, monkeypatch):
    rung = []
    monkeypatch.setattr(doorbell, "ring", rung.append)
    pauses.pause(pipeline=pipeline, by=operator, why="maintenance")

    pauses.resume(pipeline=pipeline, by=operator, why="done")

    assert pipeline.cluster in rung
