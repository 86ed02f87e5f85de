"""Asking, answering and obeying the answer under kills: one question, one answer, every row once."""

import pytest

from ingestion import answers
from ingestion.kill_points import (
    ANSWER_AFTER_COMMIT,
    ANSWER_BEFORE_COMMIT,
    ASK_AFTER_COMMIT,
    ASK_BEFORE_COMMIT,
    ASK_POINTS,
    READ_BATCH,
    STORE_BEFORE_COMMIT,
)
from ingestion.models import HeaderAlias, Upload
from tests.crash.conftest import TIMES
from tests.crash.web import killed_at
from tests.crash.world import World, as_csv, check_index, finished_once, in_use, is_indexed
from work.failures import StateChanged
from work.models import Attempt, Decision, Event, Outcome

pytestmark = pytest.mark.slow

# Where the worker dies that asks, the request that answers, the worker that obeys.
ROUNDS = (
    (ASK_BEFORE_COMMIT, ANSWER_BEFORE_COMMIT, READ_BATCH),
    (ASK_AFTER_COMMIT, ANSWER_AFTER_COMMIT, STORE_BEFORE_COMMIT),
)
POINTS = (*ASK_POINTS, ANSWER_BEFORE_COMMIT, ANSWER_AFTER_COMMIT)
FOREIGN = b"Kennung,Betrag,Ort\na,1,Rom\nb,2,Bonn\n"
MAPPING = {"id": "Kennung", "amount": "Betrag", "place": "Ort"}
NAMED = {key: {"id": key, "amount": number, "place": "p"} for number, key in enumerate("abcd")}


@pytest.fixture(scope="module")
def numbers():
    return iter(range(1000))


@pytest.fixture
def world(installation, numbers):
    """A dataset whose columns will be asked for, and a whole one that holds four records."""
    made = World.make(f"asking-{next(numbers)}", organisations=1, datasets=1)
    whole = made.add_dataset("whole", mode="snapshot", retire_limit=20)
    made.upload(as_csv([tuple(row.values()) for row in NAMED.values()]), dataset=whole)
    installation.wait_until(lambda: made.unfinished() == 0, seconds=60, what="four are stored")
    return made


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize(("asking", "answering", "obeying"), ROUNDS)
def test_killed_while_asking_answering_and_obeying(
    installation, world, table, asking, answering, obeying, time
):
    installation.choose(asking)
    columns = world.upload(FOREIGN, dataset=0)
    whole = world.upload(as_csv([("a", 7, "p")]), dataset=1)
    installation.wait_until(lambda: all(map(asks, (columns, whole))), seconds=60, what="both ask")
    table.count(asking, reached=installation.passages(asking))
    assert {asks(columns), asks(whole)} == {"which_columns", "confirm_retirement"}
    assert events("upload.needs_answer", columns, whole) == 2

    installation.choose(obeying)
    for upload in (columns, whole):
        answer_under_a_kill(world, upload, answering, table)
    installation.wait_until(
        lambda: world.unfinished() == 0 and is_indexed(world.datasets), seconds=90, what="both are obeyed"
    )
    installation.choose()

    table.count(obeying, reached=installation.last_passages(obeying))
    assert in_use(world.datasets[0]) == {
        "a": {"id": "a", "amount": 1, "place": "Rom"},
        "b": {"id": "b", "amount": 2, "place": "Bonn"},
    }
    assert in_use(world.datasets[1]) == {"a": {"id": "a", "amount": 7, "place": "p"}}
    assert finished_once(columns, whole)
    died = Attempt.objects.filter(subject__in=[columns.pk, whole.pk], outcome=Outcome.DIED).count()
    assert died == (1 if asking == ASK_AFTER_COMMIT else 2)
    assert Upload.objects.get(pk=whole.pk).retired == 3
    for dataset in world.datasets:
        check_index(dataset)


def asks(upload):
    return Upload.objects.get(pk=upload.pk).question


def events(kind, *subjects):
    return Event.objects.filter(type=kind, subject_id__in=[str(each.pk) for each in subjects]).count()


def answer_under_a_kill(world, upload, point, table):
    """Killed before the commit it can be given again; after it, once was enough."""
    found = Upload.objects.select_related("dataset", "organisation").get(pk=upload.pk)

    def act():
        reading = {"mapping": MAPPING}
        if found.question == "confirm_retirement":
            reading = {"confirm": [f"retire:{found.asking['retirement']['version']}"]}
        answers.answer(upload=found, reading=reading, by=world.by)

    table.count(point, reached=killed_at(point, act))
    if point == ANSWER_BEFORE_COMMIT:
        assert asks(upload) == found.question
        act()
    else:
        with pytest.raises(StateChanged):
            act()
    assert Decision.objects.filter(what="upload.answered", subject_id=str(upload.pk)).count() == 1
    if upload.dataset_id == world.datasets[0].pk:
        assert HeaderAlias.objects.filter(dataset=upload.dataset_id).count() == len(MAPPING)
