import codecs
import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.reading.cells import decode
from ingestion.reading.encodings import choose
from tests.ingestion.reading.books import failure, read

TABLE = "id;größe;note\r\n1;2,5;ä\r\n2;3;b\r\n"


@pytest.mark.parametrize(
    ("data", "encoding", "reason"),
    [
        (TABLE.encode(), "UTF-8", "valid_utf8"),
        (codecs.BOM_UTF8 + TABLE.encode(), "UTF-8", "bom"),
        (TABLE.encode("utf-16"), "UTF-16", "bom"),
        (codecs.BOM_UTF16_BE + TABLE.encode("utf-16-be"), "UTF-16", "bom"),
        (TABLE.encode("utf-16-le"), "UTF-16", "nul_pattern"),
        (TABLE.encode("utf-16-be"), "UTF-16", "nul_pattern"),
        (TABLE.encode("utf-32"), "UTF-32", "bom"),
        (TABLE.encode("utf-32-le"), "UTF-32", "nul_pattern"),
        (TABLE.encode("utf-32-be"), "UTF-32", "nul_pattern"),
        (TABLE.encode("cp1252"), "Windows-1252", "organisation_default"),
    ],
)
def test_encoding_is_found_and_stated(data, encoding, reason):
    reading = read(data)

    assert reading.header.cells == ["id", "größe", "note"]
    assert reading.rows == [[2, ["1", "2,5", "ä"]], [3, ["2", "3", "b"]]]
    found = reading.assumed["encoding"]
    assert (found["encoding"], found["reason"]) == (encoding, reason)


def test_first_byte_that_is_not_utf8_is_stated():
    reading = read(b"id,name\r\n1,abc\r\n2,M\xfcller\r\n")

    assert reading.assumed["encoding"]["not_utf8"] == {"line": 3, "column": 4, "byte": "0xFC"}
    assert "line 3, character 4" in reading.end.assumptions[0]["message"]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_place_of_a_wrong_byte_is_right_far_into_a_file(ending):
    data = ending.join([b"id,name", *[b"1,abcdefgh"] * 100_000, b"2,x\xe4", b""])

    assert read(data).assumed["encoding"]["not_utf8"] == {"line": 100_002, "column": 4, "byte": "0xE4"}


def test_utf8_with_strange_bytes_in_it_is_refused_with_their_place():
    data = "id,name\n1,Müller\n2,Łukasz\n".encode() + b"3,J\xfcrgen\n"

    error = failure(data)

    assert error.code == "encoding_mixed"
    assert error.detail == {"line": 4, "column": 4, "byte": "0xFC"}


def test_two_letters_that_happen_to_be_utf8_are_no_mixture():
    data = "id,name\n1,CAFÉ»\n2,Süß\n3,naïve\n".encode("cp1252")

    assert [row[1][1] for row in read(data).rows] == ["CAFÉ»", "Süß", "naïve"]


def test_wide_text_in_another_script_is_known_without_a_mark():
    for encoding in ("utf-16-le", "utf-16-be"):
        data = "номер;имя\r\n1;Анна\r\n2;Пётр\r\n".encode(encoding)

        assert read(data).rows == [[2, ["1", "Анна"]], [3, ["2", "Пётр"]]]


def test_stray_zeros_do_not_make_a_text_wide():
    cells = read(b"id,name\nx,a\x00b\ny,c\x00d\nz,e\x00\n" + b"y,abcdef\n" * 50).rows[0][1]

    assert decode(cells[1]).raw == "a\x00b"


@pytest.mark.parametrize("data", [b"note\nhello, world\nfoo\n", b"a\n1\n", b"when\n10:30\n11:45\n"])
def test_single_column_is_not_split_at_what_its_texts_hold(data):
    reading = read(data)

    assert "single_column" in reading.assumed
    assert [[*row[1]] for row in reading.rows] == [[line] for line in data.decode().split("\n")[1:-1]]


def test_several_spaces_separate_nothing():
    reading = read(b"id   name\n1    a\n2    b\n")

    assert "single_column" in reading.assumed
    assert reading.rows[0] == [2, ["1    a"]]


def test_titles_and_notes_do_not_hide_the_delimiter():
    titles = "".join(f"Line {n} of a long title\n" for n in range(9))
    data = titles + "id;name\n1;a\n2;b\n\nNote: all of it\nis provisional\n"

    assert read(data.encode()).assumed["delimiter"]["delimiter"] == ";"


@pytest.mark.parametrize("last", ["\n", "", "\r\n", "\r", "\n\x1a"])
def test_any_line_end_will_do_also_none_at_the_end(last):
    reading = read(b"id,name\r\n1,a\r2,b\n3,c" + last.encode())

    assert reading.rows == [[2, ["1", "a"]], [3, ["2", "b"]], [4, ["3", "c"]]]


def test_default_encoding_is_the_organisations():
    assert read("id\nžluť\n".encode("cp1250"), encoding="cp1250").rows == [[2, ["žluť"]]]


def test_bytes_of_no_encoding_are_refused_with_their_line():
    error = failure(b"id\nab\n\x81\n")

    assert (error.code, error.detail["line"]) == ("encoding_unknown", 3)


