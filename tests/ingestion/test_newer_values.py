"""Mended rows whose records a newer upload has written: nobody's values are replaced without being asked."""

import pytest
from django.urls import reverse

from ingestion import answers
from ingestion.models import Record
from ingestion.questions import describe
from tests.factories import DatasetFactory
from tests.ingestion.conftest import work_on
from tests.ingestion.test_mending import FIELDS, FILE, mended, told
from work.models import Decision
from work.problems import Problem

pytestmark = pytest.mark.django_db(transaction=True)
NEWER = "id,amount,note\n007,1,newer\n"


@pytest.fixture
def into(db):
    return DatasetFactory(schema={"fields": FIELDS, "primaryKey": ["id"]})


@pytest.fixture
def upload(process, into):
    return process(FILE, into=into)


@pytest.fixture
def send(process, by, upload, into):
    """The workbook of rows to mend, both of them mended."""

    def send(values=None, **how):
        content = mended(upload, by, values or {2: 7, 4: 9})
        return process(content, filename="m.xlsx", into=into, **how)

    return send


@pytest.fixture
def answer(by):
    def answer(asked, confirm):
        return work_on(answers.answer(upload=asked, reading={"confirm": [confirm]}, by=by))

    return answer


def amounts():
    return dict(Record.objects.values_list("data__id", "data__amount"))


def test_nothing_is_asked_when_no_newer_upload_wrote_the_rows(process, send, into):
    process("id,amount,note\n555,1,\n008,3,\n", into=into)

    assert send().state == "processed"
    assert amounts() == {"007": 7, "008": 3, "009": 9, "555": 1}


def test_nothing_is_asked_when_both_say_the_same(process, send, into):
    process("id,amount,note\n007,7,\n", into=into)

    assert (send().state, amounts()["007"]) == ("processed", 7)


def test_it_is_asked_with_both_values_and_the_upload_that_wrote_one(process, send, into):
    newer = process(NEWER, filename="newer.csv", into=into)

    asked = send()

    assert (asked.state, asked.question, asked.asking["newer"]["rows"]) == (
        "needs_answer", "confirm_newer_values", 1,
    )  # fmt: skip
    (example,) = asked.asking["newer"]["examples"]
    assert (example["row"], example["key"], example["upload"], example["filename"]) == (
        2, "007", str(newer.pk), "newer.csv",
    )  # fmt: skip
    assert example["fields"] == [
        {"field": "amount", "now": "1", "mine": "7"}, {"field": "note", "now": "newer", "mine": ""},
    ]  # fmt: skip
    assert describe(asked.asking)[0] == (
        "1 of the mended rows would replace values that newer uploads have written since: “newer.csv”."
    )
    assert amounts() == {"007": 1, "008": 2}


def test_mended_values_are_stored_when_a_person_sends_them(process, send, answer, upload, into):
    process(NEWER, into=into)
    asked = send()

    sent = answer(asked, f"newer:{asked.asking['newer']['version']}")

    assert (sent.state, sent.updated, sent.inserted, sent.mended) == ("processed", 1, 1, 2)
    assert amounts() == {"007": 7, "008": 2, "009": 9}
    assert [each["code"] for each in sent.assumptions].count("newer_values_replaced") == 1
    assert Decision.objects.filter(what="upload.answered").count() == 1


def test_newer_values_stay_when_a_person_keeps_them_and_the_story_says_so(
    process, send, answer, upload, into
):
    process(NEWER, into=into)
    asked = send()

    sent = answer(asked, f"keep:{asked.asking['newer']['version']}")

    assert (sent.state, sent.superseded, sent.inserted, sent.mended) == ("processed", 1, 1, 2)
    assert amounts() == {"007": 1, "008": 2, "009": 9}
    assert told(upload) == (3, 1, 2, 0)
    said = [each["message"] for each in sent.assumptions if each["code"] == "newer_values_kept"]
    assert said == [
        "1 mended rows were left out, as it was answered: newer uploads have written their records."
    ]


@pytest.mark.parametrize("word", ["newer", "keep"])
def test_answer_is_void_once_the_records_have_changed(process, send, by, into, word):
    process(NEWER, into=into)
    asked = send()
    version = asked.asking["newer"]["version"]
    answered = answers.answer(upload=asked, reading={"confirm": [f"{word}:{version}"]}, by=by)
    type(asked).objects.filter(pk=asked.pk).update(due_at="2999-01-01T00:00Z")
    process("id,amount,note\n555,2,\n", into=into)
    type(asked).objects.filter(pk=asked.pk).update(due_at="2026-01-01T00:00Z")

    again = work_on(answered)

    assert (again.state, again.question, again.asking["newer"]["version"]) == (
        "needs_answer", "confirm_newer_values", version + 1,
    )  # fmt: skip
    assert amounts()["007"] == 1


def test_sender_that_wants_no_questions_is_told_what_was_in_doubt(process, send, into):
    process(NEWER, into=into)

    sent = send(on_doubt="fail")

    assert (sent.state, sent.failure_code) == ("failed", "confirm_newer_values")
    assert amounts() == {"007": 1, "008": 2}


def test_trial_says_that_it_would_ask(process, send, into):
    process(NEWER, into=into)

    tried = send(dry_run=True)

    assert tried.state == "processed"
    assert "newer_values_ask" in [each["code"] for each in tried.assumptions]


def test_record_without_key_that_was_mended_meanwhile_is_asked_about(process, by):
    into = DatasetFactory(schema={"fields": FIELDS})
    upload = process(FILE, into=into)
    process(mended(upload, by, {2: 1, 4: 9}), filename="m.xlsx", into=into)
    first_again = process(
        f'id,amount,note,"Row in the original file [waybill {upload.pk}]"\n007,7,,2\n', into=into
    )

    assert (first_again.question, first_again.asking["newer"]["examples"][0]["key"]) == (
        "confirm_newer_values", "",
    )  # fmt: skip


def test_answer_must_say_one_of_both(process, send, by, into):
    process(NEWER, into=into)
    asked = send()
    version = asked.asking["newer"]["version"]

    for confirm in (["confirm_newer_values"], [], [f"newer:{version}", f"keep:{version}"], ["newer:99"]):
        with pytest.raises(Problem) as refused:
            answers.answer(upload=asked, reading={"confirm": confirm}, by=by)
        assert [error["code"] for error in refused.value.extra["errors"]] == ["confirmation_missing"]


def test_page_shows_both_values_and_takes_the_answer(process, send, into, client):
    newer = process(NEWER, filename="newer.csv", into=into)
    asked = send()
    client.force_login(asked.uploaded_by)
    asked.uploaded_by.is_operator = True
    asked.uploaded_by.save()
    address = reverse("upload_answer", args=[asked.pk])

    shown = client.get(address).content.decode()
    given = {"asked": asked.asked_at.isoformat()}
    undecided = client.post(address, given)
    decided = client.post(address, given | {"values": "theirs", "why": "theirs is right"})
    stored = work_on(asked)
    story = client.get(reverse("upload", args=[asked.pk])).content.decode()

    assert "One mended row was written meanwhile" in shown
    assert reverse("upload", args=[newer.pk]) in shown
    assert (undecided.status_code, decided.status_code) == (422, 302)
    assert "Say which values shall stand." in undecided.content.decode()
    assert (stored.state, amounts()["007"]) == ("processed", 1)
    assert "1 left to newer files" in story
    assert Decision.objects.get(what="upload.answered").why == "theirs is right"
