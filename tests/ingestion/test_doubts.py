"""What a file leaves open, through the real pipeline: decided and stated, asked, or refused by name."""

import pytest

from ingestion import answers, kill_points, questions
from ingestion.models import Dataset, HeaderAlias, Record, RowError, Upload
from ingestion.pipeline import PIPELINE
from ingestion.states import UploadState
from tests.factories import DatasetFactory
from tests.ingestion.conftest import work_on
from tests.ingestion.test_once import killed_at
from tests.ingestion.workbooks import workbook
from work import recovery
from work.failure_texts import describe
from work.models import Event
from work.problems import Problem

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = [["id", "amount"], ["a", 1], ["b", 2]]
OTHER_ROWS = [["id", "amount"], ["c", 3]]
FOREIGN_ROWS = [["Kennung", "Betrag"], ["a", 1], ["b", 2]]


def records(dataset):
    return dict(Record.objects.filter(dataset=dataset).values_list("data__id", "data__amount"))


def assumed(upload):
    return {entry["code"]: entry for entry in upload.assumptions}


def test_sheet_whose_headings_match_is_read_and_stated(process, dataset):
    upload = process(workbook(Notes=[["About this file"], ["text"]], Data=ROWS, Old_hidden=OTHER_ROWS))

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"a": 1, "b": 2})
    stated = assumed(upload)["sheet_read"]
    assert stated["message"].startswith("The sheet “Data” was read (its headings are those of the dataset).")
    assert stated["detail"]["others"] == ["Notes", "Old"]


def test_sheets_that_match_alike_are_asked_about(process, dataset):
    upload = process(workbook(North=ROWS, South=OTHER_ROWS, Old_hidden=OTHER_ROWS))

    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "which_sheet")
    assert [(sheet["name"], sheet["hidden"]) for sheet in upload.asking["sheets"]] == [
        ("North", False),
        ("South", False),
        ("Old", True),
    ]
    assert upload.asking["sheets"][1]["rows"][1] == {"number": 2, "cells": ["c", "3"]}
    assert upload.asking["sheets"][2]["rows"] == []
    assert "“North”, “South”" in questions.describe(upload.asking)[0]
    assert not Record.objects.exists()
    assert not RowError.objects.exists()


def test_usual_sheet_is_taken_among_those_that_match_alike(process, dataset):
    Dataset.objects.filter(pk=dataset.pk).update(usual_sheet="South")

    upload = process(workbook(North=ROWS, South=OTHER_ROWS))

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"c": 3})
    assert "the usual one" in assumed(upload)["sheet_read"]["message"]


def test_sheet_that_was_named_is_read_though_hidden(process, dataset):
    upload = process(workbook(North=ROWS, Old_hidden=OTHER_ROWS), reading={"sheet": "Old"})

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"c": 3})


def test_doubt_about_the_sheet_may_be_agreed_to_before(process, dataset):
    upload = process(workbook(North=ROWS, South=OTHER_ROWS), reading={"confirm": ["which_sheet"]})

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"a": 1, "b": 2})


@pytest.mark.parametrize(
    ("reading", "code", "named"),
    [
        ({"sheet": "West"}, "no_such_sheet", "“North”"),
        ({"header_row": 9}, "no_such_header_row", "Row 9"),
        ({"header_row": 3, "header_rows": 2}, "no_such_header_row", "Row 4"),
        ({"mapping": {"id": "Ident"}}, "mapped_heading_unknown", "“Ident”"),
        ({"mapping": {"id": "A", "amount": "id"}}, "mapped_column_twice", "column A"),
        ({"mapping": {"id": None}}, "missing_column", "“id”"),
    ],
)
def test_what_was_said_and_the_file_does_not_have_fails_it_by_name(process, reading, code, named):
    upload = process(workbook(North=ROWS), reading=reading)

    message, remedy = describe(upload.failure_code, upload.failure_detail)
    assert (upload.state, upload.failure_code) == (UploadState.FAILED, code)
    assert named in message
    assert remedy.endswith(".")


def test_header_below_titles_is_found_and_stated(process, dataset):
    upload = process(workbook(Data=[["Stations"], [], ["ID", "Amount"], ["a", 1], ["b", 2]]))

    assert (upload.state, upload.rows_read, records(dataset)) == ("processed", 2, {"a": 1, "b": 2})
    assert assumed(upload)["header_row"]["detail"]["row"] == 3
    assert assumed(upload)["rows_above_left_out"]["detail"] == {"count": 1, "rows": [1]}
    assert assumed(upload)["headers_matched_loosely"]["detail"]["pairs"] == ["ID = id", "Amount = amount"]


