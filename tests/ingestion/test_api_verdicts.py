"""The API after a worker was there: verdicts, errors, downloads, records."""

import csv
import io
import json

import openpyxl
import pytest

from ingestion.models import Report
from ingestion.pipeline import PIPELINE
from ingestion.reading.reader import PARSER_VERSION
from ingestion.report_pipeline import REPORTS
from tests.ingestion.conftest import FILE
from work import leases, runner

pytestmark = pytest.mark.django_db(transaction=True)


def work(pipeline=PIPELINE):
    runner.run(leases.claim_next(pipeline))


@pytest.fixture
def partial(send):
    upload = send().json()
    work()
    return upload["id"]


def download(api, address):
    asked = api("get", address)
    assert asked.status_code == 202
    assert asked["Location"] == asked.json()["status_url"] == f"/api/v1{address}"
    work(REPORTS)
    answer = api("get", address)
    assert answer.status_code == 200
    content = b"".join(answer)
    answer.close()
    return content


def test_status_tells_the_verdict(api, partial):
    body = api("get", f"/uploads/{partial}").json()

    assert body["status"] == "partial"
    assert body["counts"] == {
        "rows": 3, "valid": 1, "refused": 2, "blank": 0, "inserted": 1, "updated": 0, "unchanged": 0,
        "superseded": 0, "retired": 0, "errors": 2,
    }  # fmt: skip
    assert (body["parser_version"], body["schema_version"], body["failure"]) == (PARSER_VERSION, 1, None)
    assert [start["outcome"] for start in body["starts"]] == ["finished"]
    assert body["assumptions"][0].keys() == {"code", "detail", "message"}


def test_list_is_filtered_and_paged(api, send):
    ids = [send(b"id,amount\na,%d\n" % number).json()["id"] for number in range(3)]
    work()

    assert [item["id"] for item in api("get", "/uploads").json()["items"]] == ids[::-1]
    assert [
        item["id"] for item in api("get", "/uploads?status=processed&dataset=stations").json()["items"]
    ] == ids[:1]
    assert api("get", "/uploads?dataset=none&status=&cursor=").json() == {"items": [], "next_cursor": None}


def test_errors_are_listed_and_filtered(api, partial):
    items = api("get", f"/uploads/{partial}/errors").json()["items"]

    assert [(item["row"], item["cell"], item["value"], item["code"]) for item in items] == [
        (3, "B3", "many", "type_integer"),
        (4, "B4", "=1+1", "type_integer"),
    ]
    assert set(items[0]) == {
        "sheet",
        "row",
        "origin",
        "help_url",
        "column",
        "header",
        "cell",
        "value",
        "code",
        "message",
        "remedy",
    }
    assert api("get", f"/uploads/{partial}/errors?code=required").json()["items"] == []
    assert len(api("get", f"/uploads/{partial}/errors?code=type_integer&column=B").json()["items"]) == 2


def test_original_is_what_was_sent(api, partial):
    answer = api("get", f"/uploads/{partial}/original", headers={"Range": "bytes=0-8"})

    assert answer.status_code == 206
    assert b"".join(answer) == FILE[:9]
    answer.close()


def test_csv_report_is_built_once_and_neutralised(api, partial):
    content = download(api, f"/uploads/{partial}/report.csv").decode("utf-8-sig")

    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(row["row"], row["value"]) for row in rows] == [("3", "many"), ("4", "'=1+1")]
    assert Report.objects.count() == 1


def test_json_report_is_raw(api, partial):
    report = json.loads(download(api, f"/uploads/{partial}/report.json"))

    assert [item["value"] for item in report["items"]] == ["many", "=1+1"]
    assert (report["upload"], report["refused"]) == (partial, 2)


def test_workbook_shows_each_refused_row_with_its_faults(api, partial):
    book = openpyxl.load_workbook(io.BytesIO(download(api, f"/uploads/{partial}/report.xlsx")))

    sheet = book["Refused rows"]
    assert [[cell.value for cell in row][:3] for row in sheet] == [
        ["Row", "id", "amount"],
        [3, "b", "many"],
        [4, "c", "=1+1"],
    ]
    fault, formula = sheet["C2"], sheet["C3"]
    assert "whole number" in fault.comment.text
    assert fault.fill.fgColor.rgb != sheet["B2"].fill.fgColor.rgb
    assert (formula.data_type, formula.quotePrefix) == ("s", True)
    assert sheet["D2"].value.startswith("B3: ")
    assert book["Explanations"]["B1"].value == "stations.csv"


def test_report_of_an_unread_file_is_404(api, send):
    upload = send(b'id,amount\n"a,1\n').json()["id"]

    early = api("get", f"/uploads/{upload}/report.csv")
    work()
    late = api("get", f"/uploads/{upload}/report.csv")

    assert (early.status_code, early.json()["code"]) == (409, "no_verdict_yet")
    assert (late.status_code, late.json()["code"]) == (404, "no_row_report")


def test_key_stays_once_there_are_records(api, partial):
    other = {"fields": [{"name": "id"}, {"name": "amount", "type": "integer"}], "primaryKey": "amount"}

    answer = api(
        "put",
        "/datasets/stations/schema",
        data=other,
        content_type="application/json",
        headers={"If-Match": '"1"'},
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "key_in_use")


def test_records_are_listed(api, partial):
    items = api("get", "/datasets/stations/records").json()["items"]

    assert [(item["key"], item["data"], item["version"], item["upload"]) for item in items] == [
        ('["a"]', {"id": "a", "amount": 1}, 1, partial)
    ]
