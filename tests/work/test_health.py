"""Hung, busy, silent, healthy: told by canaries and workers' rows, by the database's clock."""

import datetime as dt
import uuid

import pytest
from django.db.models.functions import Now

from work import canaries, health
from work.models import Canary, Worker
from work.pipelines import GROUND, PIPELINES

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_else(db):
    """The heart of an earlier test in this process has committed a row of its own."""
    Worker.objects.all().delete()


def ago(seconds):
    return Now() - dt.timedelta(seconds=seconds)


def worker(cluster=PIPELINES, **columns):
    return Worker.objects.create(id=uuid.uuid4(), cluster=cluster, label="host:1", **columns)


def canary(cluster=PIPELINES, **columns):
    Canary.objects.update_or_create(cluster=cluster, defaults=columns)


def state(cluster=PIPELINES):
    return health.cluster_health(cluster).state


def test_cluster_with_idle_workers_and_a_fresh_canary_is_healthy():
    worker()
    canary(passed_at=ago(10))

    assert state() == "healthy"


def test_old_canary_and_idle_workers_are_hung():
    worker()
    canary(passed_at=ago(200), waiting_since=ago(130))

    assert state() == "hung"
    assert health.cluster_is_hung(PIPELINES)


def test_busy_cluster_is_never_hung_however_old_its_canary():
    worker(busy_since=ago(4000), took_at=ago(5))
    canary(passed_at=ago(5000), waiting_since=ago(4000))

    found = health.cluster_health(PIPELINES)
    assert (found.state, found.busy) == ("busy", 1)
    assert found.busy_since is not None


def test_worker_that_renewed_nothing_for_long_does_not_hide_a_hang():
    worker(busy_since=ago(500), took_at=ago(300))
    canary(waiting_since=ago(130))

    assert health.cluster_is_hung(PIPELINES)


def test_one_free_worker_makes_no_busy_cluster():
    worker(busy_since=ago(4), took_at=ago(1))
    worker()
    canary(passed_at=ago(10))

    assert state() == "healthy"


def test_canary_that_waits_a_little_is_no_hang():
    worker()
    canary(waiting_since=ago(60))

    assert not health.cluster_is_hung(PIPELINES)


def test_ground_that_sends_no_canaries_any_more_is_hung():
    """The ground sends them for all: when it freezes right after one has passed, none waits."""
    canary(GROUND, passed_at=ago(130))
    canary(PIPELINES, passed_at=ago(130))

    assert health.cluster_is_hung(GROUND)
    assert not health.cluster_is_hung(PIPELINES)


def test_cluster_that_has_just_started_is_not_judged_by_the_one_before():
    canary(GROUND, passed_at=ago(500), waiting_since=ago(400))

    canaries.start(GROUND)

    assert not health.cluster_is_hung(GROUND)


@pytest.mark.parametrize(
    "columns",
    [{"seen_at": ago(100)}, {"stopped_at": Now()}, {"cluster": GROUND}],
    ids=["silent", "stopped", "other"],
)
def test_workers_that_do_not_count(columns):
    worker(**columns)
    canary(passed_at=ago(1))

    assert state() == "silent"


def test_cluster_without_a_canary_is_unknown():
    worker()

    assert state() == "unknown"


def test_every_cluster_is_told_of():
    assert [found.cluster for found in health.clusters()] == [GROUND, PIPELINES]


def test_passing_canary_ends_its_waiting():
    canaries.send(PIPELINES)
    assert Canary.objects.get(cluster=PIPELINES).waiting_since is not None

    canaries.passed(PIPELINES)

    found = Canary.objects.get(cluster=PIPELINES)
    assert found.waiting_since is None
    assert found.passed_at is not None


def test_oldest_canary_that_has_not_passed_is_kept():
    canary(waiting_since=ago(60))
    before = Canary.objects.get(cluster=PIPELINES).waiting_since

    canaries.send(PIPELINES)

    assert Canary.objects.get(cluster=PIPELINES).waiting_since == before
