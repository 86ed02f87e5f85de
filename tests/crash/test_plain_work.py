"""What the ground promises about any work, whatever is killed under it."""

import os
import signal

import psutil
import pytest

from tests.crash import plain
from tests.crash.conftest import TIMES
from tests.crash.installation import JUDGED_AFTER
from work import doorbell
from work.models import Attempt, Outcome, RefusedWrite, Worker

pytestmark = pytest.mark.slow


def finish_all(installation, seconds=40):
    doorbell.ring()
    installation.wait_until(
        lambda: plain.unfinished() == 0, seconds=seconds, what="all plain work is finished"
    )


def running(installation, organisation, *, seconds):
    """A piece of work under way, and the process of its worker."""
    pk = plain.add(organisation, seconds=seconds)
    doorbell.ring()
    installation.wait_until(lambda: plain.row(pk)["step"] == "prepare", seconds=20, what="it runs")
    label = Attempt.objects.get(subject=pk, ended_at__isnull=True).worker_label
    return pk, psutil.Process(int(label.rpartition(":")[2]))


def outcomes(pk):
    return list(Attempt.objects.filter(subject=pk).order_by("number").values_list("outcome", flat=True))


def test_plain_work_is_done_once(installation, organisation):
    wanted = [plain.add(organisation) for _ in range(20)]

    finish_all(installation)

    assert {pk: plain.effects().get(pk) for pk in wanted} == dict.fromkeys(wanted, 1)


def test_work_of_a_killed_worker_is_done_by_another(installation, organisation):
    pk, victim = running(installation, organisation, seconds=3)

    victim.kill()
    finish_all(installation)

    first, second = Attempt.objects.filter(subject=pk).order_by("number")
    assert [first.outcome, second.outcome] == [Outcome.DIED, Outcome.FINISHED]
    assert (first.step, first.worker != second.worker) == ("prepare", True)
    assert (plain.row(pk)["starts"], plain.row(pk)["unanswered"]) == (2, 1)
    assert plain.effects()[pk] == 1


def test_work_that_kills_its_workers_fails_after_three_and_holds_up_no_other(installation, organisation):
    deadly = plain.add(organisation, deadly=True)
    others = [plain.add(organisation) for _ in range(5)]

    finish_all(installation, seconds=60)

    row = plain.row(deadly)
    assert (row["state"], row["starts"], row["failure_code"]) == ("failed", 3, "worker_died_repeatedly")
    assert outcomes(deadly) == [Outcome.DIED] * 3
    assert all(plain.state(pk) == "done" for pk in others)


def test_late_write_of_a_frozen_worker_is_refused_and_recorded(installation, organisation):
    pk, frozen = running(installation, organisation, seconds=2)
    token = plain.row(pk)["lease_token"]
    frozen.suspend()
    try:
        finish_all(installation)
    finally:
        frozen.resume()

    installation.wait_until(
        lambda: RefusedWrite.objects.filter(subject=pk).exists(),
        seconds=20,
        what="the late write is recorded",
    )
    refused = RefusedWrite.objects.get(subject=pk)
    assert refused.token == token
    assert refused.found["state"] == "done"
    assert outcomes(pk) == [Outcome.DIED, Outcome.FINISHED]
    assert plain.effects()[pk] == 1


@pytest.mark.parametrize("role", ["sentinel", "pusher", "monitor", "parent"])
def test_cluster_goes_on_when_a_part_of_it_is_killed(installation, organisation, role):
    pk, _ = running(installation, organisation, seconds=1)
    before = {process.pid for process in installation.pipelines.everything()}

    (victim,) = installation.pipelines.find(role)
    victim.kill()
    more = [plain.add(organisation) for _ in range(6)]
    finish_all(installation)

    assert {pk: plain.effects().get(pk) for pk in (pk, *more)} == dict.fromkeys((pk, *more), 1)
    if role in ("sentinel", "parent"):
        assert not any(psutil.pid_exists(pid) for pid in before), "orphans work on"


