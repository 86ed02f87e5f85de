"""No point of the product at which a process can be killed is left out by the crash suite."""

from tests.crash import (
    test_asking,
    test_mending,
    test_plain_work,
    test_reprocessing,
    test_searching,
    test_steps,
    test_uploads,
)
from tests.crash.points import every_point

TABLES = {
    "ground": test_plain_work.GROUND_POINTS,
    "steps": test_steps.POINTS,
    "uploads": test_uploads.POINTS,
    "asking": test_asking.POINTS,
    "mending": test_mending.POINTS,
    "reprocessing": test_reprocessing.POINTS,
    "searching": test_searching.POINTS,
}


def test_every_point_stands_in_a_table_and_every_table_names_points_that_exist():
    named = {point for table in TABLES.values() for point in table}

    assert every_point() == named