def test_late_bytes_decide_about_the_whole_file():
    data = b"id,name\n" + b"1,abcdefgh\n" * 100_000 + "2,é\n".encode("cp1252")

    assert read(data).rows[-1] == [100_002, ["2", "é"]]


@pytest.mark.parametrize(
    ("text", "delimiter", "reason"),
    [
        ("a,b\n1,2\n", ",", "consistent_columns"),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";", "consistent_columns"),
        ("a\tb\n1\t2\n", "\t", "consistent_columns"),
        ("a|b\n1|2\n", "|", "consistent_columns"),
        ('a;b\n"x;y";"1,2"\n"z, and, more";2\n', ";", "consistent_columns"),
        ("a^b\n1^2\n", "^", "consistent_columns"),
        ("a~b\n1~2\n", "~", "consistent_columns"),
        ("a\x01b\n1\x012\n", "\x01", "consistent_columns"),
        ("a:b\n1:2\n", ":", "consistent_columns"),
        ("a;b\r1,5;2,5\r3,5;4,5\r", ";", "consistent_columns"),
        ("sep=;\ra;b\r1;2\r", ";", "sep_line"),
        ("sep=|\r\na|b\r\n1|2\r\n", "|", "sep_line"),
        ("sep=;\na;b\n1;2\n", ";", "sep_line"),
        ('"sep=#"\na#b\n1#2\n', "#", "sep_line"),
    ],
)
def test_delimiter_is_found_and_stated(text, delimiter, reason):
    reading = read(text.encode())

    assert reading.assumed["delimiter"] == {"delimiter": delimiter, "reason": reason}
    assert reading.header.cells[0] == "a"
    assert reading.header.row == 1
    assert reading.rows[0][0] == 2


def test_declared_delimiter_wins():
    assert read(b"a,b;c,d\n1,2;3,4\n", delimiter=";").header.cells == ["a,b", "c,d"]


def test_rows_are_numbered_as_a_spreadsheet_program_does():
    reading = read(b'id,note\n1,"two\nlines"\n\n,\n2,x\n')

    assert reading.rows == [[2, ["1", "two\nlines"]], [5, ["2", "x"]]]
    assert reading.end.blank_rows == 2


def test_ragged_rows_are_marked():
    rows = read(b"a,b,c\n1,2\n1,2,3,4,5\n1,2,3,,\n1,2,3\n").rows

    assert rows == [
        [2, ["1", "2"], {"missing": 1}],
        [3, ["1", "2", "3"], {"extra": 2}],
        [4, ["1", "2", "3"], {}],
        [5, ["1", "2", "3"]],
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('a,b\n1,"x\n2,y\n3,z\n', "unclosed_quote", 2),
        ('a,b\n"1\n2",x\n3,"ok ""q"" "\n4,"two\nlines","open\n5,y\n', "unclosed_quote", 6),
        ('a,b\n1,"x" y\n', "stray_quote", 2),
        ('sep=,\na,b\n1,"x\n', "unclosed_quote", 3),
    ],
)
def test_quotes_that_do_not_match_are_refused_with_their_line(text, code, line):
    error = failure(text.encode())

    assert (error.code, error.detail["line"]) == (code, line)


def test_open_quote_is_found_before_the_rest_of_a_large_file_is_one_cell():
    data = b'a,b\n1,"x\n' + b"2,yyyyyyyyyyyyyyyyyyyyyyy\n" * 1_000_000

    assert failure(data).detail["line"] == 2


def test_long_cell_is_read_and_a_far_too_long_one_refused():
    assert len(read(b"a,b\n" + b"x" * 200_000 + b",1\n").rows[0][1][0]) == 200_000
    assert failure(b"a,b\n" + b"x" * 1_500_000 + b",1\n").code == "cell_too_long"


def test_endless_line_is_said_to_be_too_long_and_not_to_lack_a_quote():
    assert failure(b"a,b\n" + b"x" * 9_000_000 + b",1\n").code == "file_exceeds_limits"


def test_zero_bytes_and_marks_come_through_for_the_checks():
    cells = read(b"a,b\nx\x00y,\x7fn5\n").rows[0][1]

    assert [decode(cell).raw for cell in cells] == ["x\x00y", "\x7fn5"]


def test_columns_beyond_the_grid_are_refused():
    assert failure(b"a," * 20_000 + b"b\n").code == "outside_grid"


def test_header_without_rows_is_read():
    assert read(b"a,b").rows == []


def test_choice_leaves_the_file_at_its_start():
    file = io.BytesIO(TABLE.encode("cp1252"))

    choose(file, default="cp1252")

    assert file.tell() == 0


CELLS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\r\t,;|\"' "),
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(
    table=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=6),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    ending=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_the_csv_module_writes_is_what_comes_out(table, delimiter, ending, encoding):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=ending, quoting=csv.QUOTE_ALL)
    writer.writerow(["a", "b", "c"])
    writer.writerows(table)

    reading = read(out.getvalue().encode(encoding), delimiter=delimiter)

    expected = [[number, row] for number, row in enumerate(table, start=2) if any(row)]
    assert [[number, [decode(cell).raw for cell in cells]] for number, cells, *_ in reading.rows] == expected
