"""How a file is to be read, as people and programs say it: every fault has a place, a code and a sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion import readings
from work.problems import Problem

SCHEMA = {"fields": [{"name": "id"}, {"name": "amount"}]}
MOST_ROWS = 1_048_576


@pytest.mark.parametrize(
    "reading",
    [
        {},
        {"sheet": "Data"},
        {"header_row": 1, "header_rows": 2},
        {"header_row": MOST_ROWS},
        {"mapping": {"id": "Ident", "amount": None}},
        {"confirm": ["which_columns", "retire:7", "retire:0"]},
    ],
)
def test_reading_in_its_shape_passes_as_it_is(reading):
    assert readings.checked(reading, schema=SCHEMA) == reading


def test_entries_that_say_nothing_are_left_out():
    given = {"sheet": "", "header_row": None, "mapping": {}, "confirm": []}

    assert readings.checked(given, schema=SCHEMA) == {}


@pytest.mark.parametrize(
    ("reading", "at", "code"),
    [
        ([], "", "reading_not_an_object"),
        ({"colour": 1}, "colour", "unknown_entry"),
        ({"sheet": 3}, "sheet", "sheet_not_a_name"),
        ({"sheet": "x" * 101}, "sheet", "sheet_not_a_name"),
        ({"sheet": "a\x00"}, "sheet", "bad_character"),
        ({"header_row": 0}, "header_row", "header_row_out_of_range"),
        ({"header_row": MOST_ROWS + 1}, "header_row", "header_row_out_of_range"),
        ({"header_row": "3"}, "header_row", "header_row_out_of_range"),
        ({"header_row": True}, "header_row", "header_row_out_of_range"),
        ({"header_rows": 3}, "header_rows", "header_rows_out_of_range"),
        ({"mapping": ["id"]}, "mapping", "mapping_not_an_object"),
        ({"mapping": {str(n): "x" for n in range(1001)}}, "mapping", "mapping_too_large"),
        ({"mapping": {"ammount": "B"}}, "mapping.ammount", "unknown_field"),
        ({"mapping": {"id": 2}}, "mapping.id", "column_not_named"),
        ({"mapping": {"id": " "}}, "mapping.id", "column_not_named"),
        ({"mapping": {"id": "x" * 201}}, "mapping.id", "column_not_named"),
        ({"mapping": {"id": "a\ud800"}}, "mapping.id", "bad_character"),
        ({"mapping": {"id": "A", "amount": "A"}}, "mapping.amount", "column_taken_twice"),
        ({"confirm": "which_sheet"}, "confirm", "confirm_not_a_list"),
        ({"confirm": ["which_sheet"] * 51}, "confirm", "confirm_not_a_list"),
        ({"confirm": ["anything"]}, "confirm", "unknown_confirmation"),
        ({"confirm": ["retire:01"]}, "confirm", "unknown_confirmation"),
        ({"confirm": [["which_sheet"]]}, "confirm", "unknown_confirmation"),
    ],
)
def test_fault_is_named_with_its_place(reading, at, code):
    (fault,) = readings.faults_of(reading, schema=SCHEMA)

    assert (fault.at, fault.code) == (at, code)
    assert fault.message.endswith(".")


def test_all_faults_are_told_at_once():
    with pytest.raises(Problem) as refused:
        readings.checked({"header_row": 0, "mapping": {"x": "A", "id": 1}}, schema=SCHEMA)

    problem = refused.value
    assert (problem.status, problem.code) == (422, "reading_not_valid")
    assert [error["code"] for error in problem.extra["errors"]] == [
        "header_row_out_of_range",
        "unknown_field",
        "column_not_named",
    ]


TEXT = st.sampled_from(["id", "amount", "which_sheet"]) | st.text(st.characters(), max_size=5)
VALUE = st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | TEXT
ENTRY = VALUE | st.lists(VALUE, max_size=3) | st.dictionaries(TEXT, VALUE, max_size=3)


@given(ENTRY | st.dictionaries(st.sampled_from(readings.ENTRIES), ENTRY))
def test_whatever_is_sent_is_refused_in_words_that_can_be_sent_back_or_can_be_stored(given):
    faults = readings.faults_of(given, schema=SCHEMA)

    json.dumps([fault._asdict() for fault in faults], ensure_ascii=False).encode()
    if not faults:
        stored = json.dumps(readings.checked(given, schema=SCHEMA), ensure_ascii=False, allow_nan=False)
        assert "\\u0000" not in stored
        stored.encode()
