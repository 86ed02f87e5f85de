"""Answering: one answer counts, it fits the file, the row is due again, and the next file need not ask."""

import threading
import uuid

import pytest
from django.db import connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.principals import Principal
from ingestion import answers, remembered, uploads
from ingestion.models import HeaderAlias, Upload
from ingestion.pipeline import PIPELINE
from tests.factories import DatasetFactory, MembershipFactory
from tests.ingestion import askings
from work import leases
from work.failures import StateChanged
from work.models import Decision, Event
from work.problems import Problem

FILE = b"Stations of 2026,,\n,,\nIdent,Betrag,Remark\na,1,new\n"
FITS = {"mapping": {"id": "Ident", "amount": "B"}}


@pytest.fixture
def asking(accept):
    return lambda asked, **how: askings.let_ask(accept(FILE, **how), asked)


@pytest.fixture
def refused(by):
    """The faults that an answer is refused for, as (place, code)."""

    def refused(upload, reading):
        with pytest.raises(Problem) as raised:
            answers.answer(upload=upload, reading=reading, by=by)
        assert (raised.value.status, raised.value.code) == (422, "reading_not_valid")
        assert Upload.objects.get(pk=upload.pk).state == "needs_answer"
        return [(error["at"], error["code"]) for error in raised.value.extra["errors"]]

    return refused


@pytest.mark.django_db
def test_answer_makes_the_upload_due_and_is_no_start(asking, by):
    upload = asking(askings.which_columns())

    answered = answers.answer(upload=upload, reading=FITS, by=by, why="as every year")

    assert (answered.state, answered.question, answered.asking, answered.asked_at) == (
        "accepted", None, None, None,
    )  # fmt: skip
    assert answered.reading == {"sheet": "Data", "header_row": 3, "header_rows": 1, **FITS}
    assert answered.answered_by_label == "Ada Byron"
    assert (answered.starts, answered.unanswered) == (upload.starts, upload.unanswered) == (1, 0)
    assert leases.claim_next(PIPELINE).row == upload


@pytest.mark.django_db
def test_answer_is_a_decision_with_its_event(asking, by):
    upload = asking(askings.which_columns())

    answers.answer(upload=upload, reading=FITS, by=by, why="as every year")

    decision, event = Decision.objects.get(), Event.objects.get(type="upload.answered")
    assert (decision.what, decision.why, decision.rule) == (
        "upload.answered", "as every year", {"answer": FITS},
    )  # fmt: skip
    assert decision.subject_id == event.subject_id == str(upload.pk)
    assert event.payload["before"] == {"state": "needs_answer", "question": "which_columns"}
    assert "Betrag" not in str(event.payload)


@pytest.mark.django_db
def test_upload_that_asks_nothing_takes_no_answer(accept, asking, by):
    withdrawn = asking(askings.which_columns())
    uploads.withdraw(upload=withdrawn, by=by)

    for upload in (withdrawn, accept(FILE)):
        with pytest.raises(StateChanged) as raised:
            answers.answer(upload=upload, reading=FITS, by=by)
        assert raised.value.found == Upload.objects.get(pk=upload.pk).state


@pytest.mark.django_db
def test_answer_to_an_earlier_question_is_none(asking, by):
    upload = asking(askings.which_sheet())
    answers.answer(upload=upload, reading={"sheet": "Old"}, by=by)
    askings.let_ask(upload, askings.which_columns())

    with pytest.raises(StateChanged) as raised:
        answers.answer(upload=upload, reading={"sheet": "Data"}, by=by)

    assert raised.value.found == "needs_answer"
    assert Upload.objects.get(pk=upload.pk).reading == {"sheet": "Old"}


