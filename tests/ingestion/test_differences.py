"""Two verdicts on one file, side by side."""

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion import differences, queries, reprocessing
from ingestion.models import ErrorCount, RowError, SchemaVersion, Upload
from tests.factories import UploadFactory
from tests.ingestion.conftest import work_on
from work.problems import Problem

pytestmark = pytest.mark.django_db(transaction=True)

FILE = "id,amount\na,1\nb,many\nc,300\nd,few\n"
AT_MOST_100 = {
    "fields": [
        {"name": "id", "type": "string", "constraints": {"required": True, "maxLength": 1}},
        {"name": "amount", "type": "integer", "constraints": {"maximum": 100}},
    ],
    "primaryKey": ["id"],
}
TEXTS = {
    "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "string"}],
    "primaryKey": ["id"],
}


@pytest.fixture
def read_again(process, dataset, by):
    """The file under the first schema and under another one: both uploads."""

    def read_again(schema, content=FILE):
        first = process(content)
        number = dataset.schema_versions.latest("number").number + 1
        SchemaVersion.objects.create(dataset=dataset, number=number, schema=schema)
        return first, work_on(reprocessing.reprocess(upload=first, by=by).upload)

    return read_again


def rows(one, other):
    return list(differences.rows_refused_only_by(one, other).order_by("row").values_list("row", flat=True))


def test_stricter_schema_refuses_more(read_again):
    before, after = read_again(AT_MOST_100)

    found = differences.between(before, after)

    assert (found.newly_refused, found.newly_accepted, found.refused_otherwise) == (1, 0, 0)
    assert rows(after, before) == [4]
    assert [(rule.code, rule.column, rule.before, rule.after) for rule in found.rules] == [
        ("maximum", "B", 0, 1)
    ]
    counted = {count.name: (count.before, count.after) for count in found.counts}
    assert (counted["refused"], counted["valid"], counted["unchanged"]) == ((2, 3), (2, 1), (0, 1))
    assert (found.compares_rows, found.is_same) == (True, False)


def test_more_lenient_schema_accepts_more_and_changes_records(read_again):
    before, after = read_again(TEXTS)

    found = differences.between(before, after)

    assert (found.newly_refused, found.newly_accepted) == (0, 2)
    assert rows(before, after) == [3, 5]
    assert [(rule.code, rule.before, rule.after) for rule in found.rules] == [("type_integer", 2, 0)]
    assert after.updated == 2
    assert [(each.key, each.version) for each in found.changed_records] == [('["a"]', 1), ('["c"]', 1)]
    assert [(value.name, value.before, value.after) for value in found.changed_records[0].values] == [
        ("amount", 1, "1")
    ]


def test_nothing_differs(read_again):
    before, after = read_again(AT_MOST_100, content="id,amount\na,1\n")

    found = differences.between(before, after)

    assert found.is_same
    assert (found.rules, found.changed_records) == ([], [])


def test_rows_refused_both_times_for_other_reasons_are_counted(read_again):
    before, after = read_again(
        {
            "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "date"}],
            "primaryKey": ["id"],
        }
    )

    found = differences.between(before, after)

    assert found.refused_otherwise == 2
    assert not found.is_same


def test_assumptions_that_differ_are_named(read_again):
    before, after = read_again(AT_MOST_100)
    kept = after.assumptions
    Upload.objects.filter(pk=after.pk).update(
        assumptions=[
            *kept[1:],
            {"code": "sheet", "detail": {"name": "Data"}, "message": "The sheet Data was read."},
        ]
    )
    after.refresh_from_db()

    found = differences.between(before, after)

    assert found.only_before == kept[:1]
    assert [each["code"] for each in found.only_after] == ["sheet"]


def test_file_that_was_not_read_to_its_end_has_no_rows_to_compare(process, by, dataset):
    broken = process('id,amount\n"a')
    again = work_on(reprocessing.reprocess(upload=broken, by=by).upload)

    found = differences.between(broken, again)

    assert not found.compares_rows
    assert (found.newly_refused, found.newly_accepted, found.refused_otherwise) == (0, 0, 0)


def test_rows_come_page_by_page_in_the_order_of_the_sheet(read_again):
    lines = "".join(f"k{number},{number * 100}\n" for number in range(8))
    before, after = read_again(
        {**AT_MOST_100, "fields": [{"name": "id", "type": "string"}, AT_MOST_100["fields"][1]]},
        content=f"id,amount\n{lines}",
    )

    first = differences.row_page(after, before, cursor=None, limit=4)
    second = differences.row_page(after, before, cursor=first.next_cursor, limit=4)

    assert [row.row for row in first.items] == [4, 5, 6, 7]
    assert [row.row for row in second.items] == [8, 9]


@pytest.fixture
def seen(by):
    return Upload.objects.all()


def test_other_file_is_not_comparable(process, seen):
    one, two = process("id,amount\na,1\n"), process("id,amount\nb,1\n")

    for upload, against, code in (
        (two, one.pk, "not_comparable"),
        (one, one.pk, "not_comparable"),
        (one, None, "nothing_to_compare"),
        (one, two.dataset.pk, "upload_not_found"),
    ):
        with pytest.raises(Problem) as refused:
            differences.comparable(upload, against, seen)
        assert refused.value.code == code


def test_verdict_that_is_not_there_yet_is_not_compared(process, by, seen):
    first = process(FILE)
    waiting = reprocessing.reprocess(upload=first, by=by).upload

    with pytest.raises(Problem) as refused:
        differences.comparable(waiting, None, seen)

    assert refused.value.code == "no_verdict_yet"


def test_upload_of_others_is_not_found(process, by):
    first = process(FILE)
    again = work_on(reprocessing.reprocess(upload=first, by=by).upload)

    with pytest.raises(Problem) as refused:
        differences.comparable(again, None, queries.visible(by))

    assert refused.value.code == "upload_not_found"


REASONS = st.sampled_from(["required", "type_integer", "maximum"])
VERDICT = st.dictionaries(st.integers(2, 12), st.sets(REASONS, min_size=1), max_size=8)


@given(VERDICT, VERDICT)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_row_falls_into_one_kind(dataset, before, after):
    """Compared with sets and dictionaries."""
    one, two = (refusing(dataset, verdict) for verdict in (before, after))

    found = differences.between(one, two)

    assert found.newly_refused == len(after.keys() - before.keys())
    assert found.newly_accepted == len(before.keys() - after.keys())
    assert found.refused_otherwise == sum(before[row] != after[row] for row in before.keys() & after.keys())
    codes = {code for verdict in (before, after) for reasons in verdict.values() for code in reasons}
    counted = {
        code: tuple(sum(code in reasons for reasons in verdict.values()) for verdict in (before, after))
        for code in codes
    }
    assert {rule.code: (rule.before, rule.after) for rule in found.rules} == {
        code: pair for code, pair in counted.items() if pair[0] != pair[1]
    }
    assert found.is_same == (before == after)


def refusing(dataset, verdict):
    upload = UploadFactory(dataset=dataset, run=uuid.uuid4())
    for row, codes in verdict.items():
        errors = [{"code": code, "column": "A"} for code in sorted(codes)]
        RowError.objects.create(upload=upload, run=upload.run, sheet="", row=row, faults=errors)
    for code in {code for codes in verdict.values() for code in codes}:
        count = sum(code in codes for codes in verdict.values())
        ErrorCount.objects.create(
            upload=upload, run=upload.run, code=code, column="A", rows=count, message="", remedy=""
        )
    return upload
