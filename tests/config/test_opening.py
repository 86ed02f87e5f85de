"""The first words of a start, and the filling of a new demo. The errand is a real process."""

import os
import sys

import pytest

from config import processes
from config.children import Part
from config.instance import AlreadyRunning, Instance
from config.opening import Opening
from config.supervisor import Supervisor
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def said():
    return []


@pytest.fixture
def start(tmp_path, said):
    """Starts anew over the same folder, as a second `manage.py up` does."""
    open_locks = []

    def start(*, code="pass", answers=lambda: True):
        instance = Instance(tmp_path)
        if open_locks:
            open_locks.pop().close()
        instance.take()
        open_locks.append(instance.lock)
        supervisor = Supervisor([], instance=instance, database=None, tell=said.append)
        return Opening(
            supervisor=supervisor,
            web_answers=answers,
            address="http://127.0.0.1:8000",
            demo=Part("demo", [sys.executable, "-S", "-c", code], os.environ, tmp_path / "log" / "demo.log"),
            var=tmp_path,
        )

    yield start
    for lock in open_locks:
        lock.close()


def look_until(opening, said, words):
    def are_said():
        opening.look()
        return any(words in sentence for sentence in said)

    assert processes.wait_until(are_said, seconds=30), said


def test_nothing_is_said_before_the_web_server_answers(start, said):
    opening = start(answers=lambda: False)

    opening.look()

    assert said == []


def test_new_installation_is_filled_and_then_says_how_to_sign_in(start, said):
    look_until(start(), said, "Sign in as operator, operator2, administrator, manager, uploader.")

    assert "Waybill answers at http://127.0.0.1:8000" in said[0]
    assert "Filling the demo" in said[1]


def test_installation_with_people_is_not_filled(start, said):
    UserFactory()

    look_until(start(code="raise SystemExit(1)"), said, "Sign in as")

    assert not any("Filling" in sentence for sentence in said)


def test_filling_that_failed_is_done_again_at_the_next_start(start, said):
    look_until(start(code="raise SystemExit(1)"), said, "could not be filled. Why stands in")
    UserFactory()
    said.clear()

    look_until(start(), said, "Sign in as")

    assert any("Filling" in sentence for sentence in said)


def test_second_instance_in_a_folder_is_refused_with_the_address_of_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr("config.instance.SETTLING_SECONDS", 0)
    first = Instance(tmp_path)
    first.take()
    first.say(address="http://127.0.0.1:8003")

    with pytest.raises(AlreadyRunning, match=r"http://127\.0\.0\.1:8003 \(process "):
        Instance(tmp_path).take()
    first.lock.close()
