"""The settings of a dataset, changed by a manager with a reason."""

import pytest
from django.urls import reverse

from ingestion.models import SchemaVersion
from tests.ingestion.views.conftest import text_of
from work.models import Decision

pytestmark = pytest.mark.django_db
SETTINGS = {"title": "Stations", "locale": "de-AT", "mode": "snapshot", "retire_limit": 5, "refuse_limit": 10}


@pytest.fixture
def address(stations):
    return reverse("dataset_settings", args=["north", "stations"])


def test_settings_change_with_their_reason(as_manager, address, stations):
    answer = as_manager.post(address, SETTINGS | {"why": "The register sends the whole."}, follow=True)

    stations.refresh_from_db()
    assert "The settings are changed." in text_of(answer)
    assert {name: getattr(stations, name) for name in SETTINGS} == SETTINGS
    decision = Decision.objects.get(what="dataset.changed")
    assert (decision.why, decision.after["mode"]) == ("The register sends the whole.", "snapshot")


@pytest.mark.parametrize(
    ("typed", "control"),
    [({"why": ""}, "why"), ({"locale": "German"}, "locale"), ({"retire_limit": 101}, "retire_limit"),
     ({"refuse_limit": -1}, "refuse_limit"), ({"title": ""}, "title"), ({"mode": "x"}, "mode")],
)  # fmt: skip
def test_what_cannot_be_is_refused_at_its_control(as_manager, address, stations, typed, control):
    answer = as_manager.post(address, SETTINGS | {"why": "x"} | typed)

    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [control]
    stations.refresh_from_db()
    assert stations.mode == "upsert"


def test_dataset_without_a_key_cannot_take_snapshots(as_manager, address, stations):
    SchemaVersion.objects.create(dataset=stations, number=2, schema={"fields": [{"name": "id"}]})

    answer = as_manager.post(address, SETTINGS | {"why": "x"})

    assert "Without a key nothing says which records are absent." in text_of(answer)


def test_same_settings_again_are_no_decision(as_manager, address, stations):
    same = {"title": stations.title, "locale": "en", "mode": "upsert", "retire_limit": 20, "why": "x"}

    assert "Nothing was changed." in text_of(as_manager.post(address, same, follow=True))
    assert not Decision.objects.exists()
