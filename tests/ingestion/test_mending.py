"""Refused rows come back mended: they join their file again, once, whoever sends them and however often."""

import datetime as dt
import io

import openpyxl
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion import mending_marks, reports, stories, uploads
from ingestion.models import Record, Report, RowError, Upload
from ingestion.report_pipeline import REPORTS
from tests.factories import DatasetFactory
from tests.ingestion.conftest import work_on
from work import leases, runner, storage

pytestmark = pytest.mark.django_db(transaction=True)
FILE = "id,amount,note\n007,x,\n008,2,keep\n009,y,=1+1\n"
FIELDS = [
    {"name": "id", "type": "string"},
    {"name": "amount", "type": "integer"},
    {"name": "note", "type": "string"},
]


@pytest.fixture
def keyed(db):
    return DatasetFactory(schema={"fields": FIELDS, "primaryKey": ["id"]})


@pytest.fixture
def keyless(db):
    return DatasetFactory(schema={"fields": FIELDS})


@pytest.fixture(params=["keyed", "keyless"])
def into(request):
    return request.getfixturevalue(request.param)


def built(upload, kind, by):
    report = reports.request(upload=upload, kind=kind, by=by)
    if report.finished_at is None:
        runner.run(leases.claim_next(REPORTS))
        report.refresh_from_db()
    assert report.state == "built"
    with storage.files().open(report.storage_key) as file:
        return openpyxl.load_workbook(io.BytesIO(file.read()))


def saved(book):
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def mended(upload, by, values):
    """The workbook of rows to mend with `values` ({row in the original file: amount}) typed in."""
    book = built(upload, "mend", by)
    sheet = book.worksheets[0]
    for row in sheet.iter_rows(min_row=2):
        if row[3].value in values:
            row[1].value = values[row[3].value]
    return saved(book)


def told(upload):
    story = stories.of(upload)
    return story.rows, story.stored, story.mended, story.left


def test_workbook_of_rows_to_mend_has_the_columns_of_the_file_and_two_of_ours(process, by, keyed):
    upload = process(FILE, into=keyed)

    sheet = built(upload, "mend", by).worksheets[0]

    rows = [[cell.value for cell in row[:4]] for row in sheet.iter_rows()]
    assert rows == [
        ["id", "amount", "note", f"Row in the original file [waybill {upload.pk}]"],
        ["007", "x", None, 2],
        ["009", "y", "=1+1", 4],
    ]
    assert sheet["A2"].number_format == "@"
    assert sheet["C3"].data_type == "s"
    assert "not a whole number" in sheet["B2"].comment.text
    assert sheet["B2"].fill.fgColor.rgb == "FFFFE0B2"


def test_mended_rows_join_their_file_again(process, by, into):
    upload = process(FILE, into=into)

    second = process(mended(upload, by, {2: 7, 4: 9}), filename="m.xlsx", into=into)

    assert (second.state, second.inserted, second.mends, second.story) == ("processed", 2, upload, upload)
    assert told(upload) == told(second) == (3, 1, 2, 0)
    assert set(RowError.objects.values_list("mended_by", flat=True)) == {second.pk}
    assert sorted(Record.objects.values_list("data__id", "data__amount")) == [
        ("007", 7), ("008", 2), ("009", 9),
    ]  # fmt: skip


def test_rows_that_are_still_wrong_stay_open_under_their_first_number(process, by, into):
    upload = process(FILE, into=into)

    second = process(mended(upload, by, {2: 7}), filename="m.xlsx", into=into)
    third = process(mended(second, by, {4: 9}), filename="m2.xlsx", into=into)

    assert (second.state, second.refused, third.state) == ("partial", 1, "processed")
    assert second.row_errors.get().origin == 4
    assert (third.mends, third.story) == (second, upload)
    assert told(third) == (3, 1, 2, 0)
    assert [chapter.pk for chapter in stories.of(upload).chapters] == [upload.pk, second.pk, third.pk]
    assert set(RowError.objects.values_list("upload", "mended_by")) == {
        (upload.pk, second.pk), (upload.pk, third.pk), (second.pk, third.pk),
    }  # fmt: skip


def test_sending_twice_stores_nothing_twice(process, by, into):
    upload = process(FILE, into=into)
    content = mended(upload, by, {2: 7, 4: 9})

    process(content, filename="m.xlsx", into=into)
    again = process(content, filename="m.xlsx", into=into)

    assert (again.state, again.unchanged, again.mended) == ("processed", 2, 0)
    assert Record.objects.count() == 3
    assert told(upload) == (3, 1, 2, 0)


def test_open_rows_only_are_handed_out_again(process, by, into):
    upload = process(FILE, into=into)
    first = built(upload, "mend", by).worksheets[0]
    book = built(upload, "mend", by)
    book.worksheets[0].delete_rows(3)
    book.worksheets[0]["B2"].value = 7
    process(saved(book), filename="m.xlsx", into=into)

    second = built(upload, "mend", by).worksheets[0]

    assert [row[3].value for row in first.iter_rows(min_row=2)] == [2, 4]
    assert [row[3].value for row in second.iter_rows(min_row=2)] == [4]
    assert told(upload) == (3, 1, 1, 1)