@pytest.mark.django_db
def test_withdrawn_question_leaves_no_rows_of_the_file(asking, by):
    upload = asking(askings.which_columns())

    uploads.withdraw(upload=upload, by=by)

    assert Upload.objects.get(pk=upload.pk).asking is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reading", "faults"),
    [
        ({}, [("mapping.id", "required_field_not_mapped")]),
        ({"mapping": {"amount": "B"}}, [("mapping.id", "required_field_not_mapped")]),
        ({"mapping": {"id": None}}, [("mapping.id", "required_field_left_out")]),
        ({"mapping": {"id": "Id"}}, [("mapping.id", "unknown_column")]),
        ({"mapping": {"id": "D"}}, [("mapping.id", "unknown_column")]),
        ({"mapping": {"id": "Ident", "amount": "A"}}, [("mapping.amount", "column_taken_twice")]),
        ({"sheet": "Older", **FITS}, [("sheet", "unknown_sheet")]),
        ({"header_row": 2, **FITS}, [("header_row", "row_is_blank")]),
        ({"mapping": {"other": "A"}}, [("mapping.other", "unknown_field")]),
        ({"header_row": 0}, [("header_row", "header_row_out_of_range")]),
    ],
)
def test_answer_that_does_not_fit_names_each_fault(asking, refused, reading, faults):
    assert refused(asking(askings.which_columns()), reading) == faults


@pytest.mark.django_db
def test_required_field_and_doubtful_one_must_be_decided(asking, refused, by):
    doubtful = [*askings.SUGGESTIONS]
    doubtful[1] = doubtful[1] | {"column": 1, "why": "similar"}
    upload = asking(askings.which_columns(suggestions=doubtful))

    assert refused(upload, {"mapping": {"id": "A"}}) == [("mapping.amount", "field_not_decided")]
    answered = answers.answer(upload=upload, reading={"mapping": {"id": "A", "amount": None}}, by=by)
    assert answered.reading["mapping"] == {"id": "A", "amount": None}


@pytest.mark.django_db
def test_heading_over_two_columns_is_named_by_its_letters(asking, refused, by):
    upload = asking(askings.which_columns(headers=["Ident", "Betrag", "Betrag"]))

    assert refused(upload, FITS | {"mapping": {"id": "Ident", "amount": "Betrag"}}) == [
        ("mapping.amount", "column_ambiguous")
    ]
    answers.answer(upload=upload, reading={"mapping": {"id": "Ident", "amount": "C"}}, by=by)
    assert remembered.aliases(upload.dataset_id) == {"ident": "id"}


@pytest.mark.django_db
def test_row_beyond_what_was_kept_is_for_the_worker_to_look_at(asking, by):
    upload = asking(askings.which_header())

    answered = answers.answer(upload=upload, reading={"header_row": 400, **FITS}, by=by)

    assert answered.reading == {"header_row": 400, **FITS}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("make", "reading", "at"),
    [
        (askings.which_sheet, {}, "sheet"),
        (askings.which_header, {}, "header_row"),
        (askings.confirm_retirement, {}, "confirm"),
        (askings.confirm_retirement, {"confirm": ["retire:6"]}, "confirm"),
        (askings.confirm_retirement, {"confirm": ["retire:7"], "sheet": "Data"}, "sheet"),
    ],
)
def test_answer_must_say_what_was_asked(asking, refused, make, reading, at):
    assert [place for place, _ in refused(asking(make()), reading)] == [at]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("make", "stored"),
    [
        (askings.which_header, {"sheet": "Data", "header_row": 3, "header_rows": 1}),
        (
            askings.which_columns,
            {"sheet": "Data", "header_row": 3, "header_rows": 1, "mapping": {"id": "Ident", "amount": None}},
        ),
    ],
)
def test_code_of_the_question_agrees_to_what_it_suggests(asking, by, make, stored):
    upload = asking(make())

    answered = answers.answer(upload=upload, reading={"confirm": [upload.question]}, by=by)

    assert answered.reading == stored | {"confirm": [upload.question]}


@pytest.mark.django_db
def test_retirement_is_agreed_to_at_the_version_that_was_shown(asking, by):
    answered = answers.answer(
        upload=asking(askings.confirm_retirement()), reading={"confirm": ["retire:7"]}, by=by
    )

    assert answered.reading == {"confirm": ["retire:7"]}


