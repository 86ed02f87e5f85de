import pytest

from ingestion.reading.cells import column_index, column_letters, decode, text
from ingestion.reading.dates import iso
from ingestion.reading.formats import classify


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("General", ""),
        ("@", ""),
        ("0", ""),
        ("0.00", ""),
        ("#,##0.00", ""),
        ("0.00E+00", ""),
        ('0" pcs"', ""),
        ('0" days"', ""),
        ("# ?/?", ""),
        ("0%", "%"),
        ("0.00%;[Red]-0.00%", "%"),
        ("yyyy-mm-dd", "d"),
        ("dd/mm/yyyy;@", "d"),
        ("[$-407]d. mmmm yyyy", "d"),
        ("mmm yy", "d"),
        ("mmmm", "d"),
        ("yyyy\\-mm\\-dd\\ hh:mm", "dt"),
        ("m/d/yy h:mm AM/PM", "dt"),
        ("h:mm", "t"),
        ("mm:ss.0", "t"),
        ("[h]:mm:ss", "du"),
        ("[mm]:ss", "du"),
        ("[Red]0.00", ""),
        ("00000", "z:00000"),
        ("000\\-00\\-0000", "z:000-00-0000"),
        ('"A"0000', "z:A0000"),
        ('"0"00', ""),
        ("#,##0.00 €", "c:€"),
        ("[$EUR] #,##0.00", "c:EUR"),
        ("[$CHF-807] #,##0.00", "c:CHF"),
        ('"USD" 0.00', "c:USD"),
        ("$#,##0.00_);($#,##0.00)", "c:$"),
    ],
)
def test_format_says_what_the_digits_do_not(code, meaning):
    assert classify(code) == meaning


@pytest.mark.parametrize(
    ("serial", "number_format", "shown"),
    [
        (1.0, "d", "1900-01-01"),
        (59.0, "d", "1900-02-28"),
        (60.0, "d", None),
        (61.0, "d", "1900-03-01"),
        (2_958_465.0, "d", "9999-12-31"),
        (2_958_466.0, "d", None),
        (0.0, "d", None),
        (-1.0, "d", None),
        (float("inf"), "d", None),
        (44197.999999999, "dt", "2021-01-02T00:00:00"),
        (44197.75, "d", "2021-01-01T18:00:00"),
        (0.999988425925926, "t", "23:59:59"),
        (0.5000011574, "t", "12:00:00.100"),
        (1.5, "du", None),
    ],
)
def test_serial_is_the_moment_that_is_shown(serial, number_format, shown):
    assert iso(serial, number_format, date1904=False) == shown


@pytest.mark.parametrize(
    ("index", "letters"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")]
)
def test_column_letters_count_as_spreadsheets_do(index, letters):
    assert column_letters(index) == letters
    assert column_index(letters) == index


@pytest.mark.parametrize("value", ["plain", "\x7fn5", "\x7f", "\x7fs\x7f", ""])
def test_any_text_comes_back_as_text(value):
    assert decode(text(value)).raw == value
