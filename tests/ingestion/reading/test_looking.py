"""Which of the first rows is the header: by rules, and by tables made at random."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.reading.looking import FirstRow, find_header, said_header
from ingestion.reading.loosely import comparable

FIELDS = ("id", "station_name", "opened", "amount", "note", "colour")
NAMES = {comparable(name): place for place, name in enumerate(FIELDS)}


def table(*rows):
    return [FirstRow(number, list(cells)) for number, cells in enumerate(rows, start=1) if any(cells)]


def found(*rows, depth=0):
    rows = table(*rows)
    header = find_header(rows, NAMES, depth=depth)
    return rows[header.at].number, header


DATA = [["a", "North", "2024-01-31", 1, None, "red"], ["b", "South", "2024-02-28", 2, "x", "blue"]]

VALUES = [["007", "A", "2024-03-01", 1.5], ["008", "B", "2024-03-02", 2]]


def test_titles_and_blank_rows_above_are_passed_over():
    row, header = found(["Stations of 2024"], [None], ["id", "Station name", "Opened", "Amount"], *DATA)

    assert (row, header.sure, header.score) == (3, True, 4)


def test_row_with_more_names_wins_over_an_earlier_one():
    row, header = found(["Amount", None, "id"], ["id", "Station name", "Opened"], *DATA)

    assert (row, header.sure) == (2, True)


def test_lone_title_that_is_a_name_gives_way_to_a_row_over_the_table():
    row, _ = found(["Amount"], ["Ident", "Name", "Since", "Amount"], *DATA)

    assert row == 2


def test_repeated_header_is_read_once_from_its_first_row():
    row, header = found(["id", "opened", "amount"], *DATA, ["id", "opened", "amount"], *DATA)

    assert (row, header.sure) == (1, True)


def test_two_rows_are_one_header_where_together_they_name_more():
    rows = (["id", "station", None, "amount"], [None, "name", "opened", None], *DATA)

    row, header = found(*rows)

    assert (row, header.depth, header.sure) == (1, 2, True)
    assert header.cells == ["id", "station name", "opened", "amount"]


def test_group_above_a_full_header_is_a_title():
    row, header = found(["Who", None, "When", None], ["id", "station name", "opened", "amount"], *DATA)

    assert (row, header.depth) == (2, 1)


def test_part_wins_over_group_and_part_only_where_it_alone_is_a_name():
    rows = table(["station", None, None], ["name", "amount", "extra"])

    assert said_header(rows, NAMES, depth=2).cells == ["station name", "amount", "station extra"]


def test_data_without_headings_are_no_sure_header():
    _, header = found(*DATA)

    assert (header.score, header.sure) == (0, False)


def test_foreign_headings_over_values_are_a_sure_header_of_no_names():
    row, header = found(["Kennung", "Ort", "Seit", "Betrag"], ["a", "North", "\x7fd2024-01-31\x7fd", 3])

    assert (row, header.score, header.sure) == (1, 0, True)


def test_foreign_headings_over_texts_are_a_guess():
    _, header = found(["Kennung", "Ort"], ["a", "North"], ["b", "South"])

    assert not header.sure


def test_groups_over_parts_are_one_foreign_header_in_two_rows():
    row, header = found(["Place", None, "Reading", None], ["No", "Name", "Day", "Value"], *VALUES)

    assert (row, header.depth, header.sure, header.score) == (1, 2, True, 0)
    assert header.cells == ["Place No", "Place Name", "Reading Day", "Reading Value"]


def test_foreign_header_over_a_first_row_of_texts_stays_one_row():
    assert found(["No", "Name", "Day", "Value"], ["a", "b", "c", "d"], *VALUES)[1].depth == 1
    assert found(["No", None, "Day", "Value"], ["a", "b", "c", "1.5"], *VALUES)[1].depth == 1
    assert found(["Report of", "June"], ["No", "Name", "Day", "Value"], *VALUES)[1].depth == 1


def test_foreign_header_said_to_be_one_row_is_one():
    rows = (["Place", None, "Reading", None], ["No", "Name", "Day", "Value"], *VALUES)

    assert found(*rows, depth=1)[1].depth == 1


def test_numbers_and_dates_may_be_names():
    rows = table(["Region", 2023, 2024], ["north", 1, 2])

    assert find_header(rows, {"region": 0, "2023": 1, "2024": 2}).score == 3


junk_texts = st.sampled_from(["Report", "As of May", "Confidential", "Ministry of Works", "draft", "page 1"])
junk_rows = st.lists(st.one_of(st.none(), junk_texts), min_size=1, max_size=3)
cells = st.one_of(
    st.none(),
    st.integers(-1000, 1000),
    st.sampled_from(["North", "South", "red", "x y", "n/a"]),
    st.just("\x7fd2024-01-31\x7fd"),
)


@st.composite
def sheets(draw):
    """A table under junk, its fields permuted, spelt in other ways, some missing, some columns more."""
    kept = draw(st.permutations(FIELDS))[: draw(st.integers(len(FIELDS) // 2, len(FIELDS)))]
    spelt = [
        draw(st.sampled_from([name, name.upper(), name.replace("_", " "), f" {name} "])) for name in kept
    ]
    more = draw(st.lists(st.sampled_from(["Extra", "Foo", "Region"]), max_size=2, unique=True))
    header = draw(st.permutations([*spelt, *more]))
    indent = [None] * draw(st.integers(0, 2))
    rows = [draw(junk_rows) for _ in range(draw(st.integers(0, 4)))]
    at = len(rows)
    rows.append([*indent, *header])
    data = st.lists(cells, min_size=len(header), max_size=len(header))
    rows += [[*indent, *draw(data)] for _ in range(draw(st.integers(0, 6)))]
    notes = [["Source: somewhere"]] if draw(st.booleans()) else []
    return [*rows, *([[None]] if notes else []), *notes], at + 1, kept


@given(sheets())
@settings(max_examples=300, deadline=None)
def test_header_with_half_of_the_fields_is_found_wherever_it_stands(sheet):
    rows, expected, kept = sheet

    row, header = found(*rows)

    assert (row, header.depth, header.score, header.sure) == (expected, 1, len(kept), True)


@given(st.lists(st.lists(st.one_of(cells, st.sampled_from(FIELDS)), min_size=1, max_size=6), min_size=1))
@settings(max_examples=300, deadline=None)
def test_no_row_that_names_more_is_ever_passed_over(rows):
    rows = table(*rows)
    if not rows:
        return

    header = find_header(rows, NAMES)

    scores = [len({cell for cell in row.cells if isinstance(cell, str) and cell in FIELDS}) for row in rows]
    assert header.score >= max(scores)
    assert header.depth == 2 or header.score == max(scores)
