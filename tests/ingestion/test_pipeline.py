"""From the bytes of a file to its verdict, its records and its row report."""

import datetime as dt
import io
import random

import pytest
import xlsxwriter

from ingestion.models import ErrorCount, Record, RecordVersion, RowError, UploadKeys
from ingestion.reading.reader import PARSER_VERSION
from ingestion.states import UploadState
from tests.factories import DatasetFactory
from tests.ingestion.reading.old_books import compound
from work.models import Attempt, Event, Outcome

pytestmark = pytest.mark.django_db(transaction=True)

COUNTS = ("rows_read", "valid", "refused", "blank", "inserted", "updated", "unchanged", "superseded")


def counts(upload):
    return {name: getattr(upload, name) for name in COUNTS if getattr(upload, name)}


def records(dataset):
    return {record.data["id"]: record.data["amount"] for record in Record.objects.filter(dataset=dataset)}


def test_clean_file_is_processed(process, dataset):
    upload = process("id,amount\na,1\nb,2\n")

    assert upload.state == UploadState.PROCESSED
    assert counts(upload) == {"rows_read": 2, "valid": 2, "inserted": 2}
    assert records(dataset) == {"a": 1, "b": 2}
    assert (upload.schema_version, upload.parser_version) == (1, PARSER_VERSION)
    assert set(upload.timings) == {"read_rows", "check_keys", "store_records"}
    assert [assumption["code"] for assumption in upload.assumptions][:2] == ["encoding", "delimiter"]


def test_refused_rows_leave_the_others_stored(process, dataset):
    upload = process("id,amount\na,1\nb,many\n\n,3\n")

    assert upload.state == UploadState.PARTIAL
    assert counts(upload) == {"rows_read": 4, "valid": 1, "refused": 2, "blank": 1, "inserted": 1}
    assert records(dataset) == {"a": 1}
    row = RowError.objects.get(upload=upload, run=upload.run, row=3)
    assert row.cells == ["b", "many"]
    assert row.errors[0] | {"message": "", "remedy": ""} == {
        "column": "B", "header": "amount", "cell": "B3", "value": "many", "code": "type_integer",
        "message": "", "remedy": "",
    }  # fmt: skip
    assert set(
        ErrorCount.objects.filter(run=upload.run).values_list("code", "column", "header", "rows", "example")
    ) == {
        ("type_integer", "B", "amount", 1, "many"),
        ("required", "A", "id", 1, ""),
    }
    assert upload.error_count == 2


def test_every_row_refused_fails_and_keeps_the_row_report(process, dataset):
    upload = process("id,amount\na,x\nb,y\n")

    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "every_row_refused")
    assert counts(upload) == {"rows_read": 2, "refused": 2}
    assert RowError.objects.filter(run=upload.run).count() == 2
    assert records(dataset) == {}
    assert not UploadKeys.objects.exists()


def test_file_without_data_rows_fails(process):
    upload = process("id,amount\n\n")

    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "no_data_rows")


def test_unreadable_file_fails_with_the_readers_code(process):
    upload = process('id,amount\n"a,1\nb,2\n')

    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "unclosed_quote")
    assert upload.run is None
    assert Event.objects.get(type="upload.failed").payload["code"] == "unclosed_quote"


def test_missing_column_fails_the_file(process):
    upload = process("amount\n1\n")

    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "missing_column")


def test_column_that_another_could_be_is_asked_for(process):
    upload = process("name,amount\na,1\n")

    assert (upload.state, upload.question) == (UploadState.NEEDS_ANSWER, "which_columns")
    assert upload.run is None


def test_second_file_updates_inserts_and_leaves_alone(process, dataset):
    process("id,amount\na,1\nb,2\n")

    upload = process("id,amount\na,1\nb,20\nc,3\n")

    assert counts(upload) == {"rows_read": 3, "valid": 3, "inserted": 1, "updated": 1, "unchanged": 1}
    assert records(dataset) == {"a": 1, "b": 20, "c": 3}
    earlier = RecordVersion.objects.get()
    assert (earlier.key, earlier.version, earlier.data, earlier.replaced_by) == (
        '["b"]',
        1,
        {"id": "b", "amount": 2},
        upload,
    )
    assert Record.objects.get(key='["b"]').version == 2