def test_idle_workers_may_be_killed_again_and_again(installation, organisation):
    hung = installation.hung
    for _ in range(10):
        for victim in installation.pipelines.find("worker"):
            victim.kill()
        pk = plain.add(organisation)
        finish_all(installation)
        assert plain.effects()[pk] == 1
    assert installation.hung == hung, "a cluster froze and had to be restarted"


def test_worker_that_is_asked_to_stop_is_replaced(installation, organisation):
    pk, asked = running(installation, organisation, seconds=1)

    asked.terminate()
    finish_all(installation)
    installation.wait_until(lambda: not asked.is_running(), seconds=10, what="it has ended")

    assert outcomes(pk)[0] == Outcome.POSTPONED
    assert plain.row(pk)["unanswered"] == 0
    assert Worker.objects.get(label__endswith=f":{asked.pid}").stopped_at is not None


def test_deploy_releases_running_work_at_once_and_burns_no_attempt(installation, organisation):
    pk, _ = running(installation, organisation, seconds=4)

    took = installation.pipelines.stop()
    row = plain.row(pk)
    assert took < 6
    assert (row["state"], row["unanswered"], row["postponed"]) == ("waiting", 0, 1)

    finish_all(installation)
    assert outcomes(pk) == [Outcome.POSTPONED, Outcome.FINISHED]
    assert plain.row(pk)["unanswered"] == 0


def test_term_to_the_whole_group_is_a_deploy_too(installation, organisation):
    pk, _ = running(installation, organisation, seconds=4)
    process = installation.pipelines.process

    os.killpg(process.pid, signal.SIGTERM)
    assert process.wait(15) == 0
    assert plain.row(pk)["postponed"] == 1

    finish_all(installation)
    assert outcomes(pk) == [Outcome.POSTPONED, Outcome.FINISHED]


def test_database_restarted_at_once_with_work_in_flight(installation, organisation):
    wanted = [plain.add(organisation, seconds=1.5) for _ in range(8)]
    doorbell.ring()
    installation.wait_until(
        lambda: sum(plain.state(pk) == "working" for pk in wanted) == 3, seconds=20, what="three run"
    )

    installation.restart_database()
    finish_all(installation, seconds=60)

    assert {pk: plain.effects().get(pk) for pk in wanted} == dict.fromkeys(wanted, 1)
    assert {plain.row(pk)["state"] for pk in wanted} == {"done"}


def test_soak_cluster_whose_queue_is_frozen_is_found_hung_and_started_anew(installation, organisation):
    hung = installation.hung
    installation.pause(JUDGED_AFTER)
    (pusher,) = installation.pipelines.find("pusher")
    pusher.suspend()
    wanted = [plain.add(organisation) for _ in range(3)]
    doorbell.ring()

    installation.wait_until(lambda: installation.hung > hung, seconds=60, what="it is found hung")
    finish_all(installation)

    assert {pk: plain.effects().get(pk) for pk in wanted} == dict.fromkeys(wanted, 1)


GROUND_POINTS = (
    "claim.before", "claim.after", "plain.prepare.before", "plain.prepare.after", "finish.before",
    "finish.after", "plain.store.after", "recovery.before", "recovery.after", "tick.before",
    "periodic.before", "deliver.audit",
)  # fmt: skip


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("point", GROUND_POINTS)
def test_killed_at_a_point_of_the_ground(installation, organisation, table, point, time):
    installation.choose(point)
    wanted = [plain.add(organisation) for _ in range(3)]
    if point.startswith("recovery"):
        _, victim = running(installation, organisation, seconds=1)
        victim.kill()

    finish_all(installation)
    installation.wait_until(lambda: installation.passages(point) > 0, seconds=20, what=f"{point} is reached")
    installation.wait_until(lambda: plain.unfinished() == 0, seconds=20, what="all plain work is finished")

    table.count(point, reached=installation.passages(point))
    assert {pk: plain.effects().get(pk) for pk in wanted} == dict.fromkeys(wanted, 1)
