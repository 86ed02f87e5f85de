"""Texts anywhere in a column: the index is asked for a part, the answer is that of the whole."""

import pytest

from ingestion.models import Upload
from tests.factories import UploadFactory
from work.holding import holds, telling_part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("returns 501001 of north.xlsx", "501001"),
        ("Sender 117", "117"),
        ("Sender 7 and 9", "nder 7"),
        ("stations.xlsx", "stations.xlsx"),
        ("a 1", "a 1"),
    ],
)
def test_part_with_the_most_digits_is_looked_up(text, part):
    assert telling_part(text) == part


@pytest.mark.django_db
@pytest.mark.parametrize("by_index", [True, False])
def test_row_that_holds_only_the_part_is_not_found(by_index):
    UploadFactory(filename="North 501001 of_2024.CSV")
    UploadFactory(filename="south 501001 of 2024.csv")

    def found(text):
        fitting = Upload.objects.filter(holds("filename", text, by_index=by_index))
        return sorted(fitting.values_list("filename", flat=True))

    assert found("north 501001 OF") == ["North 501001 of_2024.CSV"]
    assert found("501001 of_2024") == ["North 501001 of_2024.CSV"]
    assert found("%501001 of") == []
    assert len(found("h 501001")) == 2
