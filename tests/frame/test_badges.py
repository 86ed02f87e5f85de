import pytest

from work import badges


@pytest.fixture(autouse=True)
def machines(monkeypatch):
    monkeypatch.setattr(badges, "_machines", {})
    badges.register("upload", title="Uploads", badges={"partial": badges.Badge("part", "Partly processed")})


def test_find_gives_shape_and_word():
    assert badges.find("upload", "partial") == badges.Badge("part", "Partly processed")


def test_find_an_unknown_state_shows_it_as_itself():
    assert badges.find("upload", "needs_answer").word == "Needs answer"


def test_badge_of_an_unknown_shape_is_refused():
    with pytest.raises(ValueError, match="no shape 'error'"):
        badges.Badge("error", "Broken")


def test_machines_are_in_the_order_of_their_titles():
    badges.register("sync", title="Syncs", badges={})
    badges.register("delivery", title="Deliveries", badges={})

    assert [machine.title for machine in badges.machines()] == ["Deliveries", "Syncs", "Uploads"]
