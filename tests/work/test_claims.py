"""Claims that run at once: exactly one attempt per row, fair between organisations, never above the cap."""

import collections
import datetime as dt
import uuid

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import DatasetFactory, OrganisationFactory, UploadFactory
from work import deliveries, leases
from work.models import Attempt, Delivery, DeliveryState, Event, Worker
from work.pipelines import ALL_BUT_ONE, PIPELINES, Limits

pytestmark = pytest.mark.django_db


def many(dataset, count):
    """Accepted uploads in one statement."""
    made = [UploadFactory.build(dataset=dataset, organisation=dataset.organisation) for _ in range(count)]
    return Upload.objects.bulk_create(made)


def claim_until_nothing_is_left(pipeline):
    claimed = []
    while lease := leases.claim_next(pipeline):
        claimed.append(lease)
    return claimed


@pytest.mark.django_db(transaction=True)
def test_a_thousand_rows_are_claimed_by_eight_at_once_exactly_once(pipeline, at_once):
    wanted = {upload.pk for _ in range(5) for upload in many(DatasetFactory(), 200)}

    taken = at_once(*[lambda: claim_until_nothing_is_left(pipeline)] * 8)

    claimed = [lease.row.pk for leases_of_one in taken for lease in leases_of_one]
    assert len(claimed) == 1000
    assert set(claimed) == wanted
    assert Attempt.objects.filter(ended_at__isnull=True).count() == 1000
    assert set(Upload.objects.values_list("starts", flat=True)) == {1}


@pytest.mark.django_db(transaction=True)
def test_rows_released_and_claimed_by_many_at_once_are_never_held_twice(pipeline, at_once):
    many(DatasetFactory(), 40)
    held, twice = set(), []

    def work():
        for _ in range(60):
            lease = leases.claim_next(pipeline)
            if lease is None:
                continue
            if lease.row.pk in held:
                twice.append(lease.row.pk)
            held.add(lease.row.pk)
            held.discard(lease.row.pk)
            leases.release(lease, leases.Account(leases.Outcome.POSTPONED), due_in=0, postponed=True)

    at_once(*[work] * 6)

    assert twice == []
    assert not Attempt.objects.filter(ended_at__isnull=True).exists()


def test_a_big_organisation_gets_no_more_than_its_turn(pipeline):
    big = DatasetFactory()
    many(big, 200)
    for _ in range(4):
        many(DatasetFactory(), 10)

    served = collections.Counter()
    for _ in range(50):
        lease = leases.claim_next(pipeline)
        served[lease.row.organisation_id] += 1
        with transaction.atomic():
            leases.finish(lease, state=UploadState.FAILED)

    assert set(served.values()) == {10}


def test_an_organisation_with_less_running_comes_first(pipeline):
    busy, idle = DatasetFactory(), DatasetFactory()
    many(busy, 2)
    leases.claim_next(pipeline)
    many(idle, 1)

    assert leases.claim_next(pipeline).row.organisation_id == idle.organisation_id


def test_what_is_not_due_yet_hides_no_other_organisation(pipeline):
    later = many(DatasetFactory(), 1)[0]
    now = many(DatasetFactory(), 1)[0]
    Upload.objects.filter(pk=later.pk).update(due_at=Now() + dt.timedelta(hours=1))

    assert [lease.row.pk for lease in claim_until_nothing_is_left(pipeline)] == [now.pk]


@pytest.mark.parametrize("cap", [1, 3])
@pytest.mark.django_db(transaction=True)
def test_cap_holds_exactly_when_all_start_at_once(with_steps, at_once, cap):
    pipeline = with_steps(limits=Limits(running=cap))
    many(DatasetFactory(), 20)

    taken = at_once(*[lambda: leases.claim_next(pipeline)] * 8)

    assert sum(lease is not None for lease in taken) == cap


def worker(**columns):
    return Worker.objects.create(id=uuid.uuid4(), cluster=PIPELINES, label="host:1", **columns)


@pytest.mark.parametrize(("alive", "cap"), [(0, 1), (1, 1), (2, 1), (4, 3)])
def test_default_cap_leaves_one_worker_free(with_steps, alive, cap):
    pipeline = with_steps(limits=Limits(running=ALL_BUT_ONE))
    many(DatasetFactory(), 6)
    for _ in range(alive):
        worker()
    worker(stopped_at=Now())
    worker(seen_at=Now() - dt.timedelta(minutes=2))
    Worker.objects.create(id=uuid.uuid4(), cluster="ground", label="host:2")

    assert len(claim_until_nothing_is_left(pipeline)) == cap


def test_an_expired_lease_takes_no_room_under_the_cap(with_steps, expire):
    pipeline = with_steps(limits=Limits(running=1))
    many(DatasetFactory(), 2)
    expire(leases.claim_next(pipeline).row)

    assert leases.claim_next(pipeline) is not None


def test_backlog_longer_than_a_lease_is_started_once(pipeline):
    """Waiting rows are under no lease, so nothing runs out while they wait."""
    uploads = many(DatasetFactory(), 5)
    Upload.objects.update(due_at=Now() - dt.timedelta(days=2), accepted_at=Now() - dt.timedelta(days=2))

    assert len(claim_until_nothing_is_left(pipeline)) == len(uploads)
    assert set(Upload.objects.values_list("starts", flat=True)) == {1}


def test_a_row_with_three_unanswered_claims_stops_no_claim_of_others(pipeline):
    """Recovery ends such rows; one that was made due by hand must not break the claim on the constraint."""
    stuck, _ = many(DatasetFactory(), 2)
    Upload.objects.filter(pk=stuck.pk).update(starts=3, unanswered=3)

    assert len(claim_until_nothing_is_left(pipeline)) == 2


@pytest.mark.django_db(transaction=True)
def test_claim_commits_on_its_own_and_refuses_to_nest(pipeline):
    many(DatasetFactory(), 1)

    with pytest.raises(RuntimeError), transaction.atomic():
        leases.claim_next(pipeline)


def test_pipeline_without_a_way_into_running_is_an_error_in_the_code(pipeline, with_steps):
    with pytest.raises(ValueError, match="could not be claimed"):
        with_steps(moves={**pipeline.moves, UploadState.ACCEPTED: ()})
    with pytest.raises(ValueError, match="out of a terminal state"):
        with_steps(moves={**pipeline.moves, UploadState.FAILED: (UploadState.ACCEPTED,)})


def test_claim_walks_the_index_of_what_waits(pipeline):
    """However long one organisation's queue is, a claim probes; it never reads the queue."""
    many(DatasetFactory(), 800)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ingestion_upload")
        cursor.execute(
            "SELECT seq_scan, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'ingestion_upload'"
        )
        before = cursor.fetchone()
        leases.claim_next(pipeline)
        cursor.execute(
            "SELECT seq_scan, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'ingestion_upload'"
        )
        after = cursor.fetchone()

    assert before == after


def test_plain_claims_of_tables_without_organisations_are_oldest_first():
    organisation = OrganisationFactory()
    event = Event.objects.create(type="x.y", organisation=organisation, subject_kind="x", subject_id="1")
    first, second = (
        Delivery.objects.create(event=event, consumer=name, state=DeliveryState.PENDING) for name in "ab"
    )
    Delivery.objects.filter(pk=second.pk).update(due_at=Now() - dt.timedelta(hours=1))

    assert [leases.claim_next(deliveries.PIPELINE).row.pk for _ in range(2)] == [second.pk, first.pk]