def test_unchanged_file_writes_no_record(process, dataset):
    process("id,amount\na,1\nb,2\n")
    before = list(Record.objects.extra(select={"place": "ctid::text"}).values_list("key", "place"))

    upload = process("id,amount\nb,2\na,1\n")

    assert counts(upload) == {"rows_read": 2, "valid": 2, "unchanged": 2}
    assert list(Record.objects.extra(select={"place": "ctid::text"}).values_list("key", "place")) == before


def test_rows_that_share_a_key_are_all_refused_each_naming_the_others(process, dataset):
    upload = process("id,amount\na,1\nb,2\na,3\n")

    assert upload.state == UploadState.PARTIAL
    assert counts(upload) == {"rows_read": 3, "valid": 1, "refused": 2, "inserted": 1}
    assert records(dataset) == {"b": 2}
    for row in (2, 4):
        error = RowError.objects.get(run=upload.run, row=row).errors[0]
        assert (error["code"], error["cell"], error["value"]) == ("primary_key_duplicate", f"A{row}", "a")
        assert "2, 4" in error["message"]
    assert RowError.objects.get(run=upload.run, row=4).cells == ["a", "3"]


def test_row_refused_for_itself_also_refuses_its_twin(process, dataset):
    upload = process("id,amount\na,1\na,many\nb,2\n")

    assert records(dataset) == {"b": 2}
    both = [
        [error["code"] for error in row.errors]
        for row in RowError.objects.filter(run=upload.run).order_by("row")
    ]
    assert both == [["primary_key_duplicate"], ["type_integer", "primary_key_duplicate"]]
    assert upload.error_count == 3


def test_identical_rows_are_stored_once_and_counted_unchanged(process, dataset):
    upload = process("id,amount\na,1\nb,2\na,1\na,1\n")

    assert upload.state == UploadState.PROCESSED
    assert counts(upload) == {"rows_read": 4, "valid": 4, "inserted": 2, "unchanged": 2}
    assert records(dataset) == {"a": 1, "b": 2}


UNIQUE = {
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "amount", "type": "integer", "constraints": {"unique": True}},
    ],
    "primaryKey": "id",
}


@pytest.fixture
def unique_amounts(db):
    return DatasetFactory(schema=UNIQUE)


def codes(upload):
    return {
        row.row: [error["code"] for error in row.errors] for row in RowError.objects.filter(run=upload.run)
    }


def test_unique_values_of_one_file_are_compared(process, unique_amounts):
    upload = process("id,amount\na,1\nb,1\nc,2\nd,\ne,\n", into=unique_amounts)

    assert codes(upload) == {2: ["unique"], 3: ["unique"]}
    assert records(unique_amounts) == {"c": 2, "d": None, "e": None}


def test_unique_values_are_compared_with_records_of_other_keys(process, unique_amounts):
    process("id,amount\na,1\nb,2\n", into=unique_amounts)

    upload = process("id,amount\nc,1\nd,3\n", into=unique_amounts)

    assert codes(upload) == {2: ["unique_stored"]}
    assert records(unique_amounts) == {"a": 1, "b": 2, "d": 3}


def test_unique_values_may_be_exchanged_in_one_file(process, unique_amounts):
    process("id,amount\na,1\nb,2\n", into=unique_amounts)

    upload = process("id,amount\na,2\nb,1\n", into=unique_amounts)

    assert upload.state == UploadState.PROCESSED
    assert records(unique_amounts) == {"a": 2, "b": 1}


def test_refused_row_no_longer_frees_the_value_of_its_record(process, unique_amounts):
    process("id,amount\na,1\nb,2\nc,3\n", into=unique_amounts)

    upload = process("id,amount\na,2\nb,3\nd,4\n", into=unique_amounts)

    assert codes(upload) == {2: ["unique_stored"], 3: ["unique_stored"]}
    assert records(unique_amounts) == {"a": 1, "b": 2, "c": 3, "d": 4}


