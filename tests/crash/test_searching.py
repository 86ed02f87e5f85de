"""The search index under kills: nothing that was stored is missing from it, nothing is found twice."""

import pytest

from ingestion.models import Reindex, SearchGeneration
from ingestion.search import kill_points as at
from ingestion.search import reindexes
from tests.crash.conftest import TIMES
from tests.crash.world import World, check_index, is_indexed
from work.models import Event

pytestmark = pytest.mark.slow

POINTS = (*at.INDEX_POINTS, *at.REBUILD_POINTS)
ROWS = 2_300  # more than two batches of a rebuild, and of what waits
# Those of one round are met by the same row, two of them before its end at most.
ROUNDS = (
    (at.INDEX_BEFORE, at.INDEX_APPLIED, at.REBUILD_BEGUN, at.REBUILD_NOTED),
    (at.GENERATION_WRITTEN, at.INDEX_DROPPED, at.REBUILD_FILLED, at.SWAP_BEFORE_COMMIT),
    (at.INDEX_FINISHED, at.SWAP_BEFORE, at.SWAP_AFTER, at.REBUILD_FINISHED),
)


@pytest.fixture(scope="module")
def world(whole_installation):
    return World.make("searching", organisations=1, datasets=1)


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("points", ROUNDS, ids=lambda points: points[0])
def test_killed_while_records_are_indexed_and_the_index_is_rebuilt(installation, world, table, points, time):
    """Both at once: what is written meanwhile is in the new index too."""
    (dataset,) = world.datasets
    world.upload_random(8000 + 10 * ROUNDS.index(points) + time, rows=ROWS)
    installation.wait_until(lambda: world.unfinished() == 0, seconds=60, what="there are records")

    installation.choose(*points)
    rebuild, _ = reindexes.request(organisation=dataset.organisation, dataset=dataset, by=world.by)
    world.upload_random(8500 + 10 * ROUNDS.index(points) + time, rows=ROWS)
    installation.wait_until(
        lambda: world.unfinished() == 0 and all(map(installation.passages, points)), seconds=120,
        what="killed at every point of the round",
    )  # fmt: skip
    installation.wait_until(
        lambda: is_indexed(world.datasets) and not Reindex.objects.unfinished().exists(), seconds=60,
        what="nothing waits for the index",
    )  # fmt: skip
    installation.choose()

    for point in points:
        table.count(point, reached=installation.last_passages(point))
    rebuild.refresh_from_db()
    assert (rebuild.state, rebuild.datasets_done, rebuild.refused) == ("rebuilt", 1, 0)
    assert Event.objects.filter(type="search.rebuilt", subject_id=str(rebuild.pk)).count() == 1
    states = list(SearchGeneration.objects.filter(dataset=dataset).values_list("state", flat=True))
    assert (states.count("live"), states.count("filling")) == (1, 0)
    world.check()
    check_index(dataset)
