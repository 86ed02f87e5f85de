"""The real pipeline under kills: whatever dies, each upload gets one true verdict, no record is doubled."""

import random

import psutil
import pytest

from ingestion import reports
from ingestion.kill_points import REPORT_POINTS, UPLOAD_POINTS
from ingestion.models import Report, Upload
from tests.crash.conftest import TIMES
from tests.crash.world import World
from work import pipelines
from work.models import Attempt, Outcome, RefusedWrite

pytestmark = pytest.mark.slow

SMALL, LONG = 300, 110_000  # rows: for a kill at a point; for two seconds of work and more, in the soak
POINTS = (*UPLOAD_POINTS, *REPORT_POINTS)
ROLES = ("worker",) * 6 + ("pusher", "monitor", "sentinel", "parent")


@pytest.fixture(scope="module")
def world(whole_installation):
    return World.make("uploads")


@pytest.fixture(scope="module")
def long_files(whole_installation):
    """A world of its own for files that take seconds, so that the other is compared in no time."""
    return World.make("long")


@pytest.fixture
def finish(installation):
    def wait(world, seconds=120, point=""):
        installation.wait_until(
            lambda: world.unfinished() == 0, seconds=seconds, what="every upload has a verdict"
        )
        if point:
            passed(installation, point)
        installation.choose()

    return wait


def passed(installation, point):
    installation.wait_until(lambda: installation.passages(point), seconds=20, what=f"{point} is reached")


def holder_of(upload):
    attempt = Attempt.objects.filter(subject=upload.pk, ended_at__isnull=True).first()
    return attempt and psutil.Process(int(attempt.worker_label.rpartition(":")[2]))


def is_clean(installation):
    assert "broken" not in installation.manage("verify", "--deep").splitlines()[-1]


def test_uploads_come_to_the_verdicts_of_the_reference(installation, world, finish):
    for seed in range(8):
        world.upload_random(seed, rows=SMALL)

    finish(world)

    world.check()


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("point", UPLOAD_POINTS)
def test_killed_at_a_point_of_an_upload(installation, world, finish, table, point, time):
    installation.choose(point)
    upload = world.upload_random(1000 + 10 * UPLOAD_POINTS.index(point) + time, rows=SMALL)

    finish(world, point=point)

    table.count(point, reached=installation.last_passages(point))
    outcomes = list(
        Attempt.objects.filter(subject=upload.pk).order_by("number").values_list("outcome", flat=True)
    )
    after_commit = point == "store.after_commit"
    assert outcomes == ([Outcome.FINISHED] if after_commit else [Outcome.DIED, Outcome.FINISHED])
    world.check()


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("point", REPORT_POINTS)
def test_killed_at_a_point_of_a_report(installation, world, finish, table, point, time):
    upload = world.upload_random(2000 + 10 * REPORT_POINTS.index(point) + time, rows=SMALL)
    finish(world)
    installation.choose(point)

    report = reports.request(upload=Upload.objects.get(pk=upload.pk), kind="csv", by=world.by)
    installation.wait_until(
        lambda: Report.objects.get(pk=report.pk).finished_at, seconds=60, what="the report is built"
    )
    passed(installation, point)
    installation.choose()

    table.count(point, reached=installation.last_passages(point))
    report.refresh_from_db()
    assert report.state == "built"
    assert report.size


def test_soak_random_kills_of_anything(installation, long_files, finish, table):
    """While files that take seconds are processed. No upload is killed a third time: that is another test."""
    chance = random.Random(20260601)
    uploads = [long_files.upload_random(3001 + number, rows=LONG) for number in range(3)]
    kills = 0
    while kills < 10:
        if long_files.unfinished() == 0:
            uploads.append(long_files.upload_random(3100 + kills, rows=LONG))
        installation.wait_until(lambda: True, seconds=30, what="the clusters are kept")
        kills += kill_one(installation, chance)
        installation.pause(chance.uniform(0.2, 1.2))

    finish(long_files, seconds=240)

    ran = [sum(Upload.objects.get(pk=upload.pk).timings.values()) for upload in uploads]
    table.notes.append(f"10 random kills; the files took {', '.join(f'{seconds:.1f} s' for seconds in ran)}")
    long_files.check()


