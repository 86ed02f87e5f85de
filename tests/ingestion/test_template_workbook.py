"""A template that is filled in and sent passes, whatever types its schema has; and it calculates nothing."""

import datetime as dt
import io

import openpyxl
import pytest
from django.urls import reverse

from ingestion import template_workbook
from ingestion.models import SchemaVersion
from tests.factories import DatasetFactory

pytestmark = pytest.mark.django_db(transaction=True)
# Each type with its rules, and two values as a person types them.
FIELDS = [
    ({"name": "id", "title": "Kennung", "type": "string"}, ["007", "0042"]),
    ({"name": "mail", "type": "string", "format": "email"}, ["a@example.org", None]),
    ({"name": "place", "type": "string", "constraints": {"enum": ["=A1", "north", "-south"]}},
     ["north", "-south"]),
    ({"name": "short", "type": "string", "constraints": {"minLength": 2, "maxLength": 4}}, ["ab", "abcd"]),
    ({"name": "n", "title": "Anzahl", "type": "integer", "constraints": {"minimum": 1, "maximum": 9}},
     [1, 9]),
    ({"name": "height", "title": "=Höhe", "type": "number", "constraints": {"maximum": 9.5}}, [1.5, 9.5]),
    ({"name": "level", "type": "integer", "constraints": {"enum": [1, 2]}}, [1, 2]),
    ({"name": "share", "type": "number", "bareNumber": False}, ["5 %", "7"]),
    ({"name": "open", "type": "boolean"}, ["ja", False]),
    ({"name": "lit", "type": "boolean", "trueValues": ["an"], "falseValues": ["aus"]}, ["an", "aus"]),
    ({"name": "day", "type": "date", "constraints": {"minimum": "2020-01-01"}},
     [dt.date(2024, 5, 31), "2024-06-01"]),
    ({"name": "moment", "type": "datetime"}, [dt.datetime(2024, 5, 31, 14, 30), None]),  # noqa: DTZ001
    ({"name": "clock", "type": "time"}, [dt.time(14, 30), "15:45"]),
    ({"name": "since", "type": "year"}, [2024, 1999]),
    ({"name": "month", "type": "yearmonth"}, ["2024-05", "2023-11"]),
    ({"name": "more", "type": "any"}, ["x", 5]),
]  # fmt: skip
SCHEMA = {"fields": [field for field, _ in FIELDS], "primaryKey": ["id"]}


@pytest.fixture
def dataset(db):
    return DatasetFactory(title="Messstellen", locale="de", schema=SCHEMA)


def template_of(dataset):
    version = SchemaVersion.objects.get(dataset=dataset)
    return openpyxl.load_workbook(io.BytesIO(template_workbook.build(dataset, version)))


def test_template_that_is_filled_in_passes_without_a_question(dataset, process):
    book = template_of(dataset)
    for place, (_, values) in enumerate(FIELDS, start=1):
        for row, value in enumerate(values, start=2):
            cell = book.worksheets[0].cell(row, place, value)
            if isinstance(value, str):
                cell.data_type = "s"  # as typed into a column of text
    filled = io.BytesIO()
    book.save(filled)

    upload = process(filled.getvalue(), filename="filled.xlsx", into=dataset)

    assert (upload.state, upload.valid, upload.refused) == ("processed", 2, 0)
    assert "The sheet “Data” was read (" in str(upload.assumptions)
    stored = dataset.records.order_by("key").last().data
    assert (stored["id"], stored["height"], stored["open"], stored["day"]) == ("007", 1.5, True, "2024-05-31")


def test_sheets_are_the_data_the_explanation_and_the_hidden_lists(dataset):
    book = template_of(dataset)

    assert [(sheet.title, sheet.sheet_state) for sheet in book] == [
        ("Data", "visible"), ("How to fill it in", "visible"), ("Lists", "hidden"),
    ]  # fmt: skip
    assert book.worksheets[0].freeze_panes == "A2"
    assert {each.name: each.value for each in book.custom_doc_props.props} == {
        "Waybill dataset": dataset.slug, "Waybill schema version": 1,
    }  # fmt: skip


def test_nothing_of_the_schema_is_calculated():
    nasty = {"name": "=1+1", "title": "@SUM(1)", "description": "=cmd()", "example": "+1",
             "constraints": {"enum": ["=1+1", "-1", "@x"]}}  # fmt: skip
    dataset = DatasetFactory(title="=HYPERLINK(1)", schema={"fields": [nasty, {"name": "+plus"}]})

    cells = [
        cell for sheet in template_of(dataset) for row in sheet.iter_rows() for cell in row if cell.value
    ]

    assert {cell.data_type for cell in cells} == {"s"}


def test_text_columns_keep_zeros_and_dates_are_dates(dataset):
    columns = template_of(dataset).worksheets[0].column_dimensions

    assert [columns[letter].number_format for letter in "AEFK"] == ["@", "0", "General", "yyyy-mm-dd"]


def test_choices_come_from_the_hidden_list(dataset):
    book = template_of(dataset)
    by_range = {str(rule.sqref): rule for rule in book.worksheets[0].data_validations.dataValidation}

    rule = by_range["C2:C1048576"]
    assert (rule.type, rule.formula1) == ("list", "Lists!$A$1:$A$3")
    assert [book["Lists"].cell(row, 1).value for row in (1, 2, 3)] == ["=A1", "north", "-south"]
    assert [book["Lists"].cell(row, 3).value for row in (1, 2)] == ["ja", "nein"]
    assert by_range["E2:E1048576"].error == "Type a whole number of at least 1 and at most 9."
    assert by_range["D2:D1048576"].type == "textLength"


def test_note_says_kind_rules_and_example(dataset):
    notes = [cell.comment.text for cell in template_of(dataset).worksheets[0][1]]

    assert notes[0] == "Text.\nPart of the key: no two rows may have the same.\nMust be filled in."
    assert notes[4] == "Whole number.\nAt least 1 and at most 9.\nExample: 1"


def test_heading_that_two_fields_could_claim_is_the_name():
    fields = [{"name": "a", "title": "b"}, {"name": "b", "title": "Name"}, {"name": "c", "title": "name"}]

    assert template_workbook.headings(fields) == ["a", "b", "c"]


@pytest.fixture
def address(stations):
    return reverse("dataset_template", args=["north", "stations"])


def test_template_is_served_once_for_each_version(client, manager, address, stations):
    client.force_login(manager)
    first = client.get(address)
    assert first.headers["Content-Disposition"].startswith('attachment; filename="stations template.xlsx"')
    assert openpyxl.load_workbook(io.BytesIO(first.content)).sheetnames[0] == "Data"

    assert client.get(address, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    SchemaVersion.objects.create(dataset=stations, number=2, schema={"fields": [{"name": "x"}]})
    assert client.get(address, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_programs_get_it_too(api, stations):
    answer = api("get", "/datasets/stations/template.xlsx")

    assert answer.status_code == 200
    assert openpyxl.load_workbook(io.BytesIO(answer.content)).sheetnames[0] == "Data"
