"""Whatever the table: the inferred schema is valid, takes the rows, and comes out the same again."""

from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as some

from ingestion.checking.checker import Checker
from ingestion.checking.fields import build_field
from ingestion.checking.schemas import validate_schema
from ingestion.inferring.sampling import Sample
from ingestion.inferring.schema import NothingUsable, infer
from ingestion.reading.cells import column_index

PLAIN = build_field({"name": "x", "type": "string"})
WORDS = some.sampled_from(
    ["ja", "nein", "yes", "No", "true", "0", "1", "n/a", "-", "NULL", "", " ", "x", "007", "+49 89", "12%",
     "52 %", "€ 5", "CHF 7", "1,234", "1.234,5", "12,5", "1'234", "1 234", "01/02/2024", "13/02/2024",
     "02/13/2024", "31.12.2024", "2024-05-31", "2024-05-31 10:00", "31.12.24", "20240131", "10:30",
     "25:10:05", "a@example.org", "https://example.org/", "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
     "12345678901234567",
     "2024", "2024-05", "NA", "#N/A", "5 kg", "-€5", "1e5", ".5", "5.", "５", "Ünï", "1.", "A-1", "PT5M"]
)  # fmt: skip
NUMBERS = some.one_of(
    some.integers(-(10**6), 10**6), some.integers(1900, 2030),
    some.floats(-1e9, 1e9).map(lambda x: round(x, 3)),
    some.sampled_from([0, 1, 1e15, 1e300, 0.1 + 0.2]),
)  # fmt: skip
MARKED = some.sampled_from(
    ["\x7fb0", "\x7fb1", "\x7fe#REF!", "\x7ff", "\x7fd2024-05-31\x7fd", "\x7fd2024-05-31T00:00:00\x7fdt",
     "\x7fd2024-05-31T10:30:00\x7fdt", "\x7fd10:30:00\x7ft", "\x7fn0.5\x7f%", "\x7fn7\x7fc:€",
     "\x7fn8\x7fc:$", "\x7fn6083\x7fz:00000", "\x7fn1.25\x7fdu", "\x7fn60\x7fd", "\x7fn1e20\x7fg",
     "\x7fs\x7f"]
)  # fmt: skip
CELLS = some.one_of(some.none(), WORDS, WORDS, NUMBERS, MARKED, some.text(max_size=12))


@some.composite
def columns(draw, rows):
    """Of one kind or of few values mostly, so that more than text is inferred."""
    kind = draw(some.sampled_from([WORDS, NUMBERS, MARKED, CELLS]))
    few = draw(some.lists(kind, min_size=1, max_size=4))
    cells = some.one_of(some.sampled_from(few), some.none()) if draw(some.booleans()) else kind
    return [draw(cells) for _ in range(rows)]


HEADINGS = some.one_of(
    some.sampled_from(["Id", "id", "Größe", "Grosse", "%", "€", "a b", "a-b", "Jahr", "Datum", "", " ",
                       "N°", "5"]),
    some.text(max_size=8),
)  # fmt: skip


@some.composite
def samples(draw):
    rows = draw(some.integers(0, 40))
    table = draw(some.lists(columns(rows), min_size=1, max_size=5))
    header = [draw(HEADINGS) or None for _ in table]
    lines = [[number + 2, list(cells)] for number, cells in enumerate(zip(*table, strict=True))]
    return Sample("s", 1, header, lines, is_whole=True)


patient = examples(suppress_health_check=[HealthCheck.too_slow], deadline=None)


@patient
@given(samples(), some.sampled_from(["en", "en-US", "de", "fr", "de-CH", "hu"]))
def test_inferred_schema_takes_its_sample(sample, locale):
    try:
        found = infer(sample, locale=locale)
    except NothingUsable:
        return
    assert validate_schema(found.schema) == []
    checker = Checker(found.schema, locale=found.locale)
    match = checker.match_header(sample.header, row=1)
    assert match.failure is None
    assert len(match.places) == len(found.schema["fields"])
    checked = checker.check_batch(sample.rows)
    assert [
        error for row in checked for error in row.errors if not faulty_in_itself(sample, row, error)
    ] == []


def faulty_in_itself(sample, row, error):
    """Text would not take the cell either."""
    return bool(PLAIN.faults(sample.rows[row.row - 2][1][column_index(error["column"])]))


@patient
@given(samples())
def test_same_sample_gives_the_same_schema(sample):
    try:
        found = infer(sample, locale="en")
    except NothingUsable:
        return
    assert infer(sample, locale="en") == found


@patient
@given(samples())
def test_no_two_rows_share_an_inferred_key(sample):
    try:
        found = infer(sample, locale="en")
    except NothingUsable:
        return
    checker = Checker(found.schema)
    checker.match_header(sample.header, row=1)
    keys = [row.key for row in checker.check_batch(sample.rows) if row.key is not None]
    assert len(set(keys)) == len(keys)
