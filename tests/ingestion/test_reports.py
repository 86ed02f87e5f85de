"""Reports of refused rows: harmless for spreadsheet programs, complete, and built once."""

import datetime as dt
import io

import openpyxl
import pytest
import xlsxwriter

from ingestion import report_workbook, reports
from ingestion.models import Report
from ingestion.report_pipeline import REPORTS
from ingestion.report_rows import is_formula_like, neutral
from ingestion.states import REPORT_MOVES, REPORT_TERMINAL, ReportState
from tests.factories import DatasetFactory
from work import leases, runner, storage
from work.problems import Problem


@pytest.mark.parametrize(
    "text",
    [
        "=1+1", "+SUM(A1)", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1",
        "\u200b=1", "\uff1d1", "\uff0b1", "\uff0d1+1", "\uff201", "+49 30 123-45", "-1+1", "--1", "\t",
    ],
)  # fmt: skip
def test_text_that_a_program_would_calculate_is_neutralised(text):
    assert neutral(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["", "a=b", "-5", "+5", "-1,234.50", "-1.5e-3", "-12 %", "12-13", "'=1", "1=1"]
)
def test_other_text_stays_as_it_is(text):
    assert neutral(text) == text
    assert not is_formula_like(text)


SHEETS = {"xlsx": ("Refused rows", "C2"), "mend": ("Rows to mend", "B2"), "whole": ("Whole sheet", "B2")}


def build(upload, kind, by):
    report = reports.request(upload=upload, kind=kind, by=by)
    runner.run(leases.claim_next(REPORTS))
    report.refresh_from_db()
    assert report.state == ReportState.BUILT
    with storage.files().open(report.storage_key) as file:
        return file.read()


@pytest.mark.django_db(transaction=True)
def test_workbook_has_rows_in_the_order_of_the_sheet_whenever_they_were_refused(process, by):
    upload = process("id,amount\nb,1\na,x\nb,2\nc,y\n")

    sheet = openpyxl.load_workbook(io.BytesIO(build(upload, "xlsx", by)))["Refused rows"]

    assert [(row[0].value, row[1].value, row[2].value) for row in sheet.iter_rows(min_row=2)] == [
        (2, "b", "1"),
        (3, "a", "x"),
        (4, "b", "2"),
        (5, "c", "y"),
    ]
    assert "same key" in sheet["B2"].comment.text


@pytest.mark.django_db(transaction=True)
def test_blank_cell_at_fault_at_the_end_of_a_row_is_coloured(process, by):
    fields = [{"name": "id"}, {"name": "note", "constraints": {"required": True}}]
    upload = process("id,note\na,\nb,x\n", into=DatasetFactory(schema={"fields": fields, "primaryKey": "id"}))

    sheet = openpyxl.load_workbook(io.BytesIO(build(upload, "xlsx", by)))["Refused rows"]

    assert sheet["C2"].value is None
    assert sheet["C2"].fill.fgColor.rgb == "FFFFE0B2"
    assert "required" in sheet["C2"].comment.text


@pytest.mark.django_db(transaction=True)
def test_only_the_first_rows_carry_comments(process, by, monkeypatch):
    monkeypatch.setattr(report_workbook, "COMMENTED_ROWS", 1)
    upload = process("id,amount\na,x\nb,y\n")

    sheet = openpyxl.load_workbook(io.BytesIO(build(upload, "xlsx", by)))["Refused rows"]

    assert sheet["C2"].comment is not None
    assert sheet["C3"].comment is None
    assert sheet["C3"].fill.fgColor.rgb == sheet["C2"].fill.fgColor.rgb


@pytest.mark.django_db(transaction=True)
def test_mended_workbook_can_be_sent_again(process, by, dataset):
    upload = process("id,amount\na,x\nb,2\n")
    book = openpyxl.load_workbook(io.BytesIO(build(upload, "xlsx", by)))
    book["Refused rows"]["C2"].value = 7
    mended = io.BytesIO()
    book.save(mended)

    again = process(mended.getvalue(), filename="mended.xlsx")

    assert (again.state, again.inserted) == ("processed", 1)


@pytest.mark.django_db(transaction=True)
def test_whole_sheet_keeps_every_row_in_its_place_and_as_it_was(process, by):
    fields = [{"name": "id"}, {"name": "amount", "type": "integer"}, {"name": "on", "type": "date"}]
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet, day = book.add_worksheet(), book.add_format({"num_format": "dd.mm.yyyy"})
        percent, zeros = book.add_format({"num_format": "0%"}), book.add_format({"num_format": "00000"})
        sheet.write_row(1, 0, ["id", "amount", "on", "share", "flag", "code", "error"])
        sheet.write_row(2, 0, ["a", 1])
        sheet.write_datetime(2, 2, dt.date(2024, 5, 31), day)
        sheet.write(2, 3, 0.52, percent)
        sheet.write_boolean(2, 4, True)
        sheet.write(2, 5, 6083, zeros)
        sheet.write_formula(2, 6, "=NA()", None, "#N/A")
        sheet.write_string(4, 0, "=b")
        sheet.write_string(4, 1, "x")
    into = DatasetFactory(schema={"fields": fields, "primaryKey": ["id"]})
    upload = process(file.getvalue(), filename="a.xlsx", into=into)

    sheet = openpyxl.load_workbook(io.BytesIO(build(upload, "whole", by)))["Whole sheet"]

    assert [cell.value for cell in sheet[2]][:3] == ["id", "amount", "on"]
    values = [cell.value for cell in sheet[3]][:7]
    assert values.pop(2).date() == dt.date(2024, 5, 31)
    assert values == ["a", 1, 0.52, True, 6083, "=#N/A"]
    assert (sheet["D3"].number_format, sheet["F3"].number_format) == ("0.00%", "00000")
    assert (sheet["A5"].value, sheet["A5"].data_type) == ("=b", "s")
    assert sheet["B5"].fill.fgColor.rgb == "FFFFE0B2"
    assert "B5: “x” is not a whole number." in sheet["H5"].value
    assert sheet["H3"].value is None


@pytest.mark.django_db(transaction=True)
def test_control_characters_of_a_cell_reach_every_report_as_pictures(process, by):
    upload = process(b"id,amount\na,\x01\x00x\nb,1\n")

    for kind in Report.Kind.values:
        content = build(upload, kind, by)
        if kind in SHEETS:
            sheet, place = SHEETS[kind]
            shown = openpyxl.load_workbook(io.BytesIO(content))[sheet][place].value
        else:
            shown = content.decode("utf-8-sig")
        assert "␁" in shown
        assert "\x01" not in shown


@pytest.mark.django_db(transaction=True)
def test_report_is_the_same_row_for_everybody_until_it_failed(process, by):
    upload = process("id,amount\na,x\nb,2\n")

    first = reports.request(upload=upload, kind="csv", by=by)
    assert reports.request(upload=upload, kind="csv", by=by) == first
    Report.objects.filter(pk=first.pk).update(state="failed", due_at=None, finished_at="2026-01-01T00:00Z")
    assert reports.request(upload=upload, kind="csv", by=by) != first


@pytest.mark.django_db
def test_report_before_the_verdict_is_refused(accept, by):
    with pytest.raises(Problem) as refused:
        reports.request(upload=accept("id\na\n"), kind="csv", by=by)

    assert refused.value.code == "no_verdict_yet"


def test_moves_name_every_state_and_end_in_terminal_ones():
    assert set(REPORT_MOVES) == set(ReportState)
    assert {state for state, moves in REPORT_MOVES.items() if not moves} == set(REPORT_TERMINAL)
