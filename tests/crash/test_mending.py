"""Mended rows, trials, wholes and their reports under kills: each row joins its file once."""

import pytest

from ingestion import mending_marks, reports
from ingestion.kill_points import MEND_KEPT, MEND_POINTS, STORE_AFTER_COMMIT, STORE_BEFORE_COMMIT
from ingestion.models import Record, Report, RowError, Upload
from tests.crash.conftest import TIMES
from tests.crash.world import World, as_csv, check_index, finished_once, in_use, is_indexed
from work.models import Attempt, Event, Outcome

pytestmark = pytest.mark.slow

POINTS = MEND_POINTS
BROKEN = as_csv([("a", "many", "p"), ("b", 2, "p"), ("c", "few", "p")])
KEYLESS = {"fields": [{"name": "id"}, {"name": "amount", "type": "integer"}, {"name": "place"}]}
MENDED = {"a": 1, "b": 2, "c": 3}


@pytest.fixture(scope="module")
def numbers():
    return iter(range(1000))


@pytest.fixture
def world(installation, numbers):
    made = World.make(f"mending-{next(numbers)}", organisations=1, datasets=2)
    made.datasets[1].schema_versions.update(schema=KEYLESS)
    made.add_dataset("whole", mode="snapshot", retire_limit=100)
    return made


def finish(installation, world, what, *points):
    installation.choose(*points)
    installation.wait_until(
        lambda: world.unfinished() == 0 and is_indexed(world.datasets), seconds=90, what=what
    )


def marked(upload, rows):
    heading = mending_marks.row_heading(upload.pk)
    lines = [f"{key},{amount},p,{number}" for key, amount, number in rows]
    return "\n".join([f"id,amount,place,{heading}", *lines]).encode()


def outcomes(upload):
    attempts = Attempt.objects.filter(subject=upload.pk).order_by("number")
    return list(attempts.values_list("outcome", flat=True))


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("place", [0, 1], ids=["keyed", "keyless"])
def test_killed_while_mended_rows_join_their_file(installation, world, table, place, time):
    first = world.upload(BROKEN, dataset=place)
    finish(installation, world, "the file with refused rows has its verdict")

    installation.choose(MEND_KEPT, STORE_BEFORE_COMMIT, STORE_AFTER_COMMIT)
    second = world.upload(marked(first, [("a", 1, 2), ("c", 3, 4)]), dataset=place)
    finish_counted(installation, world, table, MEND_KEPT, STORE_BEFORE_COMMIT, STORE_AFTER_COMMIT)

    second.refresh_from_db()
    assert (second.state, second.inserted, second.mended) == ("processed", 2, 2)
    assert (second.mends_id, second.story_id) == (first.pk, first.pk)
    # Found again as its own by the second worker, which therefore keeps it only once.
    assert outcomes(second) == [Outcome.DIED, Outcome.DIED, Outcome.FINISHED]
    assert RowError.objects.filter(upload=first, mended_by=second).count() == 2
    records = in_use(world.datasets[place])
    assert {key: data["amount"] for key, data in records.items()} == MENDED
    check_index(world.datasets[place])


def finish_counted(installation, world, table, *points):
    installation.wait_until(
        lambda: world.unfinished() == 0 and all(map(installation.passages, points)), seconds=90,
        what="killed at each of the points it has its verdict",
    )  # fmt: skip
    installation.wait_until(lambda: is_indexed(world.datasets), seconds=60, what="all of it is indexed")
    installation.choose()
    for point in points:
        table.count(point, reached=installation.last_passages(point))


@pytest.mark.parametrize("time", range(TIMES))
def test_killed_while_a_whole_retires_and_a_trial_stores_nothing(installation, world, table, time):
    world.upload(as_csv([(key, 0, "p") for key in "abcd"]), dataset=2)
    finish(installation, world, "four are stored")

    installation.choose(STORE_BEFORE_COMMIT, STORE_AFTER_COMMIT)
    trial = world.upload(as_csv([("x", 1, "p")]), dataset=2, dry_run=True)
    finish_counted(installation, world, table, STORE_BEFORE_COMMIT, STORE_AFTER_COMMIT)
    trial.refresh_from_db()
    assert (trial.state, trial.inserted, trial.retired) == ("processed", 1, 4)
    assert sorted(in_use(world.datasets[2])) == list("abcd")

    installation.choose(STORE_BEFORE_COMMIT, STORE_AFTER_COMMIT)
    whole = world.upload(as_csv([("b", 0, "p"), ("e", 5, "p")]), dataset=2)
    finish_counted(installation, world, table, STORE_BEFORE_COMMIT, STORE_AFTER_COMMIT)

    whole.refresh_from_db()
    assert (whole.inserted, whole.unchanged, whole.retired) == (1, 1, 3)
    assert sorted(in_use(world.datasets[2])) == ["b", "e"]
    assert Record.objects.filter(dataset=world.datasets[2]).count() == 5
    assert finished_once(trial, whole)
    check_index(world.datasets[2])


@pytest.mark.parametrize("time", range(TIMES))
def test_killed_while_reports_to_mend_with_are_built(installation, world, table, time):
    upload = world.upload(BROKEN, dataset=0)
    finish(installation, world, "the file with refused rows has its verdict")

    points = ("report.built", "report.after_commit")
    installation.choose(*points)
    upload = Upload.objects.get(pk=upload.pk)
    asked = [reports.request(upload=upload, kind=kind, by=world.by) for kind in ("mend", "whole", "xlsx")]
    installation.wait_until(
        lambda: not Report.objects.filter(upload=upload, finished_at=None).exists(), seconds=60,
        what="the reports are built",
    )  # fmt: skip
    installation.choose()

    for point in points:
        table.count(point, reached=installation.last_passages(point))
    assert set(Report.objects.filter(upload=upload).values_list("state", flat=True)) == {"built"}
    assert finished_once(*asked)
    built = Event.objects.filter(type="report.built", subject_id__in=[str(report.pk) for report in asked])
    assert built.count() == 3
