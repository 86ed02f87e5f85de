"""The ledger of periodic jobs: one run per slot, one at a time, one catch-up, nothing that stays dead."""

import datetime as dt

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from tests.factories import UserFactory
from work import calendars, ground_jobs, leases, periodic, recovery, runner, tasks
from work.failures import PermanentFailure, StateChanged
from work.jobs import Job
from work.models import Attempt, Decision, Event, Outcome, PeriodicRun, PeriodicState
from work.periodic import PIPELINE, PeriodicJob

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)
NOW = dt.datetime(2026, 6, 10, 12, 0, 30, tzinfo=dt.UTC)


@pytest.fixture
def only(monkeypatch):
    """These jobs and no others are registered."""

    def register(*jobs):
        monkeypatch.setattr(periodic, "_registered", {})
        for job in jobs:
            periodic.register(job)
        return jobs[0]

    return register


def hourly(function=lambda job: "nothing", **changes):
    return PeriodicJob("hourly", "Hourly", function, **{"every": HOUR, **changes})


def nightly(**changes):
    return PeriodicJob("nightly", "Nightly", lambda job: "done", **{"cron": "0 3 * * *", **changes})


def ran(name, slot):
    return PeriodicRun.objects.create(
        name=name, slot=slot, state=PeriodicState.SUCCEEDED, due_at=None, finished_at=Now()
    )


def ledger():
    return list(PeriodicRun.objects.order_by("slot").values_list("state", "trigger"))


def run_next():
    """Claim and run without a heart, whose connection would see nothing of this test's transaction."""
    lease = leases.claim_next(PIPELINE)
    periodic.run_job(Job(lease), None)
    lease.row.refresh_from_db()
    return lease.row


def test_first_slot_of_a_period_runs_at_once(only):
    run = periodic.plan(only(hourly()), NOW)

    assert (run.slot, run.trigger) == (NOW.replace(minute=0, second=0), "schedule")


def test_first_slot_of_a_calendar_waits_for_its_time(only):
    job = only(nightly())

    assert periodic.plan(job, NOW) is None
    assert ledger() == [("skipped", "schedule")]
    assert periodic.plan(job, NOW + dt.timedelta(hours=15)).slot == dt.datetime(2026, 6, 11, 3, tzinfo=dt.UTC)


def test_slot_is_planned_once(only):
    job = only(hourly())

    assert periodic.plan(job, NOW) is not None
    run_next()
    assert periodic.plan(job, NOW) is None
    assert len(ledger()) == 1


@pytest.mark.django_db(transaction=True)
def test_two_ticks_at_once_plan_one_run(only, at_once):
    job = only(hourly())
    ran("hourly", NOW - 2 * HOUR)

    planned = at_once(*[lambda: periodic.plan(job, NOW)] * 4)

    assert sum(run is not None for run in planned) == 1
    assert len(ledger()) == 2


def test_slot_is_unique_whoever_leads(only):
    only(hourly())
    ran("hourly", NOW)

    with pytest.raises(IntegrityError, match="one_run_per_slot"), transaction.atomic():
        ran("hourly", NOW)


def test_missed_slots_are_made_up_for_once_and_marked(only):
    job = only(nightly())
    ran("nightly", NOW - dt.timedelta(days=4))

    run = periodic.plan(job, NOW)
    assert (run.trigger, run.slot.day) == ("catch_up", 10)
    run_next()
    assert periodic.plan(job, NOW) is None
    assert periodic.plan(job, NOW + dt.timedelta(hours=15, minutes=1)).trigger == "schedule"


def test_one_slot_missed_is_a_catch_up_too(only):
    job = only(nightly())
    ran("nightly", dt.datetime(2026, 6, 9, 3, tzinfo=dt.UTC))

    assert periodic.plan(job, NOW).trigger == "catch_up"


def test_tick_that_comes_half_a_minute_late_missed_nothing(only):
    job = only(hourly(every=dt.timedelta(minutes=1)))
    ran("hourly", NOW.replace(second=0) - dt.timedelta(minutes=2))

    assert periodic.plan(job, NOW).trigger == "schedule"


def test_slot_while_the_run_before_is_unfinished_is_skipped_as_busy(only):
    job = only(hourly())
    periodic.plan(job, NOW)
    leases.claim_next(PIPELINE)

    assert periodic.plan(job, NOW + HOUR) is None
    assert periodic.plan(job, NOW + HOUR) is None

    skipped = PeriodicRun.objects.get(state=PeriodicState.SKIPPED)
    assert skipped.skipped_because == periodic.SKIPPED_BUSY
    assert len(ledger()) == 2


def test_one_run_at_a_time_is_a_constraint(only):
    only(hourly())
    PeriodicRun.objects.create(name="hourly", slot=NOW)

    with pytest.raises(IntegrityError, match="one_run_at_a_time"), transaction.atomic():
        PeriodicRun.objects.create(name="hourly", slot=NOW + HOUR)


def test_changed_zone_plans_at_most_one_run_more(only):
    job = only(nightly(zone="Europe/Paris"))
    ran("nightly", dt.datetime(2026, 6, 10, 1, tzinfo=dt.UTC))
    moved = only(nightly(zone="America/New_York"))

    run = periodic.plan(moved, NOW)
    run_next()

    assert run.slot == dt.datetime(2026, 6, 10, 7, tzinfo=dt.UTC)
    assert periodic.plan(job, NOW) is None
    assert periodic.plan(moved, NOW) is None