def test_header_in_two_rows_is_found_and_stated(process):
    fields = [{"name": name} for name in ("id", "contact name", "contact mail", "note")]
    dataset = DatasetFactory(schema={"fields": fields, "primaryKey": "id"})
    rows = [["id", "Contact", None, "Note"], [None, "Name", "Mail", None], ["a", "Ada", "a@x.org", "n"]]

    upload = process(workbook(Data=rows), into=dataset)

    assert (upload.state, upload.rows_read) == (UploadState.PROCESSED, 1)
    assert Record.objects.get().data["contact mail"] == "a@x.org"
    assert assumed(upload)["header_rows"]["message"].startswith("Rows 1 and 2 together")


@pytest.mark.parametrize("content", [b"a,1\nb,2\n", b"x,y\nq,r\n"])
def test_file_without_known_headings_asks_for_the_row(process, content):
    upload = process(content)

    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "which_header")
    assert upload.asking["header_row"] == 1
    assert [row["number"] for row in upload.asking["sheets"][0]["rows"]] == [1, 2]


def test_foreign_headings_over_values_ask_for_the_columns(process):
    upload = process(workbook(Daten=FOREIGN_ROWS))

    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "which_columns")
    assert upload.asking["headers"] == ["Kennung", "Betrag"]
    assert [(each["field"], each["column"], each["sure"]) for each in upload.asking["suggestions"]] == [
        ("id", None, False),
        ("amount", None, True),
    ]


@pytest.mark.parametrize("mapping", [{"id": "Kennung", "amount": "Betrag"}, {"id": "A", "amount": "b"}])
def test_mapping_is_obeyed_and_stated(process, dataset, mapping):
    upload = process(workbook(Daten=FOREIGN_ROWS), reading={"mapping": mapping, "header_row": 1})

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"a": 1, "b": 2})
    assert assumed(upload)["columns_mapped"]["detail"]["pairs"] == ["Kennung = id", "Betrag = amount"]


def test_column_without_a_heading_is_mapped_by_its_letters(process, dataset):
    rows = [["id", None, None, None], ["a", "x", None, 5]]

    upload = process(workbook(Data=rows), reading={"mapping": {"amount": "D"}, "header_row": 1})

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"a": 5})
    assert assumed(upload)["columns_without_heading"]["detail"]["columns"] == ["B"]


def test_remembered_headings_are_taken_and_stated(process, dataset):
    HeaderAlias.objects.create(dataset=dataset, header="kennung", field="id")
    HeaderAlias.objects.create(dataset=dataset, header="betrag", field="amount")
    HeaderAlias.objects.create(dataset=dataset, header="gone", field="no_longer_there")

    upload = process(workbook(Daten=[["Kennung", "BETRAG"], ["a", 1]]))

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"a": 1})
    pairs = assumed(upload)["headers_matched_by_alias"]["detail"]["pairs"]
    assert pairs == ["Kennung = id", "BETRAG = amount"]


def test_optional_field_with_a_similar_heading_is_asked_about(process):
    upload = process(b"id,amonut\na,1\n")

    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "which_columns")
    (similar,) = [each for each in upload.asking["suggestions"] if each["field"] == "amount"]
    assert (similar["column"], similar["sure"], similar["why"]) == (1, False, "similar")


def test_similar_heading_that_a_person_left_out_is_not_asked_about_again(process, dataset):
    upload = process(b"id,amonut\na,1\n", reading={"mapping": {"amount": None}})

    assert (upload.state, records(dataset)) == (UploadState.PROCESSED, {"a": None})
    assert assumed(upload)["columns_absent"]["detail"]["columns"] == ["amount"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (workbook(North=ROWS, South=OTHER_ROWS), "which_sheet"),
        (b"x,y\nq,r\n", "which_header"),
        (b"name,amount\na,1\n", "which_columns"),
    ],
    ids=["sheet", "header", "columns"],
)
def test_sender_who_wants_no_questions_gets_a_failure_by_their_code(process, content, code):
    upload = process(content, on_doubt="fail")

    assert (upload.state, upload.failure_code, upload.asking) == (UploadState.FAILED, code, None)
    assert "…" not in "".join(describe(upload.failure_code, upload.failure_detail))
    assert not Event.objects.filter(type="upload.needs_answer").exists()
    assert not Record.objects.exists()


def test_duplicate_heading_matters_only_where_a_field_needs_it(process, dataset):
    upload = process(b"id,amount,x,x\na,1,2,3\n")
    twice = process(b"id,amount,amount\na,1,2\n", on_doubt="fail")
    mapped = process(b"id,amount,amount\na,1,2\n", reading={"mapping": {"amount": "C"}})

    assert upload.state == UploadState.PROCESSED
    assert assumed(upload)["columns_ignored"]["detail"]["columns"] == ["x", "x"]
    assert twice.failure_code == "duplicate_header"
    assert "B, C" in describe(twice.failure_code, twice.failure_detail)[0]
    assert (mapped.state, records(dataset)) == (UploadState.PROCESSED, {"a": 2})


