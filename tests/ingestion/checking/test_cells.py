"""What becomes of one cell under one field: the stored JSON, or the codes of its errors."""

import pytest

from ingestion.checking.checker import Checker


def check(cell, *, locale="en", **properties):
    """The stored JSON of the cell, or the list of codes."""
    schema = {"fields": [{"name": "a", **properties}, {"name": "b"}]}
    checker = Checker(schema, locale=locale)
    checker.match_header(["a", "b"])
    (row,) = checker.check_batch([[2, [cell, "x"]]])
    # The same in a batch of good cells, and twice, so that neither speed nor memory changes the outcome.
    (again, *_) = checker.check_batch([[3, [cell, "y"]], [4, [cell, "z"]]])
    assert [error["code"] for error in again.errors] == [error["code"] for error in row.errors]
    if row.errors:
        assert row.json is None
        assert all(error["cell"] == "A2" for error in row.errors)
        return [error["code"] for error in row.errors]
    return row.json.removeprefix('{"a":').removesuffix(',"b":"x"}')


NUMBER = "\x7fn"


@pytest.mark.parametrize(
    ("cell", "stored"),
    [
        ("text", '"text"'),
        (" kept as typed ", '" kept as typed "'),
        ("e\u0301 \u00a0x", '"e\u0301 \u00a0x"'),
        ("a\nb\tc", '"a\\nb\\tc"'),
        ('say "hi" \\', '"say \\"hi\\" \\\\"'),
        ("#NULL?", '"#NULL?"'),
        ("=1+1", '"=1+1"'),
        ("", "null"),
        (None, "null"),
        ("  \u00a0\u200b", "null"),
        (5, '"5"'),
        (5.5, '"5.5"'),
        (-0.0, '"0"'),
        (1e-7, '"0.0000001"'),
        (999_999_999_999_999, '"999999999999999"'),
        (1_234_567_890_123_456, ["digits_lost"]),
        (1.2345678901234567e18, ["digits_lost"]),
        (f"{NUMBER}9.99032320001885E17\x7fg", ["digits_lost"]),
        (f"{NUMBER}6083\x7fz:00000", '"06083"'),
        (f"{NUMBER}1234567\x7fz:00000", '"1234567"'),
        (f"{NUMBER}123456789\x7fz:000-00-0000", '"123-45-6789"'),
        (f"{NUMBER}0.52\x7f%", '"52%"'),
        (f"{NUMBER}10.632060185185185\x7fdu", '"255:10:10"'),
        (f"{NUMBER}12.5\x7fc:EUR", '"12.5"'),
        ("\x7fb1", '"TRUE"'),
        ("\x7fd2021-01-01\x7fd", '"2021-01-01"'),
        ("\x7fe#N/A", ["error_value"]),
        ("\x7ff", ["not_calculated"]),
        ("a\x00b", ["control_character"]),
        ("a\x1fb", ["control_character"]),
        ("a\x85b", ["control_character"]),
        ("a\ud800b", ["control_character"]),
        ("\x7fs\x7fx", ["control_character"]),
        (f"{NUMBER}60\x7fd", ["date_never_was"]),
    ],
)
def test_text_column(cell, stored):
    assert check(cell, type="string") == stored