def test_older_file_of_mended_rows_does_not_come_over_a_newer_one(accept, process, by, into):
    upload = process(FILE, into=into)
    older = accept(mended(upload, by, {2: 1, 4: 1}), filename="m.xlsx", into=into)
    newer = accept(mended(upload, by, {2: 2, 4: 2}), filename="m.xlsx", into=into)
    Upload.objects.filter(pk=older.pk).update(due_at="2999-01-01T00:00Z")
    work_on(newer)
    Upload.objects.filter(pk=older.pk).update(due_at="2026-01-01T00:00Z")

    older = work_on(older)

    assert (older.state, older.superseded) == ("processed", 2)
    assert set(Record.objects.exclude(data__id="008").values_list("data__amount", flat=True)) == {2}


def test_copy_that_lost_our_columns_is_joined_by_key_when_the_upload_is_named(accept, process, by, keyed):
    upload = process(FILE, into=keyed)
    copy = accept("id,amount,note\n009,9,=1+1\n007,still,\n", into=keyed)
    Upload.objects.filter(pk=copy.pk).update(mends=upload, story=upload)

    copy = work_on(copy)

    assert (copy.state, copy.mended) == ("partial", 1)
    assert told(upload) == (3, 1, 1, 1)
    assert copy.row_errors.get().origin == 2
    assert upload.row_errors.get(row=4).mended_by == copy


@pytest.mark.parametrize("how", ["other tenant", "other dataset", "unknown", "itself clean", "newer"])
def test_heading_that_claims_what_is_not_ours_is_ignored_in_the_same_words(accept, process, by, keyed, how):
    upload = process(FILE, into=keyed)
    claimed = "01970000-0000-7000-8000-000000000000"
    if how == "other tenant":
        claimed = process(FILE, into=DatasetFactory(schema={"fields": FIELDS})).pk
    elif how == "other dataset":
        other = DatasetFactory(organisation=keyed.organisation, schema={"fields": FIELDS})
        claimed = process(FILE, into=other).pk
    elif how == "itself clean":
        claimed = process("id,amount,note\n1,1,a\n", into=keyed).pk
    forged = f'id,amount,note,"{mending_marks.row_heading(claimed)}"\n007,7,,2\n'
    if how == "newer":
        newer = accept(forged, into=keyed)
        forged = forged.replace(str(claimed), str(newer.pk))
        newer = work_on(newer)

    sent = process(forged, into=keyed)

    assert (sent.state, sent.mends, sent.mended) == ("processed", None, 0)
    said = [one["message"] for one in sent.assumptions if one["code"] == "rows_not_rejoined"]
    assert said == ["The row numbers of another file were not used: this one can mend no such file."]
    assert told(upload) == (3, 1, 0, 2)


def test_number_of_a_row_that_was_never_refused_rejoins_nothing(process, by, keyless):
    upload = process(FILE, into=keyless)
    heading = mending_marks.row_heading(upload.pk)

    sent = process(f'id,amount,note,"{heading}"\n008,5,,3\n010,6,,x\n007,7,,2\n007,8,,2\n', into=keyless)

    assert (sent.inserted, sent.mended) == (4, 1)
    assert Record.objects.get(data__note="keep").data["amount"] == 2
    details = {one["code"]: one["detail"] for one in sent.assumptions}
    assert details["rows_not_found_again"]["count"] == 3
    assert details["row_numbers_not_refused"] == {"count": 2, "rows": "2, 3"}
    assert details["row_numbers_twice"] == {"count": 1, "rows": "5"}


def test_key_tells_rows_apart_whose_numbers_say_nothing(process, by, keyed):
    """007 is refused under 2, and 009 under 4: all come with numbers that are forged, or twice the same."""
    upload = process(FILE, into=keyed)
    heading = mending_marks.row_heading(upload.pk)
    strangers = "".join(f"n{line},1,,{line + 90}\n" for line in range(6))

    sent = process(f'id,amount,note,"{heading}"\n009,9,,4\n007,7,,4\n{strangers}', into=keyed)

    assert (sent.state, sent.inserted, sent.mended) == ("processed", 8, 2)
    assert told(upload) == (3, 1, 2, 0)
    assert Record.objects.get(data__id="007").data["amount"] == 7
    said = {one["code"]: one["message"] for one in sent.assumptions}
    assert "6 rows have a row number that is none of a refused row" in said["row_numbers_not_refused"]
    assert "rows 4, 5, 6, 7, 8 and 1 more." in said["row_numbers_not_refused"]
    assert "before them: rows 3." in said["row_numbers_twice"]
    assert "rows_not_found_again" not in said


def test_workbook_sent_as_it_was_handed_out_says_nothing_of_numbers(process, by, into):
    upload = process(FILE, into=into)

    sent = process(mended(upload, by, {2: 7, 4: 9}), filename="m.xlsx", into=into)

    assert not {one["code"] for one in sent.assumptions} & {"row_numbers_not_refused", "row_numbers_twice"}


