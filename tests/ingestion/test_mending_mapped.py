"""Rows mended of a file that was read by a person's answer: what was said of it holds for them too."""

import pytest

from ingestion import answers, mending_conflicts, mending_file
from ingestion.models import Dataset, HeaderAlias, Record
from tests.factories import DatasetFactory
from tests.ingestion.conftest import work_on
from tests.ingestion.test_mending import built, saved, told
from tests.ingestion.workbooks import workbook

pytestmark = pytest.mark.django_db(transaction=True)
FOREIGN = [["Liste", None], ["Kennung", "Betrag"], ["a", "x"], ["b", 2]]
NAMED = {"id": "Kennung", "amount": "Betrag"}


@pytest.fixture
def answered(process, by):
    """A file on another sheet, under a title row, with headings that nobody remembers any more."""

    def answered(rows=FOREIGN, mapping=NAMED, into=None):
        how = {"into": into} if into else {}
        asked = process(workbook(Other=[["z"], ["y"]], Data=rows), **how)
        assert asked.state == "needs_answer"
        reading = {"sheet": "Data", "header_row": 2, "mapping": mapping}
        upload = work_on(answers.answer(upload=asked, reading=reading, by=by))
        HeaderAlias.objects.all().delete()
        Dataset.objects.update(usual_sheet="")
        return upload

    return answered


def mended(upload, by, change):
    book = built(upload, "mend", by)
    change(book.worksheets[0])
    return saved(book)


def values():
    return dict(Record.objects.values_list("data__id", "data__amount"))


def test_workbook_of_rows_to_mend_reads_by_itself_after_an_answer(process, by, answered):
    upload = answered()

    second = process(mended(upload, by, lambda sheet: sheet.cell(2, 2, "7")), filename="m.xlsx")

    assert (second.state, second.starts, second.mends, values()) == ("processed", 1, upload, {"a": 7, "b": 2})
    assert told(upload) == (2, 1, 1, 0)


def test_answer_holds_along_a_chain_and_for_columns_that_were_moved(process, by, answered):
    upload = answered()
    second = process(mended(upload, by, lambda sheet: None), filename="m.xlsx")
    assert (second.state, second.refused) == ("failed", 1)

    def swap(sheet):
        for row in sheet.iter_rows():
            row[0].value, row[1].value = row[1].value, row[0].value
        sheet["A2"] = "7"

    third = process(mended(second, by, swap), filename="m2.xlsx")

    assert (third.state, third.mends, values()) == ("processed", second, {"a": 7, "b": 2})


def test_column_without_a_heading_of_its_own_is_the_one_of_the_same_letters(process, by, answered):
    rows = [["Liste", None, None], ["Kennung", "Wert", "Wert"], ["a", "old", "x"], ["b", "old", 2]]
    upload = answered(rows, {"id": "Kennung", "amount": "C"})

    second = process(mended(upload, by, lambda sheet: sheet.cell(2, 3, "7")), filename="m.xlsx")

    assert (second.state, values()) == ("processed", {"a": 7, "b": 2})


def test_field_that_was_said_to_be_absent_stays_so(process, by, answered):
    fields = [{"name": "id"}, {"name": "amount"}, {"name": "n", "type": "integer"}]
    into = DatasetFactory(schema={"fields": fields, "primaryKey": "id"})
    rows = [["Liste", None, None], ["Kennung", "Zahl", "amount"], ["a", "x", "?"], ["b", 2, "?"]]
    upload = answered(rows, {"id": "Kennung", "n": "Zahl", "amount": None}, into=into)

    second = process(mended(upload, by, lambda sheet: sheet.cell(2, 2, "7")), filename="m.xlsx", into=into)

    assert second.state == "processed"
    assert Record.objects.get(data__id="a").data == {"id": "a", "n": 7, "amount": None}


def test_renamed_heading_asks_since_nobody_said_what_it_is(process, by, answered):
    upload = answered()

    second = process(mended(upload, by, lambda sheet: sheet.cell(1, 1, "Schluessel")), filename="m.xlsx")

    assert (second.state, second.question) == ("needs_answer", "which_columns")


def test_rows_of_a_mapped_file_that_were_written_meanwhile_are_found(process, answered):
    upload = answered()
    process("id,amount\na,1\n")

    rows = mending_file.mended(upload, {3: {1: "7"}})
    (conflict,) = mending_conflicts.find(upload, rows)

    assert (conflict.row, conflict.fields) == (3, [("amount", "1", "7")])


def test_explanations_of_the_workbook_are_never_taken_for_the_rows(process, by):
    """Their headings are the fields of this dataset."""
    names = ["Rule", "Column", "Header", "Rows"]
    fields = [{"name": "Rule"}, *({"name": name, "type": "integer"} for name in names[1:])]
    into = DatasetFactory(schema={"fields": fields, "primaryKey": "Rule"})
    upload = process("Rule,Column,Header,Rows\na,x,1,1\nb,1,1,1\n", into=into)
    content = mended(upload, by, lambda sheet: sheet.cell(2, 2, "7"))

    second = process(content, filename="m.xlsx", into=into)

    assert (second.state, second.mended, second.rows_read) == ("processed", 1, 1)
