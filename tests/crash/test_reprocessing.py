"""Reading files again under kills: each file once, both verdicts whole, and a bulk action that goes on where
it stopped."""

import csv
import io
from collections import Counter

import pytest

from ingestion import bulk_reprocess, reprocessing
from ingestion.kill_points import (
    READ_BATCH,
    REPROCESS_MADE,
    REPROCESS_POINTS,
    STORE_AFTER_COMMIT,
    STORE_BEFORE_COMMIT,
)
from ingestion.models import Record, RowError, SchemaVersion, Upload
from tests.crash.conftest import TIMES
from tests.crash.web import killed_at
from tests.crash.world import SCHEMA, World, make_file
from work import bulk, identifiers
from work.models import Attempt, BulkAction, BulkOutcome, Outcome

pytestmark = pytest.mark.slow

POINTS = (*REPROCESS_POINTS, "bulk.row")
ROWS, FILES = 80, 6
# What the first schema refuses for its amount is a text now.
TEXTS = {**SCHEMA, "fields": [{**field, "type": "string"} for field in SCHEMA["fields"]]}


@pytest.fixture
def finish(installation):
    def wait(condition, what):
        installation.wait_until(condition, seconds=120, what=what)
        installation.choose()

    return wait


@pytest.fixture(scope="module")
def numbers():
    """Each test has datasets of its own."""
    return iter(range(1000))


@pytest.fixture
def world(installation, finish, numbers):
    """Files with their verdicts by the first schema; the second one is current."""
    made = World.make(f"again-{next(numbers)}", organisations=1)
    for seed in range(FILES):
        made.upload(make_file(9000 + seed, rows=ROWS, suffix="csv"), dataset=seed)
    finish(lambda: made.unfinished() == 0, "every upload has a verdict")
    made.check()
    for dataset in made.datasets:
        SchemaVersion.objects.create(dataset=dataset, number=2, schema=TEXTS)
    return made


def accept_bulk(world):
    rule = {"ids": [str(pk) for pk in world.accepted]}
    made, _ = bulk.accept(
        kind=bulk_reprocess.KIND, rule=rule, shown=bulk.preview(bulk_reprocess.KIND, rule), by=world.by,
        why="a new schema", key=identifiers.uuid7(),
    )  # fmt: skip
    return made


def again_of(world):
    return Upload.objects.filter(reprocesses__in=list(world.accepted))


def all_read(world):
    again = again_of(world)
    return again.count() == FILES and not again.filter(finished_at=None).exists()


def check(world):
    """Against the files themselves: each has one reading again, and records are what those say, the newest
    file last."""
    stored = {dataset.pk: {} for dataset in world.datasets}
    for upload in Upload.objects.filter(pk__in=list(world.accepted)).order_by("sequence"):
        good, refused = read_as_texts(world.accepted[upload.pk])
        again = Upload.objects.get(reprocesses=upload)
        assert (again.schema_version, again.precedence) == (2, upload.precedence)
        assert (again.valid, again.refused) == (len(good), len(refused))
        lines = RowError.objects.filter(upload=again, run=again.run).values_list("row", flat=True)
        assert sorted(lines) == refused
        assert upload.schema_version == 1
        assert upload.refused == RowError.objects.filter(upload=upload, run=upload.run).count()
        stored[upload.dataset_id] |= good
    for dataset in world.datasets:
        found = {record.data["id"]: record.data for record in Record.objects.filter(dataset=dataset)}
        assert found == stored[dataset.pk]


def read_as_texts(content):
    rows = list(enumerate(csv.reader(io.StringIO(content.decode())), start=1))[1:]
    times = Counter(row[0] for _, row in rows)
    good, refused = {}, []
    for number, (key, amount, place) in rows:
        if not key or times[key] > 1:
            refused.append(number)
        else:
            good[key] = {"id": key, "amount": amount, "place": place}
    return good, refused


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("point", POINTS)
def test_bulk_goes_on_where_it_was_killed(installation, world, finish, table, point, time):
    installation.choose(point, number=3 + time % 4)

    action = accept_bulk(world)
    finish(
        lambda: all_read(world) and BulkAction.objects.get(pk=action.pk).finished_at, "all of it is finished"
    )

    table.count(point, reached=installation.last_passages(point))
    outcomes = Attempt.objects.filter(subject=action.pk).order_by("number").values_list("outcome", flat=True)
    assert list(outcomes) == [Outcome.DIED, Outcome.FINISHED]
    told = BulkOutcome.objects.filter(bulk=action).values_list("outcome", flat=True)
    assert list(told) == ["changed"] * FILES
    check(world)


def test_request_to_read_again_that_is_killed_leaves_nothing_behind(installation, world, finish, table):
    for upload in Upload.objects.filter(pk__in=list(world.accepted)):

        def act(upload=upload):
            reprocessing.reprocess(upload=upload, by=world.by)

        table.count(REPROCESS_MADE, reached=killed_at(REPROCESS_MADE, act))
        assert not Upload.objects.filter(reprocesses=upload).exists()
        act()
    finish(lambda: all_read(world), "every file is read again")

    check(world)


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("point", [READ_BATCH, STORE_BEFORE_COMMIT, STORE_AFTER_COMMIT])
def test_killed_at_a_point_of_reading_again(installation, world, finish, table, point, time):
    installation.choose(point)

    for upload in Upload.objects.filter(pk__in=list(world.accepted)):
        reprocessing.reprocess(upload=upload, by=world.by)
    finish(lambda: all_read(world), "every file is read again")

    table.count(point, reached=installation.last_passages(point))
    died = Attempt.objects.filter(outcome=Outcome.DIED, subject__in=again_of(world).values("pk"))
    assert died.count() == (0 if point == STORE_AFTER_COMMIT else 1)
    check(world)
