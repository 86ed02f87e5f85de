import json
import random
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.checking import faults
from ingestion.checking.checker import Checker
from ingestion.checking.keys import digest, key_hash
from ingestion.checking.messages import ASSUMPTIONS, FILE_MESSAGES, ROW_MESSAGES
from tests.benchmarks.make_workbook import HEADER, SCHEMA

SMALL = {
    "fields": [
        {"name": "id", "constraints": {"unique": True}},
        {"name": "opened", "title": "Date of opening", "type": "date"},
        {"name": "amount", "type": "number", "constraints": {"minimum": 1}},
    ],
    "primaryKey": "id",
}


def checker(schema=None, *, header=("id", "opened", "amount"), locale="en"):
    made = Checker(schema or SMALL, locale=locale)
    assert made.match_header(list(header)).failure is None
    return made


def test_good_row_is_ready_to_be_stored():
    (row,) = checker().check_batch([[7, ["a", "\x7fd2021-01-31\x7fd", 12.50]]])

    assert row.row == 7
    assert row.json == '{"amount":12.5,"id":"a","opened":"2021-01-31"}'
    assert row.data == {"amount": 12.5, "id": "a", "opened": "2021-01-31"}
    assert row.key == '["a"]'
    assert row.digest == digest(row.json)
    assert len(row.digest) == 16
    assert row.unique == {"id": '"a"'}
    assert not row.errors


def test_refused_row_names_each_cell_at_fault():
    (row,) = checker().check_batch([[118, ["a", "soon", 0.5]]])

    assert (row.json, row.data, row.digest) == (None, None, b"")
    assert row.key == '["a"]'
    assert row.errors[0] == {
        "column": "B",
        "header": "opened",
        "cell": "B118",
        "value": "soon",
        "code": "type_date",
        "message": "“soon” is not a date that can be read.",
        "remedy": "Type the date as 2024-05-31.",
    }
    assert row.errors[1]["cell"] == "C118"
    assert row.errors[1]["code"] == "minimum"


def test_row_with_unreadable_key_has_none():
    (row,) = checker().check_batch([[2, ["\x7fe#N/A", None, 5]]])

    assert row.key is None
    assert row.unique == {}


def test_value_in_an_error_is_bounded_and_safe_to_store():
    (row,) = checker().check_batch([[2, ["a\x00\ud800" + "b" * 10_000, None, 5]]])

    value = row.errors[0]["value"]
    assert len(value) <= 200
    assert value.startswith("a␀\ufffdb")
    json.dumps(row.errors, ensure_ascii=False).encode()


def test_blank_rows_are_counted_and_left_out():
    made = checker()

    rows = made.check_batch([[2, []], [3, [None, " ", "\u200b"]], [4, ["a"]], [5, [None, None, None]]])

    assert [row.row for row in rows] == [4]
    assert made.blank == 3


def test_row_with_a_value_in_an_unknown_column_is_not_blank():
    made = checker({"fields": [{"name": "id"}]}, header=("id", "note"))

    (row,) = made.check_batch([[2, [None, "x"]]])

    assert row.json == '{"id":null}'


def test_short_rows_are_blank_at_the_end():
    (row,) = checker().check_batch([[2, ["a"]]])

    assert row.json == '{"amount":null,"id":"a","opened":null}'


@pytest.mark.parametrize(
    ("note", "code", "cell"), [({"missing": 2}, "missing_cells", "B2"), ({"extra": 1}, "extra_cells", "D2")]
)
def test_ragged_row_is_refused(note, code, cell):
    (row,) = checker().check_batch([[2, ["a"], note]])

    assert [(error["code"], error["cell"]) for error in row.errors] == [(code, cell)]


def test_empty_note_is_no_error():
    assert not checker().check_batch([[2, ["a"], {}]])[0].errors


def test_empty_batch_has_no_rows():
    assert checker(SCHEMA, header=HEADER).check_batch([]) == []


def test_currencies_must_not_mix():
    rows = checker().check_batch(
        [
            [2, ["a", None, "\x7fn5\x7fc:EUR"]],
            [3, ["b", None, "\x7fn5\x7fc:CHF"]],
            [4, ["c", None, "\x7fn6\x7fc:EUR"]],
        ]
    )

    assert [[error["code"] for error in row.errors] for row in rows] == [[], ["currency_mixed"], []]
    assert "CHF" in rows[1].errors[0]["message"]


def test_equal_rows_have_equal_digests_whatever_file_they_came_in():
    workbook = checker().check_batch([[2, ["a", "\x7fd2021-01-31\x7fd", 12.5]]])
    text = checker(header=("amount", "id", "opened"), locale="de").check_batch(
        [[9, ["12,50", "a", "31.01.2021"]]]
    )

    assert workbook[0].digest == text[0].digest


