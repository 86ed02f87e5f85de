"""Rows of totals below the data: left out and said where they surely are, asked about where not."""

import pytest
from django.urls import reverse

from ingestion import answers, questions, total_words, totals_below
from ingestion.models import Record, RowError, SchemaVersion
from tests.factories import DatasetFactory
from tests.ingestion.conftest import work_on
from tests.ingestion.reading import ods_books, old_books, xlsb_books
from tests.ingestion.workbooks import workbook
from work.failure_texts import describe

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = [["id", "amount"], ["a", 1.1], ["b", 2.2]]
FIELDS = [{"name": "id"}, {"name": "amount", "type": "number"}]


@pytest.fixture
def dataset(stations):
    """As everywhere, but with numbers that have a fraction."""
    SchemaVersion.objects.filter(dataset=stations).update(schema={"fields": FIELDS, "primaryKey": "id"})
    return stations


def keys(dataset):
    return sorted(Record.objects.filter(dataset=dataset).values_list("data__id", flat=True))


def said(upload):
    return {entry["code"]: entry["detail"] for entry in upload.assumptions}


@pytest.mark.parametrize(
    "text",
    ["Summe", "TOTAL:", "Grand total", "Zwischensumme", "Gesamt", "Total 2025 (EUR)", "Sous-total", "Razem",
     "Σ", "Итого", "合計", "Sum of amounts"],
)  # fmt: skip
def test_labels_of_totals(text):
    assert total_words.is_label(text)


@pytest.mark.parametrize(
    "text", ["Total Energies", "Summer", "Sumatra", "grand", "2025", "", "Sum 41 (band)"]
)
def test_other_texts_are_none(text):
    assert not total_words.is_label(text)


@pytest.mark.parametrize(
    "content",
    [
        workbook(Data=[*ROWS, ["Total", 3.3]]),
        workbook(Data=[*ROWS, [], ["Summe", 3.3000000000000003]]),
        "id;amount;note\na;1.1;\nb;2.2;\nSumme;3.3\n",
        "id,amount\na,1.1\nb,2.2\n,\nGrand total:,3.3\n",
    ],
    ids=["no blank row", "noise", "ragged", "blank row"],
)
def test_row_with_the_sum_of_its_column_is_left_out_and_said(process, dataset, content):
    upload = process(content)

    assert (upload.state, upload.rows_read, upload.blank) == ("processed", 2, 0)
    assert keys(dataset) == ["a", "b"]
    assert said(upload)["totals_below_left_out"]["count"] == 1


XLS = old_books.xls(
    old_books.label(0, 0, "id"), old_books.label(0, 1, "amount"), old_books.label(1, 0, "a"),
    old_books.number(1, 1, 1.1), old_books.label(2, 0, "b"), old_books.number(2, 1, 2.2),
    old_books.label(3, 0, "Total"), old_books.number(3, 1, 3.3),
)  # fmt: skip
ODS = ods_books.ods(
    ods_books.row(ods_books.text("id"), ods_books.text("amount")),
    ods_books.row(ods_books.text("a"), ods_books.number(1.1)),
    ods_books.row(ods_books.text("b"), ods_books.number(2.2)),
    ods_books.row(ods_books.text("Total"), ods_books.number(3.3)),
)
XLSB = xlsb_books.xlsb(
    xlsb_books.row(1, xlsb_books.written(0, "id"), xlsb_books.written(1, "amount")),
    *(
        xlsb_books.row(number, xlsb_books.written(0, text), xlsb_books.real(1, value))
        for number, text, value in ((2, "a", 1.1), (3, "b", 2.2), (4, "Total", 3.3))
    ),
)


@pytest.mark.parametrize("content", [XLS, ODS, XLSB], ids=["xls", "ods", "xlsb"])
def test_other_formats_alike(process, dataset, content):
    upload = process(content)

    assert (upload.state, keys(dataset)) == ("processed", ["a", "b"])


def test_row_that_could_be_no_record_is_left_out_whatever_its_numbers(process):
    fields = [{"name": "place"}, {"name": "id"}, {"name": "amount", "type": "number"}]
    into = DatasetFactory(schema={"fields": fields, "primaryKey": "id"})
    day = {"fields": [{"name": "day", "type": "date"}, {"name": "amount", "type": "number"}]}
    unkeyed = DatasetFactory(schema=day)

    first = process("place,id,amount\nx,a,1\n\nSumme,,1000109.8\n", into=into)
    second = process("day,amount\n2025-01-02,1\nSumme,1000109.8\n", into=unkeyed)

    assert (first.state, first.rows_read, keys(into)) == ("processed", 1, ["a"])
    assert said(first)["totals_below_left_out"]["rows"] == ["row 4: Summe 1000109.8"]
    assert (second.state, second.rows_read) == ("processed", 1)


