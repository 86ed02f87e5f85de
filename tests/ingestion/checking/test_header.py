import pytest

from ingestion.checking.checker import Checker

SCHEMA = {
    "fields": [
        {"name": "record_id"},
        {"name": "opened", "title": "Date of opening", "type": "date"},
        {"name": "note"},
    ],
    "primaryKey": "record_id",
}


def match(*headers):
    return Checker(SCHEMA).match_header(list(headers), row=3)


def codes(found):
    return [entry["code"] for entry in found.assumptions]


def test_exact_names_match_in_any_order():
    found = match("note", "record_id", "opened")

    assert found.places == {"record_id": 1, "opened": 2, "note": 0}
    assert found.assumptions == []
    assert found.failure is None


@pytest.mark.parametrize(
    "header",
    [
        "Record ID",
        "RECORD-ID",
        " record_id ",
        "record\u00a0id",
        "rec\u200bord_id",
        "\ufeffrecord_id",
        "ｒｅｃｏｒｄ＿ｉｄ",
    ],
)
def test_names_that_differ_in_look_match(header):
    found = match(header, "opened", "note")

    assert found.places["record_id"] == 0
    assert codes(found) == ["headers_matched_loosely"]


def test_title_matches_too():
    assert match("record_id", "date of opening", "note").places["opened"] == 1


def test_exact_name_wins_over_a_like_one():
    found = match("Record ID", "record_id")

    assert found.places["record_id"] == 1
    assert "columns_ignored" in codes(found)


def test_unknown_columns_are_ignored_and_stated_once():
    found = match("record_id", "colour", None, "opened", "note", "shape", "shape")

    (ignored,) = [entry for entry in found.assumptions if entry["code"] == "columns_ignored"]
    assert ignored["detail"]["columns"] == ["colour", "shape", "shape"]


def test_absent_optional_columns_are_stated_and_blank():
    checker = Checker(SCHEMA)
    found = checker.match_header(["record_id"])

    assert codes(found) == ["columns_absent"]
    assert checker.check_batch([[2, ["a"]]])[0].json == '{"note":null,"opened":null,"record_id":"a"}'


def test_missing_key_column_refuses_the_file():
    failure = match("opened", "note").failure

    assert failure.code == "missing_column"
    assert "“record_id”" in failure.message


def test_duplicate_column_refuses_the_file():
    failure = match("record_id", "opened", "record_id").failure

    assert failure.code == "duplicate_header"
    assert failure.detail["letters"] == "A, C"


def test_headings_of_which_none_is_known_are_asked_about():
    found = match("Annual report 2024")

    assert found.asks
    assert found.failure is None
    assert [entry["field"] for entry in found.suggestions] == ["record_id", "opened", "note"]


def test_what_was_agreed_to_is_not_asked_again():
    failure = Checker(SCHEMA).match_header(["Annual report"], row=3, confirmed=True).failure

    assert failure.code == "header_not_found"
    assert failure.message.startswith("Row 3 ")
    assert failure.remedy


def test_numbers_and_dates_may_be_headers():
    schema = {"fields": [{"name": "2021"}, {"name": "2021-01-31"}]}

    assert Checker(schema).match_header([2021, "\x7fd2021-01-31\x7fd"]).places == {"2021": 0, "2021-01-31": 1}


def test_batch_before_the_header_or_after_its_failure_is_our_own_error():
    checker = Checker(SCHEMA)
    with pytest.raises(RuntimeError):
        checker.check_batch([[2, ["a"]]])
    checker.match_header(["record_id", "record_id"])
    with pytest.raises(RuntimeError):
        checker.check_batch([[2, ["a"]]])


def test_column_is_never_given_to_two_fields():
    schema = {"fields": [{"name": "date", "title": "Opened"}, {"name": "opened_on", "title": "Date"}]}

    found = Checker(schema).match_header(["date", "Opened"])

    assert found.places == {"date": 0}


def test_many_unknown_columns_are_counted_and_not_all_named():
    found = match("record_id", *(f"x{number}" for number in range(5_000)))

    (ignored,) = [entry for entry in found.assumptions if entry["code"] == "columns_ignored"]
    assert ignored["detail"]["count"] == 5_000
    assert len(ignored["detail"]["columns"]) == 100
    assert "and 4,980 more" in ignored["message"]
