import pytest
from django.db import transaction

from tests.factories import OrganisationFactory, UserFactory
from work import correlation, decisions
from work.models import Decision, Event

pytestmark = pytest.mark.django_db


def test_a_decision_keeps_who_what_why_and_what_was_shown():
    organisation, user = OrganisationFactory(), UserFactory(username="ann")

    with correlation.bound("action-12345"):
        decision = decisions.record(
            "upload.cancelled", by=user, kind="upload", subject=organisation, label="stations.csv",
            organisation=organisation, why="wrong file", shown={"state": "processing"},
            rule={"filter": {"state": "accepted"}}, before={"rows": 3}, after={"rows": 0},
        )  # fmt: skip

    decision.refresh_from_db()
    assert (decision.by, decision.by_label, decision.why) == (user, "ann", "wrong file")
    assert (decision.shown, decision.before, decision.after) == (
        {"state": "processing"},
        {"rows": 3},
        {"rows": 0},
    )
    assert decision.rule == {"filter": {"state": "accepted"}}
    assert decision.correlation_id == "action-12345"


def test_a_decision_makes_its_event_in_the_same_transaction():
    decision = decisions.record(
        "pipeline.paused", by="the system", kind="pipeline", subject="upload", why="x"
    )

    event = Event.objects.get()
    assert (event.type, event.subject_id, event.actor) == ("pipeline.paused", "upload", "the system")
    assert event.payload["decision"] == str(decision.pk)
    assert decision.by is None


def test_a_decision_goes_with_the_change_it_belongs_to():
    with transaction.atomic():
        decisions.record("pipeline.paused", by="x", kind="pipeline")
        transaction.set_rollback(True)

    assert not Decision.objects.exists()
    assert not Event.objects.exists()


def test_a_decision_outlives_the_person():
    user = UserFactory(username="ann")
    decisions.record("pipeline.paused", by=user, kind="pipeline")

    user.delete()

    assert Decision.objects.get().by_label == "ann"