def test_notes_below_a_total_are_still_notes(process):
    fields = [{"name": "id"}, {"name": "amount", "type": "number"}, {"name": "x"}, {"name": "y"}]
    into = DatasetFactory(schema={"fields": fields, "primaryKey": "id"})
    rows = [
        ["id", "amount", "x", "y"],
        ["a", 1, "p", "q"],
        ["b", 2, "p", "q"],
        ["Total", 3],
        [],
        ["Source: us"],
    ]

    upload = process(workbook(Data=rows), into=into)

    assert (upload.state, upload.rows_read, upload.blank, keys(into)) == ("processed", 2, 0, ["a", "b"])
    assert {"totals_below_left_out", "notes_below_left_out"} <= said(upload).keys()


@pytest.mark.parametrize("last", [["Total", 7], ["Total", None], ["Total", "=SUM(B2:B3)"]])
def test_row_that_may_be_a_record_is_asked_about(process, dataset, last):
    upload = process(workbook(Data=[*ROWS, ["c", "many"], last]))

    assert (upload.state, upload.question) == ("needs_answer", "which_totals")
    assert questions.describe(upload.asking)[0].startswith("Below the data stands")
    assert [row["number"] for row in upload.asking["totals"]["rows"]] == [5]
    assert keys(dataset) == []


@pytest.mark.parametrize(
    ("confirm", "kept"), [(totals_below.LEAVE_OUT, ["a", "b"]), (totals_below.KEEP, ["Total", "a", "b"])]
)
def test_answer_decides_and_may_come_with_the_file(process, dataset, by, confirm, kept):
    asked = process(workbook(Data=[*ROWS, ["c", "many"], ["Total", 7]]))
    upload = answers.answer(upload=asked, reading={"confirm": [confirm]}, by=by)
    answered = work_on(upload)
    said_before = process(workbook(Data=[*ROWS, ["Total", 8]]), reading={"confirm": [confirm]})

    errors = RowError.objects.filter(upload=answered, run=answered.run).count()
    assert (answered.state, answered.refused, errors) == ("partial", 1, 1)
    assert (said_before.state, keys(dataset)) == ("processed", kept)
    assert answered.rows_read == said_before.rows_read + 1 == len(kept) + 1


def test_sender_who_wants_no_questions_gets_a_failure(process, dataset):
    upload = process(workbook(Data=[*ROWS, ["Total", 7]]), on_doubt="fail")

    message, remedy = describe(upload.failure_code, upload.failure_detail)
    assert (upload.state, upload.failure_code) == ("failed", "which_totals")
    assert "row 4: Total 7" in message
    assert "totals:leave_out" in remedy
    assert keys(dataset) == []


@pytest.mark.parametrize("last", [["Total Energies", 3.3], [3.3, "Total"]])
def test_name_that_only_begins_so_is_a_row(process, dataset, last):
    upload = process(workbook(Data=[*ROWS, last]))

    assert upload.valid + upload.refused == 3
    assert "totals_below_left_out" not in said(upload)


def test_total_far_below_many_rows_is_found(process, dataset):
    lines = "".join(f"k{number},{number}\n" for number in range(1200))

    upload = process(f"id,amount\n{lines}Total,{sum(range(1200))}\n")

    assert (upload.state, upload.rows_read, Record.objects.count()) == ("processed", 1200, 1200)


def test_page_shows_the_rows_beside_the_sums_and_takes_the_answer(client, manager, process, dataset):
    asked = process(workbook(Data=[*ROWS, ["Total", 7]]))
    client.force_login(manager)
    url = reverse("upload_answer", args=[asked.pk])

    page = client.get(url).content.decode()
    refused = client.post(url, {"asked": asked.asked_at.isoformat()})
    client.post(url, {"asked": asked.asked_at.isoformat(), "rows": "keep"})

    assert "<td>7</td><td>3.3</td>" in page
    assert (refused.status_code, "Say what these rows are." in refused.content.decode()) == (422, True)
    asked.refresh_from_db()
    assert (asked.state, asked.reading["confirm"]) == ("accepted", [totals_below.KEEP])