@pytest.mark.parametrize(
    ("properties", "cell", "stored"),
    [
        ({"format": "email"}, "ann@example.org", '"ann@example.org"'),
        ({"format": "email"}, "ann@example", ["format_email"]),
        ({"format": "email"}, "ann@@example.org", ["format_email"]),
        ({"format": "email"}, "a b@example.org", ["format_email"]),
        (
            {"format": "uuid"},
            "8B1D2C3E-0000-4000-8000-00000000000f",
            '"8B1D2C3E-0000-4000-8000-00000000000f"',
        ),
        ({"format": "uuid"}, "8B1D2C3E", ["format_uuid"]),
        ({"format": "uri"}, "https://example.org/a?b=c", '"https://example.org/a?b=c"'),
        ({"format": "uri"}, "urn:isbn:123", '"urn:isbn:123"'),
        ({"format": "uri"}, "example.org", ["format_uri"]),
        ({"format": "uri"}, "http:// x", ["format_uri"]),
        ({"constraints": {"required": True}}, None, ["required"]),
        ({"constraints": {"required": True}}, " ", ["required"]),
        ({"constraints": {"pattern": "[A-Z]{2}"}}, "AB", '"AB"'),
        ({"constraints": {"pattern": "[A-Z]{2}"}}, "ABC", ["pattern"]),
        ({"constraints": {"pattern": "[a-z]+", "maxLength": 2}}, "ABC", ["max_length", "pattern"]),
        ({"constraints": {"minLength": 2}}, "a", ["min_length"]),
        ({"constraints": {"minLength": 2}}, 7, ["min_length"]),
        ({"constraints": {"pattern": "[0-9]{5}"}}, f"{NUMBER}6083\x7fz:00000", '"06083"'),
        ({"constraints": {"enum": ["a", "b"]}}, "a", '"a"'),
        ({"constraints": {"enum": ["a", "b"]}}, "A", ["enum"]),
        ({"constraints": {"enum": ["1", 2]}}, 1, '"1"'),
        ({"missingValues": ["-", "n/a"]}, "n/a", "null"),
        ({"missingValues": ["-"]}, " - ", "null"),
        ({"missingValues": ["-"], "constraints": {"required": True}}, "-", ["required"]),
        ({"missingValues": ["-99"]}, -99, "null"),
    ],
)
def test_text_column_with_rules(properties, cell, stored):
    assert check(cell, type="string", **properties) == stored


@pytest.mark.parametrize(
    ("cell", "stored"),
    [
        (5, "5"),
        (5.0, "5"),
        (-0.0, "0"),
        ("12", "12"),
        (" 12 ", "12"),
        ("12.0", "12"),
        ("007", "7"),
        ("+3", "3"),
        ("12345678901234567890", "12345678901234567890"),
        (1e20, "100000000000000000000"),
        (5.5, ["type_integer"]),
        ("5.5", ["type_integer"]),
        ("x", ["type_integer"]),
        ("٣", ["type_integer"]),
        ("1 2", ["type_integer"]),
        ("\x7fb1", ["type_integer"]),
        ("\x7fd2021-01-01\x7fd", ["type_integer"]),
        (f"{NUMBER}1\x7f%", ["type_integer"]),
        (f"{NUMBER}6083\x7fz:00000", "6083"),
        (9_007_199_254_740_993, ["digits_lost"]),
        ("1,234", ["ambiguous_number"]),
        ("1,234,567", "1234567"),
        (None, "null"),
    ],
)
def test_integer_column(cell, stored):
    assert check(cell, type="integer") == stored


