"""All of it at once, with workers killed at random moments and the database restarted once."""

import random

import pytest

from ingestion.models import Reindex, RowError, Upload
from ingestion.search import reindexes
from tests.crash.mixed import PLAIN, WHOLE, Mixed
from tests.crash.test_uploads import is_clean, kill_one
from tests.crash.world import check_index, finished_once, in_use, is_indexed

pytestmark = pytest.mark.slow


def run(installation, table, mixed, *, rounds, kills):
    """`rounds` of actions drawn from the seed, `kills` of them followed by a death."""
    chance = random.Random(rounds)
    actions = [
        *[mixed.send_plain] * 4, *[mixed.send_foreign] * 2, *[mixed.send_whole] * 2,
        *[mixed.send_mended] * 2, mixed.read_again, lambda: rebuild(mixed),
    ]  # fmt: skip
    drawn = [*actions, *chance.choices(actions, k=max(0, rounds - len(actions)))]
    chance.shuffle(drawn)
    killed_after = set(chance.sample(range(rounds), kills))
    for number, act in enumerate(drawn):
        act()
        if number == rounds // 2:
            installation.restart_database()
        if number in killed_after:
            installation.wait_until(
                lambda: kill_one(installation, chance), seconds=60, what="somebody may be killed"
            )
        installation.pause(chance.uniform(0, 0.6))
        installation.answers(mixed.answer_all, otherwise=None)
    asking = mixed.send_foreign()
    mixed.never_answered.add(asking.pk)
    mixed.send_mended()
    settle(installation, mixed)
    table.notes.append(f"mixed: {len(drawn)} actions, {kills} kills at random moments, one restart")


def rebuild(mixed):
    dataset = mixed.world.datasets[PLAIN]
    reindexes.request(organisation=dataset.organisation, by=mixed.world.by)


def settle(installation, mixed):
    installation.wait_until(mixed.is_settled, seconds=300, every=0.3, what="all has its verdict or asks")
    installation.wait_until(
        lambda: is_indexed(mixed.world.datasets) and not Reindex.objects.unfinished().exists(), seconds=60,
        what="all is indexed",
    )  # fmt: skip


def check(mixed):
    for place in (PLAIN, WHOLE):
        assert in_use(mixed.world.datasets[place]) == mixed.wanted(place)
        check_index(mixed.world.datasets[place])
    uploads = list(Upload.objects.filter(pk__in=list(mixed.world.accepted)))
    finished = [upload for upload in uploads if upload.pk not in mixed.never_answered]
    assert {upload.state for upload in finished} <= {"processed", "partial"}, told(finished)
    assert finished_once(*finished)
    for upload in finished:
        if upload.pk in mixed.broken:  # not mended meanwhile
            open_rows = RowError.objects.filter(upload=upload, run=upload.run, mended_by=None)
            assert (upload.refused, open_rows.count()) == (len(mixed.broken[upload.pk]),) * 2
    (left,) = [upload for upload in uploads if upload.pk in mixed.never_answered]
    assert (left.state, left.asked_at is not None) == ("needs_answer", True)


def told(uploads):
    return [(upload.filename, upload.state, upload.failure_code) for upload in uploads]


def test_everything_at_once_under_kills_comes_to_what_it_should(installation, table):
    mixed = Mixed("mixed", 20261130, rows=120)

    run(installation, table, mixed, rounds=22, kills=8)

    check(mixed)
    is_clean(installation)


@pytest.mark.parametrize("seed", range(5))
def test_soak_everything_at_once_under_kills(installation, table, seed):
    mixed = Mixed(f"mixed-{seed}", seed, rows=2_000)

    run(installation, table, mixed, rounds=150, kills=70)

    check(mixed)
    is_clean(installation)
