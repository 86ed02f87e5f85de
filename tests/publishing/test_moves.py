"""A publication under one lease: it advances, waits in a state of its own, goes back, leaves a failure."""

import datetime as dt

import pytest
from django.db import connection, transaction

from publishing import failing
from publishing.models import Failure, Publication
from publishing.states import PUBLICATION_MOVES, PUBLICATION_TERMINAL, PublicationState
from tests.factories import PublicationFactory
from work import leases, recovery, runner
from work.failures import ForbiddenMove, LeaseLost, PermanentFailure, Postponed, TemporaryFailure
from work.models import Attempt
from work.models.leased import MAX_UNANSWERED
from work.pipelines import Ending, Pipeline, Step

pytestmark = pytest.mark.django_db(transaction=True)


def failed(publication, code, detail):
    failing.keep(publication, code, detail)
    return Ending(PublicationState.FAILED)


def pipeline_of(step):
    return Pipeline(
        name="publication",
        title="Publications",
        model=Publication,
        steps=(Step("get_data", step),),
        initial=PublicationState.REQUESTED,
        running=PublicationState.GET_DATA,
        also_running=(PublicationState.PERSIST_DATA,),
        terminal=PUBLICATION_TERMINAL,
        on_failure=failed,
        after_failure=failing.remove,
        moves=PUBLICATION_MOVES,
    )


def advance(job, state):
    with transaction.atomic():
        job.advance(state=state, fields={"round": 2})


def run(step):
    """A publication, claimed and run through the one step: its row as it stands then, or None."""
    publication = PublicationFactory()
    lease = leases.claim_next(pipeline_of(step))
    runner.run(lease)
    return Publication.objects.filter(pk=publication.pk).first()


def test_it_advances_under_its_lease_and_is_kept_by_it():
    seen = []

    def step(job, context):
        advance(job, PublicationState.PERSIST_DATA)
        seen.append(Publication.objects.values("state", "lease_token", "round").get(pk=job.row.pk))
        raise Postponed("not yet", dt.timedelta(seconds=60))

    run(step)
    (then,) = seen
    assert (then["state"], then["round"]) == (PublicationState.PERSIST_DATA, 2)
    assert then["lease_token"] is not None


@pytest.mark.parametrize("failure", [TemporaryFailure("store_unavailable"), RuntimeError("unforeseen")])
def test_given_up_for_now_in_a_later_state_it_is_requested_again(failure):
    def step(job, context):
        advance(job, PublicationState.PERSIST_DATA)
        raise failure

    row = run(step)
    assert (row.state, row.lease_token) == (PublicationState.REQUESTED, None)
    assert row.due_at is not None


def test_it_waits_for_others_in_a_state_of_its_own():
    def step(job, context):
        raise Postponed("export_in_progress", dt.timedelta(seconds=60), state=PublicationState.GET_DATA)

    row = run(step)
    assert (row.state, row.postponed, row.unanswered) == (PublicationState.GET_DATA, 1, 0)


def test_a_late_worker_does_not_advance_it():
    def step(job, context):
        Publication.objects.filter(pk=job.row.pk).update(lease_token="0190b0a0-0000-7000-8000-000000000000")
        with pytest.raises(LeaseLost):
            advance(job, PublicationState.PERSIST_DATA)
        raise LeaseLost("taken", tried="advance")

    row = run(step)
    assert (row.state, row.round) == (PublicationState.GET_DATA, 1)


def test_it_advances_by_an_arrow_of_its_machine_only():
    def step(job, context):
        with pytest.raises(ForbiddenMove):
            advance(job, PublicationState.PUBLISHED)
        raise Postponed("not yet", dt.timedelta(seconds=60))

    run(step)


def test_a_failure_takes_its_place_with_every_attempt():
    def step(job, context):
        raise PermanentFailure("metadata_invalid", field="title")

    assert run(step) is None
    failure = Failure.objects.get()
    assert (failure.code, failure.detail, failure.step) == (
        "metadata_invalid", {"field": "title"}, "get_data",
    )  # fmt: skip
    (attempt,) = failure.attempts
    assert (attempt["number"], attempt["outcome"], attempt["code"]) == (1, "failed", "metadata_invalid")
    assert "PermanentFailure" in attempt["traceback"]


@pytest.mark.parametrize(
    ("unanswered", "state"),
    [(1, PublicationState.REQUESTED), (MAX_UNANSWERED, None)],
)
def test_recovery_requests_again_or_leaves_a_failure(unanswered, state):
    pipeline = pipeline_of(lambda job, context: None)
    publication = PublicationFactory()
    leases.claim_next(pipeline)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE publishing_publication SET state = 'persist_data', starts = 3, unanswered = %s,"
            " locked_until = now() - interval '1 hour'",
            [unanswered],
        )
    recovery.recover(pipeline)
    found = Publication.objects.filter(pk=publication.pk).values_list("state", flat=True).first()
    assert found == state
    assert Attempt.objects.get(subject=publication.pk).outcome == "died"
    if state is None:
        failure = Failure.objects.get(pk=publication.pk)
        assert (failure.code, failure.attempts[0]["outcome"]) == ("worker_died_repeatedly", "died")