APPENDING = {"fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "integer"}]}


def test_dataset_without_a_key_appends(process):
    dataset = DatasetFactory(schema=APPENDING)

    process("id,amount\na,1\na,1\n", into=dataset)
    upload = process("id,amount\na,1\n", into=dataset)

    assert counts(upload) == {"rows_read": 1, "valid": 1, "inserted": 1}
    assert Record.objects.filter(dataset=dataset).count() == 3


def test_verdict_is_an_event_with_counts_and_owner(process, by, dataset):
    upload = process("id,amount\na,1\nb,many\n")

    event = Event.objects.get(type="upload.partial")
    assert event.subject_id == str(upload.pk)
    assert event.payload["owner"] == by.user.pk
    assert event.payload["errors"] == {"type_integer": 1}
    assert (event.payload["rows_read"], event.payload["valid"], event.payload["refused"]) == (2, 1, 1)
    assert "many" not in str(event.payload)


def test_attempt_tells_its_steps(process):
    upload = process("id,amount\na,1\n")

    attempt = Attempt.objects.get(subject=upload.pk)
    assert attempt.outcome == Outcome.FINISHED
    assert attempt.token == upload.run
    assert attempt.step == "store_records"


def test_text_that_copy_would_misread_is_stored_as_it_is(process, dataset):
    texts = DatasetFactory(
        schema={
            "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "string"}],
            "primaryKey": "id",
        }
    )
    values = {
        "a": "back\\slash \\N \\t",
        "b": 'quote " and\ttab',
        "c": "line\nend",
        "d": "\\",
        "e": "ÅŁ 😀 ,",
    }
    lines = "".join('{},"{}"\n'.format(key, value.replace('"', '""')) for key, value in values.items())

    upload = process(f"id,amount\n{lines}", into=texts)

    assert upload.state == UploadState.PROCESSED
    assert records(texts) == values


def workbook(write):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target, {"in_memory": True}) as book:
        write(book, book.add_worksheet("Données"))
    return target.getvalue()


OPENED = {"fields": [{"name": "id"}, {"name": "opened", "type": "date"}], "primaryKey": "id"}


def test_workbook_is_read_by_what_its_cells_are(process):
    def write(book, sheet):
        date, zeros = (book.add_format({"num_format": code}) for code in ("dd.mm.yyyy", "00000"))
        sheet.write_row(3, 1, ["id", "opened"])
        sheet.write_number(4, 1, 6083, zeros)
        sheet.write_datetime(4, 2, dt.date(2024, 2, 29), date)
        sheet.write_string(5, 1, "b")
        sheet.write_formula(5, 2, "=NA()", None, "#N/A")
        sheet.write_string(6, 1, "c")
        sheet.write_number(6, 2, 60, date)

    dataset = DatasetFactory(schema=OPENED)
    upload = process(workbook(write), filename="book.xlsx", into=dataset)

    assert upload.state == UploadState.PARTIAL
    assert {record.key: record.data for record in Record.objects.filter(dataset=dataset)} == {
        '["06083"]': {"id": "06083", "opened": "2024-02-29"}
    }
    rows = RowError.objects.filter(run=upload.run).order_by("row")
    assert [(row.sheet, row.row, row.errors[0]["cell"], row.errors[0]["code"]) for row in rows] == [
        ("Données", 6, "C6", "error_value"),
        ("Données", 7, "C7", "date_never_was"),
    ]


def test_text_named_like_a_workbook_is_read_as_what_it_is_and_that_is_said(process, dataset):
    upload = process("id,amount\na,1\n", filename="stations.xls")

    assert upload.state == UploadState.PROCESSED
    assert upload.kind == "csv"
    assert upload.assumptions[0]["code"] == "format_differs_from_name"
    assert upload.assumptions[0]["detail"] == {"format": "csv", "extension": ".xls"}
    assert "text with separators" in upload.assumptions[0]["message"]


def test_password_protected_workbook_fails_with_what_to_do(process):
    data = compound({"EncryptionInfo": b"", "EncryptedPackage": b"\x00" * 9_000})
    upload = process(data, filename="secret.xlsx")

    assert (upload.state, upload.failure_code) == (UploadState.FAILED, "format_encrypted")


def test_key_that_no_index_holds_refuses_its_row(process, dataset):
    keys = ["".join(random.Random(number).choices("äöüß漢字かな", k=700)) for number in range(2)]
    fits = "漢" * 590

    upload = process(f"id,amount\n{keys[0]},1\n{keys[1]},x\n{fits},3\n")

    assert (upload.state, upload.inserted, upload.refused) == (UploadState.PARTIAL, 1, 2)
    assert codes(upload) == {2: ["key_too_long"], 3: ["type_integer", "key_too_long"]}