@pytest.mark.django_db
def test_another_sheet_has_headings_of_its_own(asking, by, refused):
    sheets = {"sheets": askings.SHEETS}
    upload = asking(askings.which_columns(**sheets))

    assert refused(upload, {"sheet": "Old", **FITS}) == [
        ("mapping.id", "unknown_column"),
    ]
    answered = answers.answer(upload=upload, reading={"sheet": "Old"}, by=by)
    assert answered.reading == {"sheet": "Old"}
    upload.dataset.refresh_from_db()
    assert upload.dataset.usual_sheet == "Old"


@pytest.mark.django_db
def test_headings_that_a_person_named_are_remembered_once(asking, by, dataset):
    answers.answer(upload=asking(askings.which_columns()), reading=FITS, by=by)

    assert remembered.aliases(dataset.pk) == {"ident": "id", "betrag": "amount"}
    assert set(HeaderAlias.objects.values_list("learnt_by_label", flat=True)) == {"Ada Byron"}


@pytest.mark.django_db
def test_heading_that_says_the_field_itself_is_not_remembered(asking, by, dataset):
    upload = asking(askings.which_columns(headers=["I.D.", "Betrag", "Remark"]))

    answers.answer(upload=upload, reading={"mapping": {"id": "I.D.", "amount": "Betrag"}}, by=by)

    assert remembered.aliases(dataset.pk) == {"betrag": "amount"}


@pytest.mark.django_db
def test_later_answer_replaces_what_it_contradicts(asking, by, dataset):
    answers.answer(upload=asking(askings.which_columns()), reading=FITS, by=by)
    Upload.objects.update(due_at=None, state="cancelled", finished_at="2026-01-01T00:00Z")

    other = {"mapping": {"id": "Ident", "amount": "Remark"}}
    answers.answer(upload=asking(askings.which_columns()), reading=other, by=by)

    assert remembered.aliases(dataset.pk) == {"ident": "id", "remark": "amount"}


@pytest.mark.django_db
def test_alias_is_forgotten_by_a_decision(asking, by, dataset):
    answers.answer(upload=asking(askings.which_columns()), reading=FITS, by=by)

    remembered.forget(alias=HeaderAlias.objects.get(header="ident"), by=by)

    assert remembered.aliases(dataset.pk) == {"betrag": "amount"}
    decision = Decision.objects.get(what="dataset.alias_forgotten")
    assert decision.rule == {"heading": "ident", "field": "id"}


ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "sheet": st.sampled_from(["A", "B"]),
        "header_row": st.integers(1, 3),
        "mapping": st.dictionaries(st.sampled_from("xyz"), st.sampled_from(["A", "B", None]), max_size=3),
        "confirm": st.lists(st.sampled_from(["retire:1", "retire:2"]), max_size=2, unique=True),
    },
)


@given(ENTRY, ENTRY)
def test_entries_of_the_answer_replace_those_before(old, new):
    merged = answers.merge(old, new)

    assert {**merged, **{name: value for name, value in new.items() if value}}.keys() == merged.keys()
    for name in ("sheet", "header_row"):
        assert merged.get(name) == new.get(name, old.get(name))
    assert (new.get("mapping") or {}).items() <= (merged.get("mapping") or {}).items()
    assert {*old.get("confirm", ()), *new.get("confirm", ())} == {*merged.get("confirm", ())}
    moved = any(name in old and name in new and old[name] != new[name] for name in ("sheet", "header_row"))
    if moved:
        assert merged.get("mapping", {}) == new.get("mapping", {})