@pytest.mark.parametrize(
    ("locale", "properties", "cell", "stored"),
    [
        ("en", {}, 274.65999999999997, "274.66"),
        ("en", {}, 0.1, "0.1"),
        ("en", {}, "0.10", "0.1"),
        ("en", {}, "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("en", {}, 1e300, "1E+300"),
        ("en", {}, f"{NUMBER}1E400\x7fg", ["type_number"]),
        ("en", {}, "1e999", ["type_number"]),
        ("en", {}, "NaN", ["type_number"]),
        ("en", {}, "1,234.5", "1234.5"),
        ("en", {}, "1.234", "1.234"),
        ("en", {}, "1,5", ["type_number"]),
        ("en", {}, "€5", ["type_number"]),
        ("en", {"bareNumber": False}, "€ 1,234.50", "1234.5"),
        ("en", {"bareNumber": False}, "95%", "95"),
        ("en", {"bareNumber": False}, f"{NUMBER}0.95\x7f%", "95"),
        ("en", {}, f"{NUMBER}0.52\x7f%", "0.52"),
        ("en", {}, f"{NUMBER}12.5\x7fc:EUR", "12.5"),
        ("en", {}, f"{NUMBER}1.5\x7fdu", ["type_number"]),
        ("de", {}, "1,5", "1.5"),
        ("de", {}, "1.234,5", "1234.5"),
        ("de", {}, "1.234.567", "1234567"),
        ("de", {}, "1.234", ["ambiguous_number"]),
        ("de", {}, "1.5", "1.5"),
        ("de", {}, "0.123", "0.123"),
        ("de", {}, 1.5, "1.5"),
        ("fr", {}, "1\u202f234,5", "1234.5"),
        ("pl", {}, "1 234,50", "1234.5"),
        ("de-CH", {}, "1’234.5", "1234.5"),
        ("en", {"decimalChar": ","}, "1,234", "1.234"),
        ("en", {"decimalChar": ",", "groupChar": "."}, "1.234,5", "1234.5"),
        ("de", {"decimalChar": "."}, "1.234", "1.234"),
        ("en", {"groupChar": ","}, "1,234", "1234"),
        ("en", {"constraints": {"minimum": 0.3}}, 0.3, "0.3"),
        ("en", {"constraints": {"minimum": 0.3}}, 0.29, ["minimum"]),
        ("en", {"constraints": {"maximum": 10}}, "10.01", ["maximum"]),
        ("en", {"constraints": {"enum": [1.5, "2"]}}, "1.50", "1.5"),
        ("en", {"constraints": {"enum": [1.5, "2"]}}, 3, ["enum"]),
        ("en", {"missingValues": ["-1"]}, -1, "null"),
        ("en", {"missingValues": ["-1"]}, "-1", "null"),
    ],
)
def test_number_column(locale, properties, cell, stored):
    assert check(cell, locale=locale, type="number", **properties) == stored


@pytest.mark.parametrize(
    ("locale", "properties", "cell", "stored"),
    [
        ("en", {}, "\x7fb1", "true"),
        ("en", {}, "\x7fb0", "false"),
        ("en", {}, "TRUE", "true"),
        ("en", {}, " false ", "false"),
        ("en", {}, 1, "true"),
        ("en", {}, 0, "false"),
        ("en", {}, "yes", "true"),
        ("en", {}, 2, ["type_boolean"]),
        ("en", {}, "ja", ["type_boolean"]),
        ("de", {}, "WAHR", "true"),
        ("de", {}, "Nein", "false"),
        ("fr", {}, "Vrai", "true"),
        ("de", {"trueValues": ["x"], "falseValues": ["o"]}, "x", "true"),
        ("de", {"trueValues": ["x"], "falseValues": ["o"]}, "ja", ["type_boolean"]),
        ("en", {"constraints": {"enum": [True]}}, "\x7fb0", ["enum"]),
        ("en", {}, "\x7fe#REF!", ["error_value"]),
        ("en", {}, "\x7fd2021-01-01\x7fd", ["type_boolean"]),
    ],
)
def test_boolean_column(locale, properties, cell, stored):
    assert check(cell, locale=locale, type="boolean", **properties) == stored


@pytest.mark.parametrize(
    ("locale", "properties", "cell", "stored"),
    [
        ("en", {}, "\x7fd2021-01-31\x7fd", '"2021-01-31"'),
        ("en", {}, "\x7fd2021-01-31T00:00:00\x7fdt", '"2021-01-31"'),
        ("en", {}, "\x7fd2021-01-31T10:30:00\x7fd", '"2021-01-31"'),
        ("en", {}, "\x7fd2021-01-31T10:30:00\x7fdt", ["type_date"]),
        ("en", {}, "\x7fd10:30:00\x7ft", ["type_date"]),
        ("en", {}, "\x7fd2021-01-31", '"2021-01-31"'),
        ("en", {}, "\x7fdnonsense", ["type_date"]),
        ("en", {}, f"{NUMBER}60\x7fd", ["date_never_was"]),
        ("en", {}, f"{NUMBER}0\x7fd", ["date_never_was"]),
        ("en", {}, f"{NUMBER}-1\x7fd", ["date_out_of_range"]),
        ("en", {}, f"{NUMBER}99999999\x7fd", ["date_out_of_range"]),
        ("en", {}, 44197, ["date_is_number"]),
        ("en", {}, "2021-01-31", '"2021-01-31"'),
        ("en", {}, "2021-01-31 00:00:00", '"2021-01-31"'),
        ("en", {}, "2021/1/31", '"2021-01-31"'),
        ("en", {}, "2021-02-30", ["type_date"]),
        ("en", {}, "1900-02-29", ["date_never_was"]),
        ("en", {}, "20225-01-01", ["type_date"]),
        ("en", {}, "31/01/2021", '"2021-01-31"'),
        ("en", {}, "01/31/2021", ["type_date"]),
        ("en-US", {}, "01/31/2021", '"2021-01-31"'),
        ("en-US", {}, "31/01/2021", ["type_date"]),
        ("en", {}, "03/04/2023", ["ambiguous_date"]),
        ("en-US", {}, "03/04/2023", ["ambiguous_date"]),
        ("en", {}, "05/05/2023", '"2023-05-05"'),
        ("de", {}, "03.04.2023", '"2023-04-03"'),
        ("en", {}, "03/04/23", ["ambiguous_date"]),
        ("en", {}, "soon", ["type_date"]),
        ("en", {"format": "%d/%m/%Y"}, "03/04/2023", '"2023-04-03"'),
        ("en", {"format": "%m/%d/%Y"}, "03/04/2023", '"2023-03-04"'),
        ("en", {"format": "%m/%d/%Y"}, "2023-03-04", ["type_date"]),
        ("en", {"format": "%m/%d/%Y"}, "\x7fd2023-03-04\x7fd", '"2023-03-04"'),
        ("en", {"format": "any"}, "31/01/2021", '"2021-01-31"'),
        ("en", {"constraints": {"minimum": "2021-01-01"}}, "\x7fd2020-12-31\x7fd", ["minimum"]),
        ("en", {"constraints": {"maximum": "2021-01-01"}}, "2021-01-01", '"2021-01-01"'),
    ],
)
def test_date_column(locale, properties, cell, stored):
    assert check(cell, locale=locale, type="date", **properties) == stored


@pytest.mark.parametrize(
    ("kind", "cell", "stored"),
    [
        ("datetime", "\x7fd2021-01-31T10:30:00\x7fdt", '"2021-01-31T10:30:00"'),
        ("datetime", "\x7fd2021-01-31\x7fd", '"2021-01-31T00:00:00"'),
        ("datetime", "\x7fd2021-01-31T00:00:00\x7fdt", '"2021-01-31T00:00:00"'),
        ("datetime", "2021-01-31T10:30:00Z", '"2021-01-31T10:30:00Z"'),
        ("datetime", "2021-01-31 10:30", '"2021-01-31T10:30:00"'),
        ("datetime", "2021-01-31T10:30:00+02:00", '"2021-01-31T08:30:00Z"'),
        ("datetime", "31/01/2021 10:30", '"2021-01-31T10:30:00"'),
        ("datetime", "03/04/2021 10:30", ["ambiguous_date"]),
        ("datetime", "2021-01-31", ["type_datetime"]),
        ("datetime", "2021-01-31T25:00", ["type_datetime"]),
        ("datetime", "0001-01-01T00:00:00+14:00", ["type_datetime"]),
        ("datetime", 44197.5, ["date_is_number"]),
        ("time", "\x7fd10:30:00\x7ft", '"10:30:00"'),
        ("time", f"{NUMBER}0.4375\x7fdu", '"10:30:00"'),
        ("time", f"{NUMBER}1.4375\x7fdu", ["type_time"]),
        ("time", "9:05", '"09:05:00"'),
        ("time", "24:00", ["type_time"]),
        ("time", 0.5, ["type_time"]),
        ("year", 2021, "2021"),
        ("year", "2021", "2021"),
        ("year", 2021.5, ["type_year"]),
        ("year", 21, ["type_year"]),
        ("year", "\x7fd2021-01-31\x7fd", ["type_year"]),
        ("yearmonth", "2021-05", '"2021-05"'),
        ("yearmonth", "\x7fd2021-05-01\x7fd", '"2021-05"'),
        ("yearmonth", "2021-13", ["type_yearmonth"]),
        ("yearmonth", 202105, ["type_yearmonth"]),
        ("any", "x", '"x"'),
        ("any", 5.50, "5.5"),
        ("any", "\x7fb1", "true"),
        ("any", "\x7fd2021-01-31\x7fd", '"2021-01-31"'),
        ("any", f"{NUMBER}6083\x7fz:00000", '"06083"'),
        ("any", "\x7ff", ["not_calculated"]),
    ],
)
def test_other_columns(kind, cell, stored):
    assert check(cell, type=kind) == stored


@pytest.mark.parametrize(
    ("properties", "cell", "stored"),
    [
        ({}, "PT1H30M", '"PT1H30M"'),
        ({}, "1:30", '"PT1H30M"'),
        ({}, "36:00:00", '"P1DT12H"'),
        ({}, " 0:00:00.5 ", '"PT0.5S"'),
        ({}, "PT36H", '"P1DT12H"'),
        ({}, "P2W", '"P14D"'),
        ({}, "P18M", '"P1Y6M"'),
        ({}, "-P1Y2M3DT4H5M6.7S", '"-P1Y2M3DT4H5M6.7S"'),
        ({}, "PT0S", '"PT0S"'),
        ({}, "-PT0S", '"PT0S"'),
        ({}, "P", ["type_duration"]),
        ({}, "PT", ["type_duration"]),
        ({}, "P1DT", ["type_duration"]),
        ({}, "P1W2D", ["type_duration"]),
        ({}, "1:75", ["type_duration"]),
        ({}, "90 minutes", ["type_duration"]),
        ({}, 1.5, ["type_duration"]),
        ({}, f"{NUMBER}1.5\x7fdu", '"P1DT12H"'),
        ({}, f"{NUMBER}0.0625\x7fdu", '"PT1H30M"'),
        ({}, f"{NUMBER}0.0006944444444444445\x7fdu", '"PT1M"'),
        ({}, f"{NUMBER}-0.5\x7fdu", '"-PT12H"'),
        ({}, f"{NUMBER}1e300\x7fdu", ["type_duration"]),
        ({}, f"{NUMBER}1.5\x7f%", ["type_duration"]),
        ({}, "\x7fd01:30:00\x7ft", '"PT1H30M"'),
        ({}, "\x7fd1900-01-01T12:00:00\x7ft", ["type_duration"]),
        ({}, "\x7fd2021-01-01\x7fd", ["type_duration"]),
        ({"constraints": {"minimum": "PT1H"}}, "0:59", ["minimum"]),
        ({"constraints": {"maximum": "P1M"}}, "P30D", '"P30D"'),
        ({"constraints": {"maximum": "P1M"}}, "P31D", ["maximum"]),
        ({"constraints": {"enum": ["PT24H"]}}, "P1D", '"P1D"'),
        ({"constraints": {"enum": ["PT24H"]}}, "P2D", ["enum"]),
        ({"missingValues": ["-"]}, "-", "null"),
    ],
)
def test_duration_column(properties, cell, stored):
    assert check(cell, type="duration", **properties) == stored


@pytest.mark.parametrize(
    ("properties", "cell", "stored"),
    [
        ({}, "90.50, 45.50", '"90.5, 45.5"'),
        ({}, "-90.5,45", '"-90.5, 45"'),
        ({}, "0, -0.0", '"0, 0"'),
        ({}, "45.5", ["type_geopoint"]),
        ({}, "45,5, 50,1", ["type_geopoint"]),
        ({}, "50.1N, 14.5E", ["type_geopoint"]),
        ({}, "181, 45", ["geopoint_range"]),
        ({}, "50.1, 114.5", ["geopoint_range"]),
        ({}, 14.5, ["type_geopoint"]),
        ({}, "\x7fb1", ["type_geopoint"]),
        ({"format": "array"}, "[90.50, 45]", "[90.5,45]"),
        ({"format": "array"}, "90.5, 45", ["type_geopoint"]),
        ({"format": "array"}, "[90.5]", ["type_geopoint"]),
        ({"format": "array"}, '["90.5", 45]', ["type_geopoint"]),
        ({"format": "array"}, "[NaN, 1]", ["type_geopoint"]),
        ({"format": "array"}, "[1e-40000, 1]", ["type_geopoint"]),
        ({"format": "array"}, "[1e999999999, 1]", ["type_geopoint"]),
        ({"format": "array"}, "[" * 190, ["type_geopoint"]),
        ({"format": "object"}, '{"lon": 90.50, "lat": 45}', '{"lat":45,"lon":90.5}'),
        ({"format": "object"}, '{"lat": 45}', ["type_geopoint"]),
        ({"format": "object"}, "[90.5, 45]", ["type_geopoint"]),
        ({"constraints": {"enum": ["1, 2"]}}, "1.0,2.0", '"1, 2"'),
        ({"format": "array", "constraints": {"enum": [[1, 2]]}}, "[1.0, 2]", "[1,2]"),
    ],
)
def test_geopoint_column(properties, cell, stored):
    assert check(cell, type="geopoint", **properties) == stored
