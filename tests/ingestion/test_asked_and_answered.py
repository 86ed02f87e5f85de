"""From a doubt to the verdict by the real pipeline: asked, answered, processed; the next file goes through.
An answer whose process is killed is there whole, or not at all.
"""

import os
import signal

import pytest
from django.db import connection

from ingestion import answers
from ingestion.kill_points import ANSWER_AFTER_COMMIT, ANSWER_BEFORE_COMMIT
from ingestion.models import Record, Upload
from tests.ingestion.conftest import work_on
from tests.ingestion.views.conftest import signed_in
from tests.ingestion.views.test_answering import address, form_of
from tests.ingestion.workbooks import workbook
from work.failures import StateChanged
from work.models import Attempt, Decision

pytestmark = pytest.mark.django_db(transaction=True)
FOREIGN = [["Kennung", "Betrag"], ["a", 1], ["b", 2]]
MORE = [["Betrag", "Kennung"], [3, "c"]]
NORTH, SOUTH = [["id", "amount"], ["a", 1]], [["id", "amount"], ["z", 9]]
NAMED = {"mapping": {"id": "Kennung", "amount": "Betrag"}}


def records():
    return dict(Record.objects.values_list("data__id", "data__amount"))


@pytest.fixture
def answer(by):
    """Answer, and let a worker take the upload again."""

    def answer(upload, **reading):
        assert upload.state == "needs_answer"
        return work_on(answers.answer(upload=upload, reading=reading, by=by))

    return answer


def test_columns_that_a_person_names_are_read_and_the_next_file_asks_nothing(process, answer):
    asked = process(workbook(Daten=FOREIGN))
    answered = answer(asked, **NAMED)

    assert (answered.state, answered.starts, records()) == ("processed", 2, {"a": 1, "b": 2})
    outcomes = Attempt.objects.filter(subject=asked.pk).order_by("number").values_list("outcome", flat=True)
    assert list(outcomes) == ["asked", "finished"]

    following = process(workbook(Daten=MORE))
    assert (following.state, following.starts, records()) == ("processed", 1, {"a": 1, "b": 2, "c": 3})
    assert "headers_matched_by_alias" in [each["code"] for each in following.assumptions]


def test_sheet_that_a_person_chooses_is_the_usual_one_from_then_on(process, answer):
    answered = answer(process(workbook(North=NORTH, South=SOUTH)), sheet="South")
    assert (answered.state, records()) == ("processed", {"z": 9})

    following = process(workbook(North=[*NORTH, ["b", 2]], South=[["id", "amount"], ["y", 8]]))
    assert (following.state, records()) == ("processed", {"z": 9, "y": 8})


def test_row_of_headings_that_a_person_chooses_is_obeyed(process, answer):
    asked = process(b"x,y\nq,r\nt,u\n")
    assert asked.question == "which_header"

    answered = answer(asked, header_row=2, mapping={"id": "q", "amount": None})

    assert (answered.state, records()) == ("processed", {"t": None})


def test_what_is_suggested_is_agreed_to_by_the_code(process, answer):
    asked = process(workbook(Data=[["id", "ammount"], ["a", 1]]))
    assert asked.question == "which_columns"

    assert answer(asked, confirm=["which_columns"]).state == "processed"
    assert records() == {"a": 1}


def test_answer_of_a_doubtful_sheet_may_be_followed_by_the_next_question(process, answer):
    asked = process(workbook(North=NORTH, South=SOUTH, Other=[["Kennung", "Betrag"], ["q", 7]]))

    again = answer(asked, sheet="Other")
    assert (again.state, again.question) == ("needs_answer", "which_columns")

    assert answer(again, **NAMED).state == "processed"
    assert records() == {"q": 7}


def test_file_that_must_not_ask_ends_at_once(process):
    failed = process(workbook(Daten=FOREIGN), on_doubt="fail")

    assert (failed.state, failed.failure_code, failed.starts) == ("failed", "which_columns", 1)


@pytest.mark.parametrize(
    ("content", "question", "chosen", "stored"),
    [
        (workbook(Daten=FOREIGN), "which_columns", {"column_0": "0", "column_1": "1"}, {"a": 1, "b": 2}),
        (workbook(North=NORTH, South=SOUTH), "which_sheet", {}, {"a": 1}),
        (b"x,y\nq,r\nt,u\n", "which_header", {"column_0": "0"}, {"q": None, "t": None}),
    ],
    ids=["columns", "sheet", "header"],
)
def test_page_shows_and_answers_real_questions(process, manager, stations, content, question, chosen, stored):
    asked = process(content, into=stations)
    assert asked.question == question
    browser = signed_in(manager)

    form = form_of(browser.get(address(asked)), **chosen)
    assert browser.post(address(asked), form).status_code == 302
    verdict = work_on(asked)

    assert (verdict.state, records()) == ("processed", stored)


def killed_at(point, act, folder, monkeypatch):
    """Run `act` in a process of its own that is killed there, as a web server may be."""
    monkeypatch.setenv("WAYBILL_KILL_DIR", str(folder))
    connection.close()  # no two processes may use one
    child = os.fork()
    if not child:
        os.environ["WAYBILL_KILL"] = f"{point}:1"
        try:
            act()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL


@pytest.mark.parametrize(
    ("point", "state"), [(ANSWER_BEFORE_COMMIT, "needs_answer"), (ANSWER_AFTER_COMMIT, "accepted")]
)
def test_answer_whose_process_is_killed_is_whole_or_not_there(
    process, by, dataset, tmp_path, monkeypatch, point, state
):
    asked = process(workbook(Daten=FOREIGN))

    def act():
        return answers.answer(upload=asked, reading=NAMED, by=by)

    killed_at(point, act, tmp_path, monkeypatch)

    found = Upload.objects.get(pk=asked.pk)
    is_there = state == "accepted"
    assert (found.state, found.asking is None, found.due_at is not None) == (state, is_there, is_there)
    assert Decision.objects.count() == dataset.aliases.count() // 2 == int(is_there)
    if is_there:
        with pytest.raises(StateChanged):
            act()
    else:
        act()
    assert (work_on(asked).state, records()) == ("processed", {"a": 1, "b": 2})
    assert Decision.objects.count() == 1