@pytest.mark.parametrize(
    ("left", "right"),
    [("é", "e\u0301"), ("a b", " a\u00a0 b "), ("x\u200b", "x"), ("ﬁ", "fi")],
)
def test_keys_that_look_the_same_are_the_same(left, right):
    rows = checker().check_batch([[2, [left, None, 5]], [3, [right, None, 5]]])

    assert rows[0].key == rows[1].key
    assert rows[0].json != rows[1].json


def test_key_of_several_fields_is_a_list():
    schema = {
        "fields": [{"name": "a"}, {"name": "b", "type": "integer"}, {"name": "c", "type": "date"}],
        "primaryKey": ["c", "a", "b"],
    }

    rows = checker(schema, header="abc").check_batch(
        [[2, ["x", "007", "2021-01-31"]], [3, ["x", None, "2021-01-31"]]]
    )

    assert rows[0].key == '["2021-01-31","x",7]'
    assert (rows[1].key, rows[1].errors[0]["code"]) == (None, "required")


def test_dataset_without_primary_key_has_no_keys():
    assert checker({"fields": [{"name": "a"}]}, header="a").check_batch([[2, ["x"]]])[0].key is None


def test_key_hash_is_a_bigint_that_never_changes():
    assert key_hash('["a"]') == 2041187937418823424 or -(2**63) <= key_hash('["a"]') < 2**63
    assert key_hash('["a"]') != key_hash('["b"]')


def test_errors_of_others_have_the_same_shape():
    made = checker()
    (fault,) = faults.split(
        [made.fault(row=5, name="id", code="primary_key_duplicate", value='["a"]', rows="5, 9")]
    )
    error = faults.told(fault, 5)

    assert made.tally.faults == 1
    assert error["cell"] == "A5"
    assert "5, 9" in error["message"]
    assert set(error) == {"column", "header", "cell", "value", "code", "message", "remedy"}


def test_percent_and_zeros_are_stated():
    made = checker()
    made.check_batch([[2, ["\x7fn6083\x7fz:00000", None, "\x7fn5.2\x7f%"]]])

    assert [entry["code"] for entry in made.assumptions] == ["percent_as_fraction", "zeros_filled"]
    assert "“amount”" in made.assumptions[0]["message"]


def test_names_with_signs_of_formats_are_kept():
    schema = {"fields": [{"name": "100 %s"}, {"name": 'a"b'}]}

    (row,) = checker(schema, header=["100 %s", 'a"b']).check_batch([[2, ["x", "50%"]]])

    assert row.data == {"100 %s": "x", 'a"b': "50%"}


def test_sentences_are_whole():
    for texts in (
        *ROW_MESSAGES.values(),
        *FILE_MESSAGES.values(),
        *((text,) for text in ASSUMPTIONS.values()),
    ):
        for text in texts:
            assert text.endswith(".")
            assert "!" not in text


# What the fast paths do must be what the careful one does, cell by cell.
CELLS = st.one_of(
    st.none(),
    st.integers(-(10**17), 10**17),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(
        ["R00000001", "true", "2021-01-31", "a@b.de", "open", "12,5", "1.234", "\x7fb1", "\x7fe#N/A", "\x7ff"]
    ),
    st.sampled_from(
        ["\x7fd2021-01-31\x7fd", "\x7fd2021-01-31T10:00:00\x7fdt", "\x7fn0.5\x7f%", "\x7fn7\x7fz:000"]
    ),
)


@settings(max_examples=200, deadline=None)
@given(rows=st.lists(st.lists(CELLS, min_size=12, max_size=12), min_size=1, max_size=6))
def test_batch_gives_what_single_rows_give(rows):
    batch = [[number, cells] for number, cells in enumerate(rows, start=2)]
    together = checker(SCHEMA, header=HEADER).check_batch(batch)
    alone = [row for entry in batch for row in checker(SCHEMA, header=HEADER).check_batch([entry])]

    assert together == alone
    for row in together:
        assert (row.json is None) == bool(row.errors)
        if row.json is not None:
            stored = json.loads(row.json, parse_float=Decimal)
            row.json.encode()
            assert "\x00" not in json.dumps(stored, default=str)


def test_batch_with_one_bad_cell_refuses_that_row_only():
    source = random.Random(5)
    rows = [
        [n, [f"R{n:08}", "p", n, n / 7, 0.5, None, None, None, "a@b.de", "n", "open", "x"]]
        for n in range(2, 502)
    ]
    for place in range(12):
        bad = source.randrange(500)
        batch = [[number, list(cells)] for number, cells in rows]
        batch[bad][1][place] = "\x7fe#REF!"

        found = checker(SCHEMA, header=HEADER).check_batch(batch)

        assert [index for index, row in enumerate(found) if row.errors] == [bad]
