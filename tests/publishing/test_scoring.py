"""Points by the EU portal's method, each with its reason and what to do."""

import pytest

from publishing.metadata import clean
from publishing.rendering import render
from publishing.scoring import MOST, score
from publishing.validation import validate
from tests.publishing.describing import FULL, description

WHAT = {  # each field alone left out, and what that costs
    "keywords": 30,
    "themes": 30,
    "spatial": 20,
    "temporal": 20,
    "licence": 30,
    "access_rights": 15,
    "contact": 20,
    "rights": 5,
    "description": 30,
}


def scored(metadata=FULL, answers=200, **changed):
    whole = description(metadata, **changed)
    rendered = render(whole)
    urls = {address: answers for each in whole.files for address in (each.access_url, each.download_url)}
    return score(rendered, validate(rendered, "high"), urls)


def test_a_full_entry_reaches_all_points():
    full = scored()

    assert (full.points, full.rating, full.as_json()["most"]) == (MOST, "excellent", MOST)
    assert {name: each["most"] for name, each in full.as_json()["dimensions"].items()} == {
        "findability": 100,
        "accessibility": 100,
        "interoperability": 110,
        "reusability": 75,
        "contextuality": 20,
    }


@pytest.mark.parametrize(("field", "points"), WHAT.items())
def test_each_field_left_out_costs_its_points(field, points):
    less = scored({name: value for name, value in FULL.items() if name != field})
    lost = [each for each in less.indicators if not each.points]

    assert MOST - less.points == points
    assert all(each.remedy and each.reason for each in lost)


def test_addresses_give_points_when_they_answered():
    rendered = render(description())
    report = validate(rendered, "high")

    assert score(rendered, report).points == MOST - 80
    assert "not asked for yet" in score(rendered, report).indicators[4].reason
    assert scored(answers=404).points == MOST - 80
    assert "404" in scored(answers=404).indicators[4].reason


def test_the_least_is_bad():
    least = scored(clean({"title": {"en": "Peaks"}}), answers=0, files=())

    assert (least.points, least.rating) == (20, "bad")
