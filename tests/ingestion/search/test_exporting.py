"""Downloads of what the records page shows."""

import csv
import io
import json
import tracemalloc

import openpyxl
import pytest
from django.urls import reverse

from ingestion.search import exporting, workbook
from tests.ingestion.search.conftest import settle

pytestmark = pytest.mark.django_db
ROWS = {
    "a": {"name": "=1+1", "amount": 1, "opened": "2024-01-01", "open": True, "note": "x\ty\n\u0001"},
    "b": {"name": "-3", "amount": -2.5, "note": '"<&>'},
    "c": {"name": "@cmd", "amount": 12345678901234567890, "note": "ż" * 40_000},
}


@pytest.fixture
def download(client, manager, dataset, store, monkeypatch):
    monkeypatch.setattr(exporting, "PAGE", 2)
    store(dataset, ROWS)
    settle(dataset)
    client.force_login(manager)

    def download(kind, query=""):
        answer = client.get(f"{reverse('records_export', args=['north', 'stations', kind])}?{query}")
        assert answer.status_code == 200
        assert f'filename="stations.{kind}"' in answer["Content-Disposition"]
        return b"".join(answer.streaming_content)

    return download


def test_csv_holds_every_record_and_no_formula(download):
    rows = list(csv.reader(io.StringIO(download("csv").decode("utf-8-sig"))))

    assert rows[0] == ["id", "name", "amount", "opened", "open", "note"]
    assert [row[:5] for row in rows[1:]] == [
        ["a", "'=1+1", "1", "2024-01-01", "true"], ["b", "-3", "-2.5", "", ""],
        ["c", "'@cmd", "12345678901234567890", "", ""],
    ]  # fmt: skip


def test_json_lines_hold_values_as_they_are_stored(download):
    rows = [json.loads(line) for line in download("jsonl").decode().splitlines()]

    assert [row["name"] for row in rows] == ["=1+1", "-3", "@cmd"]
    assert rows[0]["open"] is True
    assert rows[2]["note"] == ROWS["c"]["note"]


def test_workbook_holds_text_that_is_never_calculated(download):
    book = openpyxl.load_workbook(io.BytesIO(download("xlsx")))
    rows = list(book["Records"].values)

    assert rows[0] == ("id", "name", "amount", "opened", "open", "note")
    assert rows[1] == ("a", "=1+1", 1, "2024-01-01", True, "x\ty\n\ufffd")
    assert book["Records"]["B2"].data_type == "s"
    assert book["Records"]["B2"].quotePrefix
    assert [row[2] for row in rows[1:]] == [1, -2.5, "12345678901234567890"]
    assert rows[2][5] == '"<&>'
    assert len(rows[3][5]) == workbook.LONGEST_CELL


def test_workbook_goes_on_on_another_sheet(download, monkeypatch):
    monkeypatch.setattr(workbook, "ROWS_A_SHEET", 2)

    book = openpyxl.load_workbook(io.BytesIO(download("xlsx")), read_only=True)

    assert [len(list(sheet.values)) for sheet in book] == [3, 2]


def test_workbook_of_too_many_leads_to_the_other_kinds(client, download, monkeypatch):
    download("xlsx")
    monkeypatch.setattr(workbook, "MOST_ROWS", 2)

    answer = client.get(reverse("records_export", args=["north", "stations", "xlsx"]), follow=True)

    assert answer.redirect_chain
    assert "more records than the 2 that are written into a workbook" in answer.content.decode()
    assert len(download("csv").splitlines()) == 5  # one value holds a line break


def test_empty_workbook_holds_its_head(client, manager, dataset):
    client.force_login(manager)
    answer = client.get(reverse("records_export", args=["north", "stations", "xlsx"]))

    book = openpyxl.load_workbook(io.BytesIO(b"".join(answer.streaming_content)))
    assert list(book["Records"].values) == [("id", "name", "amount", "opened", "open", "note")]


def test_memory_of_a_workbook_does_not_grow_with_its_rows():
    tracemalloc.start()
    peaks = []
    for rows in (2_000, 20_000):
        tracemalloc.reset_peak()
        workbook.write(["id"], ([f"K{n}"] for n in range(rows))).close()
        peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()

    assert peaks[1] < peaks[0] * 2


def test_download_is_what_the_search_shows_in_its_order_and_columns(download):
    rows = list(
        csv.reader(io.StringIO(download("csv", "sort=-amount&columns=name&columns=id").decode("utf-8-sig")))
    )

    assert rows == [["id", "name"], ["c", "'@cmd"], ["a", "'=1+1"], ["b", "-3"]]


def test_download_of_a_search_that_is_refused_leads_back(client, download):
    answer = client.get(f"{reverse('records_export', args=['north', 'stations', 'csv'])}?sort=note")

    assert answer.status_code == 302
    assert client.get(reverse("records_export", args=["north", "stations", "exe"])).status_code == 404