@pytest.mark.django_db(transaction=True)
def test_of_two_answers_at_once_one_counts(asking, by):
    upload = asking(askings.which_columns())
    barrier, outcomes = threading.Barrier(2), []

    def reply(column):
        try:
            barrier.wait()
            reading = {"mapping": {"id": column, "amount": None}}
            outcomes.append(answers.answer(upload=upload, reading=reading, by=by).reading["mapping"]["id"])
        except StateChanged as changed:
            outcomes.append(changed.found)
        finally:
            connection.close()

    threads = [threading.Thread(target=reply, args=[column]) for column in ("Ident", "Remark")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    stands = Upload.objects.get(pk=upload.pk)
    assert sorted(outcomes) == sorted([stands.reading["mapping"]["id"], "accepted"])
    assert Decision.objects.filter(what="upload.answered").count() == 1
    assert len(remembered.aliases(upload.dataset_id)) == 1


@pytest.mark.django_db(transaction=True)
def test_answer_that_comes_to_nothing_leaves_the_question(asking, by):
    upload = asking(askings.which_columns())

    with transaction.atomic():
        answers.answer(upload=upload, reading=FITS, by=by)
        transaction.set_rollback(True)

    upload.refresh_from_db()
    assert (upload.state, upload.asking["code"]) == ("needs_answer", "which_columns")
    assert not HeaderAlias.objects.exists()
    assert not Decision.objects.exists()


@pytest.fixture
def north_asking(send):
    upload = Upload.objects.get(pk=send(FILE).json()["id"])
    return askings.let_ask(upload, askings.which_columns())


def reply(api, upload, **answer):
    return api("post", f"/uploads/{upload.pk}/answer", data=answer, content_type="application/json")


@pytest.mark.django_db
def test_program_reads_the_question_and_answers_it(api, north_asking):
    body = api("get", f"/uploads/{north_asking.pk}").json()
    question = body["question"]
    assert (body["status"], question["code"], question["headers"][1]) == (
        "needs_answer", "which_columns", "Betrag €",
    )  # fmt: skip
    assert question["suggestions"][0] | {"title": "", "why": ""} == {
        "field": "id", "title": "", "required": True, "column": "A", "heading": "Ident", "sure": False,
        "why": "",
    }  # fmt: skip
    assert question["sheets"][0]["rows"][1] == {"number": 3, "cells": ["Ident", "Betrag €", "Remark"]}

    answer = api(
        "post", question["answer_url"], data={"mapping": {"id": "Ident", "amount": "B"}, "why": "so"},
        content_type="application/json",
    )  # fmt: skip

    assert (answer.status_code, answer.json()["status"], answer.json()["question"]) == (200, "accepted", None)
    assert answer.json()["reading"]["mapping"] == {"id": "Ident", "amount": "B"}
    assert answer.json()["answered_by"].startswith("token t of")


@pytest.mark.django_db
def test_second_answer_of_a_program_is_told_what_stands(api, north_asking):
    reply(api, north_asking, confirm=["which_columns"])

    answer = reply(api, north_asking, mapping={"id": "B"})

    body = answer.json()
    assert (answer.status_code, body["code"], body["upload_status"]) == (409, "not_asking", "accepted")


@pytest.mark.django_db
def test_retirement_tells_a_program_what_agrees_to_it(api, send):
    upload = askings.let_ask(Upload.objects.get(pk=send(FILE).json()["id"]), askings.confirm_retirement())
    found = api("get", f"/uploads/{upload.pk}").json()["question"]["retirement"]

    assert (found["retire"], found["confirmation"]) == (30, "retire:7")
    assert reply(api, upload, confirm=[found["confirmation"]]).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"mapping": {"id": "Z"}}, "reading_not_valid"),
        ({"mapping": []}, "request_not_valid"),
        ({"colour": 1}, "request_not_valid"),
        ({"header_row": 0}, "request_not_valid"),
        ({"mapping": {"id": "\u0000"}}, "request_not_valid"),
        ({"mapping": {"\u0000": "A"}}, "reading_not_valid"),
    ],
)
def test_answer_of_a_program_that_does_not_fit_is_422(api, north_asking, answer, code):
    answer = reply(api, north_asking, **answer)

    assert (answer.status_code, answer.json()["code"]) == (422, code)


@pytest.mark.django_db
def test_question_of_another_tenant_is_not_there(api, asking):
    upload = asking(askings.which_columns(), into=DatasetFactory())

    assert reply(api, upload, **FITS).status_code == 404
    assert api(
        "post", f"/uploads/{uuid.uuid4()}/answer", data={}, content_type="application/json"
    ).status_code
    assert Upload.objects.get(pk=upload.pk).state == "needs_answer"


@pytest.mark.django_db
def test_uploader_may_answer_for_a_colleague(asking):
    upload = asking(askings.which_columns())
    colleague = Principal(MembershipFactory(organisation=upload.organisation).user)

    assert colleague.can("answer", upload.organisation)
    assert answers.answer(upload=upload, reading=FITS, by=colleague).state == "accepted"