def test_cell_whose_text_hides_its_fault_is_refused_again_until_it_is_changed(process, by):
    fields = [{"name": "id", "type": "string"}, {"name": "note", "type": "string"}]
    into = DatasetFactory(schema={"fields": fields, "primaryKey": ["id"]})
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "note"])
        sheet.write_row(1, 0, ["a"])
        sheet.write_formula(1, 1, "=1/0", None, "#DIV/0!")
        sheet.write_row(2, 0, ["b", 1234567890123456789])
        sheet.write_row(3, 0, ["c", "fine"])
    upload = process(file.getvalue(), filename="a.xlsx", into=into)
    book = built(upload, "mend", by)
    untouched = process(saved(book), filename="m.xlsx", into=into)
    book.worksheets[0]["B2"].value, book.worksheets[0]["B3"].value = "one", "1234567890123456789"
    corrected = process(saved(book), filename="m.xlsx", into=into)

    assert (untouched.state, untouched.refused) == ("failed", 2)
    codes = [row.errors[0]["code"] for row in untouched.row_errors.order_by("row")]
    assert codes == ["error_value", "digits_lost"]
    assert (corrected.state, corrected.mended) == ("processed", 2)


def test_ragged_row_is_refused_again_until_it_is_changed(process, by, keyed):
    upload = process("id,amount,note\na,1\nb,2,x\n", into=keyed)

    again = process(mended(upload, by, {}), filename="m.xlsx", into=keyed)
    changed = process(mended(upload, by, {2: 3}), filename="m.xlsx", into=keyed)

    assert (again.state, again.row_errors.get().errors[0]["code"]) == ("failed", "missing_cells")
    assert (changed.state, changed.mended) == ("processed", 1)


def test_file_without_any_refused_row_has_nothing_to_mend(process, by, keyed):
    upload = process("id,amount,note\n1,1,a\n", into=keyed)

    with pytest.raises(uploads.Problem) as refused:
        reports.request(upload=upload, kind=Report.Kind.MEND, by=by)

    assert (refused.value.status, refused.value.code) == (409, "nothing_to_mend")


def test_file_whose_rows_all_came_back_mended_hands_out_no_empty_workbook(process, by, into):
    upload = process(FILE, into=into)
    waiting = reports.request(upload=upload, kind=Report.Kind.MEND, by=by)
    process('id,amount,note,"' + mending_marks.row_heading(upload.pk) + '"\n007,7,,2\n009,9,,4\n', into=into)
    runner.run(leases.claim_next(REPORTS))

    with pytest.raises(uploads.Problem) as refused:
        reports.request(upload=upload, kind=Report.Kind.MEND, by=by)

    waiting.refresh_from_db()
    assert waiting.state == "built"
    assert (refused.value.status, refused.value.code) == (409, "nothing_to_mend")
    assert refused.value.message.startswith("Nothing is left to mend")


LOCALES = {
    "en": [
        {"name": "id"},
        {"name": "n", "type": "number"},
        {"name": "d", "type": "date"},
        {"name": "w", "type": "integer"},
    ],
    "de": [
        {"name": "id"},
        {"name": "n", "type": "number", "decimalChar": ",", "groupChar": "."},
        {"name": "d", "type": "date", "format": "%d/%m/%Y"},
        {"name": "w", "type": "integer"},
    ],
}  # fmt: skip
ROWS = st.lists(
    st.tuples(
        st.text(st.characters(categories=("L", "N")), max_size=5),
        st.floats(-1e6, 1e6).map(lambda number: round(number, 3)),
        st.dates(min_value=dt.date(1950, 1, 1)),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.parametrize("locale", LOCALES)
@given(rows=ROWS, data=st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_row_of_a_random_file_is_stored_once_it_is_mended(locale, process, by, rows, data):
    into = DatasetFactory(locale=locale, schema={"fields": LOCALES[locale], "primaryKey": ["id"]})
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["id", "n", "d", "w"])
        for line, (text, number, date, is_bad) in enumerate(rows, start=1):
            sheet.write_string(line, 0, f"0{line}{text}")
            sheet.write_number(line, 1, number)
            sheet.write_datetime(line, 2, date, day)
            sheet.write(line, 3, "bad" if is_bad else line)
    upload = process(file.getvalue(), filename="a.xlsx", into=into)
    if upload.state != "processed":
        book = built(upload, "mend", by)
        sheet = book.worksheets[0]
        kept = data.draw(st.sampled_from(["as it is", "without ours"]))
        for row in sheet.iter_rows(min_row=2):
            row[3].value = str(row[4].value - 1)
            if kept == "without ours":
                row[4].value = row[5].value = None
        second = process(saved(book), filename="m.xlsx", into=into)
        assert (second.state, second.mended) == ("processed", upload.refused)

    assert told(upload)[3] == 0
    values = Record.objects.filter(dataset=into).values_list("data", flat=True)
    stored = {data["id"]: (data["n"], data["d"], data["w"]) for data in values}
    assert stored == {
        f"0{line}{text}": (number, date.isoformat(), line)
        for line, (text, number, date, _) in enumerate(rows, start=1)
    }