def kill_one(installation, chance):
    role = chance.choice(ROLES)
    cluster = installation.pipelines if chance.random() < 0.8 else installation.ground
    victims = cluster.find(role)
    if not victims or not spared(installation, role, victims):
        return 0
    chance.choice(victims).kill()
    return 1


def spared(installation, role, victims):
    """Whether nothing would lose its third worker: no upload, and nothing that follows from one."""
    return not installation.answers(
        lambda: any(
            pipeline.model.objects.filter(unanswered__gte=2, finished_at=None).exists()
            for pipeline in pipelines.every()
        ),
        otherwise=True,
    )


def test_database_restarted_at_once_in_the_middle(installation, world, finish):
    """While one file is read and another is stored: their workers stand there until it is back."""
    points = ("read.batch", "store.before_commit")
    installation.choose(*points, how="stop")
    uploads = [world.upload_random(4001 + number, rows=SMALL) for number in range(2)]
    for point in points:
        passed(installation, point)
    frozen = [holder_of(upload) for upload in uploads]
    assert all(process.status() == psutil.STATUS_STOPPED for process in frozen)

    installation.restart_database()
    for process in frozen:
        process.resume()
    finish(world)

    world.check()


def test_worker_frozen_before_its_commit_wakes_after_another_has_finished(installation, world, finish):
    """The locks of its transaction end without it; what it writes when it wakes is refused."""
    installation.choose("store.before_commit", how="stop")
    upload = world.upload_random(5001, rows=SMALL)
    passed(installation, "store.before_commit")
    frozen = holder_of(upload)

    try:
        finish(world)
    finally:
        frozen.resume()

    installation.wait_until(
        lambda: RefusedWrite.objects.filter(subject=upload.pk).exists(), seconds=20, what="its write is known"
    )
    world.check()


def test_deploy_in_the_middle_burns_no_attempt(installation, world, finish):
    installation.choose("read.batch", how="stop")
    upload = world.upload_random(6001, rows=SMALL)
    passed(installation, "read.batch")
    worker = holder_of(upload)

    installation.pipelines.process.terminate()
    installation.ground.process.terminate()
    worker.resume()
    assert installation.pipelines.process.wait(20) == 0
    found = Upload.objects.get(pk=upload.pk)
    assert (found.state, found.unanswered, found.postponed) == ("accepted", 0, 1)

    finish(world)
    world.check()


def test_accepting_goes_on_while_every_worker_is_down(installation, world, finish):
    for cluster in installation.clusters.values():
        cluster.kill()

    uploads = [world.upload_random(7001 + number, rows=SMALL) for number in range(3)]

    assert {Upload.objects.get(pk=upload.pk).state for upload in uploads} == {"accepted"}
    finish(world)
    world.check()


def test_soak_two_hundred_uploads_under_random_kills(installation, finish, table):
    chance = random.Random(20260602)
    world = World.make("soak", organisations=5)
    kills = 0
    for number in range(200):
        world.upload_random(10_000 + number, rows=chance.choice((50, 2_000, 20_000)))
        installation.wait_until(lambda: world.unfinished() < 20, seconds=300, what="there is room")
        if chance.random() < 0.5:
            kills += kill_one(installation, chance)
            installation.pause(chance.uniform(0, 1))
        if number % 50 == 25:
            installation.restart_database()

    finish(world, seconds=600)

    table.notes.append(f"200 uploads, {kills} kills at random moments")
    world.check()


def test_every_point_was_reached_and_everything_holds(installation, world, finish, table):
    """The last one: the table of points, and the product's own look at itself."""
    finish(world)
    missing = table.missing(POINTS, times=TIMES)

    assert missing == []
    is_clean(installation)