def test_run_keeps_what_it_did(only):
    periodic.plan(only(hourly(lambda job: "swept 3 files")), NOW)

    run = run_next()

    assert (run.state, run.did) == (PeriodicState.SUCCEEDED, "swept 3 files")


def test_no_run_starts_before_its_least_distance(only):
    job = only(hourly(at_least=dt.timedelta(days=400)))
    periodic.plan(job, NOW)
    first = run_next()

    second = periodic.plan(job, NOW + HOUR)

    assert second.due_at == first.started_at + dt.timedelta(days=400)
    assert leases.claim_next(PIPELINE) is None


@pytest.mark.django_db(transaction=True)
def test_failed_run_is_told_and_frees_the_next_slot(only):
    def fails(job):
        raise PermanentFailure("no_space")

    job = only(hourly(fails))
    run = periodic.plan(job, NOW)

    runner.run(leases.claim_next(PIPELINE))

    run.refresh_from_db()
    assert run.state == PeriodicState.FAILED
    assert Event.objects.get(type="periodic.failed").payload == {"code": "no_space"}
    assert periodic.plan(job, NOW + HOUR) is not None


def test_dead_run_is_freed_by_the_tick_and_not_by_the_recovery_job(only, expire):
    only(hourly())
    periodic.plan(periodic.get("hourly"), NOW)
    expire(leases.claim_next(PIPELINE).row)

    periodic.recover_and_plan()

    assert Attempt.objects.get().outcome == Outcome.DIED
    assert run_next().state == PeriodicState.SUCCEEDED


def test_recovery_job_that_died_is_recovered_by_the_next_tick(only, pipeline, expire):
    """Nothing stays locked behind a recovery that was killed in the middle."""
    only(PeriodicJob("recovery", "Recovery", ground_jobs.recover_all, every=dt.timedelta(seconds=60)))
    periodic.recover_and_plan()
    expire(leases.claim_next(PIPELINE).row)

    periodic.recover_and_plan()

    assert run_next().did == "nothing to recover"


def test_one_malformed_job_stops_no_other(only):
    only(hourly(), PeriodicJob("broken", "Broken", lambda job: "", cron="not a cron"), nightly())
    ran("broken", NOW - HOUR)

    periodic.recover_and_plan()

    assert set(PeriodicRun.objects.values_list("name", flat=True)) == {"hourly", "broken", "nightly"}


def test_paused_holder_can_neither_write_nor_free_the_next_run(only, expire):
    only(hourly())
    periodic.plan(periodic.get("hourly"), NOW)
    paused = leases.claim_next(PIPELINE)
    expire(paused.row)
    recovery.recover(PIPELINE)
    fresh = leases.claim_next(PIPELINE)

    with pytest.raises(leases.LeaseLost), transaction.atomic():
        leases.finish(paused, state=PeriodicState.SUCCEEDED)

    assert PeriodicRun.objects.get().lease_token == fresh.token


def test_person_starts_a_job_once(only):
    only(hourly())
    operator = UserFactory(operator=True)

    run = periodic.start(name="hourly", by=operator, why="after the repair")
    with pytest.raises(StateChanged):
        periodic.start(name="hourly", by=operator, why="again")

    assert (run.trigger, run.requested_by) == ("person", operator)
    assert Decision.objects.get().why == "after the repair"


def test_run_started_by_a_person_moves_no_slot(only):
    job = only(hourly())
    ran("hourly", NOW.replace(minute=0, second=0) - HOUR)
    periodic.start(name="hourly", by="operator", why="now")
    run_next()

    assert periodic.plan(job, NOW).slot == NOW.replace(minute=0, second=0)


def test_job_that_is_not_declared_any_more_ends_its_run(only):
    only(hourly())
    periodic.plan(periodic.get("hourly"), NOW)
    only(nightly())

    assert run_next().did.startswith("nothing")


@pytest.mark.parametrize("given", [{}, {"every": HOUR, "cron": "0 3 * * *"}])
def test_job_has_either_a_period_or_a_calendar(only, given):
    with pytest.raises(ValueError, match="either every or cron"):
        only(PeriodicJob("both", "Both", lambda job: "", **given))


def test_tick_plans_and_rings(only, monkeypatch):
    rung = []
    monkeypatch.setattr("work.doorbell.ring", rung.append)
    only(hourly())

    tasks.tick()

    assert PeriodicRun.objects.filter(name="hourly").exists()
    assert {"ground", "pipelines"} <= set(rung)


def test_sweep_rings_for_every_cluster(only, monkeypatch):
    rung = []
    monkeypatch.setattr("work.doorbell.ring", rung.append)

    assert ground_jobs.sweep(None) == "rang for every cluster"
    assert rung == ["ground", "pipelines"]


def test_zone_of_a_job_is_the_zone_of_its_calendar(only):
    job = only(nightly(zone="Asia/Tokyo"))

    assert job.next_slot(NOW) == dt.datetime(2026, 6, 10, 18, tzinfo=dt.UTC)
    assert calendars.EPOCH.tzinfo is dt.UTC
