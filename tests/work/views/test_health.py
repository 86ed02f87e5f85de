import uuid

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from work.models import Canary, Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def healthy(db):
    for cluster in ("ground", "pipelines"):
        Worker.objects.create(id=uuid.uuid4(), cluster=cluster, label=f"{cluster}:1")
        Canary.objects.create(cluster=cluster, passed_at=Now())


def text(browser, name):
    return browser.get(reverse(name)).content.decode()


def test_line_says_that_all_is_well(as_operator, healthy):
    line = text(as_operator, "health_line")

    assert "All parts healthy" in line
    assert "canary" in line


def test_line_names_what_is_not_well(as_operator, healthy):
    Worker.objects.filter(cluster="pipelines").delete()

    line = text(as_operator, "health_line")

    assert "Silent" in line
    assert "All parts healthy" not in line


def test_panel_says_what_is_the_case(as_operator, healthy):
    well = text(as_operator, "health_panel")
    Worker.objects.filter(cluster="ground").delete()

    assert "All parts work" in well
    assert "No worker of the cluster ground gives a sign of life" in text(as_operator, "health_panel")


def test_panel_shows_a_clock_that_is_wrong(as_operator, healthy):
    Worker.objects.filter(cluster="ground").update(clock_skew_seconds=-3600)

    panel = as_operator.get(reverse("health_panel"))

    assert panel.context["largest_skew"] == 3600
    assert "Off" in panel.content.decode()


def test_panel_shows_connections_and_doorbells(as_operator, healthy):
    context = as_operator.get(reverse("health_panel")).context

    assert 0 < context["database"].connections <= context["database"].limit
    assert [number for _, number in context["clusters"]] == [0, 0]


def test_home_says_to_members_that_nothing_moves(as_member):
    home = text(as_member, "home")

    assert "The pipelines workers give no sign of life." in home
    assert "is accepted and kept" in home