@pytest.mark.parametrize(
    ("content", "column"),
    [(b"id,amount,amount\na,1,2\n", "C"), (workbook(Data=[["Amount", "id", "AMOUNT"], [1, "a", 2]]), "c")],
)
def test_columns_with_one_heading_are_asked_about(process, dataset, by, content, column):
    asked = process(content)
    with pytest.raises(Problem) as undecided:
        answers.answer(upload=asked, reading={"confirm": ["which_columns"]}, by=by)
    with pytest.raises(Problem) as ambiguous:
        answers.answer(upload=asked, reading={"mapping": {"amount": "amount"}}, by=by)
    answered = work_on(answers.answer(upload=asked, reading={"mapping": {"amount": column}}, by=by))

    assert (asked.state, asked.question) == (UploadState.NEEDS_ANSWER, "which_columns")
    assert "“amount”" in questions.describe(asked.asking)[0]
    assert [each["why"] for each in asked.asking["suggestions"]] == ["exact", "double"]
    assert [each["code"] for each in undecided.value.extra["errors"]] == ["field_not_decided"]
    assert [each["code"] for each in ambiguous.value.extra["errors"]] == ["column_ambiguous"]
    assert (answered.state, records(dataset)) == (UploadState.PROCESSED, {"a": 2})


@pytest.fixture
def wide():
    fields = [{"name": name} for name in ("id", "name", "place", "note")]
    return DatasetFactory(schema={"fields": fields, "primaryKey": "id"})


WIDE = [["id", "name", "place", "note"], ["a", "Ada", "London", "x"], ["b", "Bo", "Oslo", None]]


def test_notes_below_the_data_are_left_out_and_quoted(process, wide):
    upload = process(workbook(Data=[*WIDE, [], [], ["Source: ministry"], [], ["Total", "two"]]), into=wide)

    assert (upload.state, upload.rows_read, upload.blank) == (UploadState.PROCESSED, 2, 0)
    (notes,) = [entry for entry in upload.assumptions if entry["code"] == "notes_below_left_out"]
    assert notes["detail"]["notes"] == ["row 6: Source: ministry", "row 8: Total two"]


@pytest.mark.parametrize(
    "more",
    [
        [["Source: ministry"]],
        [[], ["c"]],
        [["c", "Cy"], [], ["Source: ministry"]],
        [[], ["Source: ministry"], [], ["c", "Cy", "Rome"]],
    ],
    ids=["no blank row", "lone key", "sparse rows in the data", "in the middle"],
)
def test_what_may_be_a_row_stays_one(process, wide, more):
    upload = process(workbook(Data=[*WIDE, *more]), into=wide)

    assert upload.valid + upload.refused == 2 + len(list(filter(None, more)))
    assert "notes_below_left_out" not in assumed(upload)


def test_junk_above_the_header_of_a_csv_breaks_neither_columns_nor_row_numbers(process, dataset):
    upload = process("Report, of May\n\nRegion;;\nid;amount;x\na;1;2,5\nb;many;1\n")

    assert (upload.state, records(dataset)) == (UploadState.PARTIAL, {"a": 1})
    assert assumed(upload)["header_row"]["detail"]["row"] == 4
    assert RowError.objects.get().row == 6


def test_question_survives_a_second_reading_and_ends_with_its_answer(process, accept, dataset):
    upload = process(workbook(North=ROWS, South=OTHER_ROWS))
    Upload.objects.filter(pk=upload.pk).update(
        state="accepted", asked_at=None, question=None, asking=None, due_at="2020-01-01T00:00Z",
        reading={"sheet": "South"},
    )  # fmt: skip

    answered = work_on(upload)

    assert (answered.state, records(dataset)) == (UploadState.PROCESSED, {"c": 3})


@pytest.mark.slow
@pytest.mark.parametrize("point", kill_points.ASK_POINTS)
def test_worker_killed_while_it_asks_leaves_one_question(accept, settings, tmp_path, point):
    upload = accept(b"name,amount\na,1\n")

    killed_at(point, settings, tmp_path)
    Upload.objects.filter(pk=upload.pk, asked_at=None).update(locked_until="2020-01-01T00:00Z")
    recovery.recover(PIPELINE)
    if Upload.objects.filter(pk=upload.pk, asked_at=None).exists():
        work_on(upload)

    upload.refresh_from_db()
    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "which_columns")
    assert Event.objects.filter(type="upload.needs_answer").count() == 1
    assert not Record.objects.exists()
