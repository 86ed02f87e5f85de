"""What a manager sees come out of a sample: types with the evidence, and a sentence wherever to look."""

import pytest

from ingestion.inferring import sampling
from ingestion.inferring.schema import NothingUsable, infer
from ingestion.reading.failures import UnreadableFile


@pytest.fixture
def sample(tmp_path):
    def sample(*lines):
        (tmp_path / "sample.csv").write_text("\n".join(lines))
        with (tmp_path / "sample.csv").open("rb") as file:
            return sampling.take(file)

    return sample


@pytest.fixture
def inferred(sample):
    return lambda *lines, locale="en": infer(sample(*lines), locale=locale)


@pytest.fixture
def field(inferred):
    """The field of a column of values, without the properties that all of them have."""

    def field(*values, heading="x", locale="en"):
        found = inferred(f"{heading};y", *(f"{value};a" for value in values), locale=locale)
        made = {
            name: value for name, value in found.schema["fields"][0].items() if name not in ("name", "title")
        }
        return made, [note.code for note in found.evidence[0].notes if note.code != "few_values"]

    return field


@pytest.mark.parametrize(
    ("values", "made", "notes"),
    [
        (["1", "2", "-3"], {"type": "integer"}, []),
        (["1.5", "2", "-3"], {"type": "number"}, []),
        (["1,5", "2", "-3,25"], {"type": "number", "decimalChar": ","}, []),
        (["1.234,5", "2"], {"type": "number", "decimalChar": ",", "groupChar": "."}, []),
        (["1,234,567", "2"], {"type": "integer", "groupChar": ","}, []),
        (["1'234.5", "2"], {"type": "number", "decimalChar": ".", "groupChar": "'"}, []),
        (["1,234", "2,500"], {"type": "integer", "groupChar": ","}, ["numbers_either_way"]),
        (["€ 12.50", "€ 3"], {"type": "number", "bareNumber": False}, ["symbol"]),
        (["12 %", "3%"], {"type": "integer", "bareNumber": False}, ["symbol"]),
        (["12 EUR", "3 CHF"], {"type": "string"}, ["several_symbols"]),
        (["5A", "7B"], {"type": "string"}, []),
        (["007", "120"], {"type": "string"}, ["leading_zeros"]),
        (["+49 30 1", "030 2"], {"type": "string"}, ["leading_zeros"]),
        (["1234567890123456", "2"], {"type": "string"}, ["many_digits"]),
        (["0", "1", "0"], {"type": "integer"}, ["zero_or_one"]),
        (["yes", "no"], {"type": "boolean"}, []),
        (["Ja", "nein"], {"type": "boolean", "trueValues": ["Ja"], "falseValues": ["nein"]}, []),
        (["oui", "non", "n/a"],
         {"type": "boolean", "trueValues": ["oui"], "falseValues": ["non"], "missingValues": ["", "n/a"]},
         ["missing_tokens"]),
        (["2024-05-31", "2024-06-01"], {"type": "date"}, []),
        (["31.12.2024", "1.2.2024"], {"type": "date"}, []),
        (["13/02/2024", "03/04/2024"], {"type": "date", "format": "%d/%m/%Y"}, []),
        (["02/13/2024", "03/04/2024"], {"type": "date", "format": "%m/%d/%Y"}, []),
        (["02/03/2024", "03/04/2024"], {"type": "date", "format": "%d/%m/%Y"}, ["dates_either_way"]),
        (["31.12.24", "01.02.24"], {"type": "date", "format": "%d.%m.%y"}, ["two_digit_year"]),
        (["2024-05-31 10:00", "2024-06-01 11:30"], {"type": "datetime"}, []),
        (["13/02/2024 10:00", "03/04/2024 11:30"], {"type": "datetime", "format": "%d/%m/%Y %H:%M"}, []),
        (["10:30", "23:59"], {"type": "time"}, []),
        (["2024-05", "2023-11"], {"type": "yearmonth"}, []),
        (["a@example.org", "b@example.org"], {"type": "string", "format": "email"}, []),
        (["https://example.org/a", "https://example.org/b"], {"type": "string", "format": "uri"}, []),
        (["1", "2", "N/A", "-"], {"type": "integer", "missingValues": ["", "-", "N/A"]}, ["missing_tokens"]),
        (["NA", "DE", "FR"], {"type": "string"}, []),
        (["", ""], {"type": "string"}, ["no_values"]),
    ],
)  # fmt: skip
def test_type_of_a_column(field, values, made, notes):
    assert field(*values) == (made, notes)


def test_same_values_are_read_as_the_locale_writes_them(field):
    assert field("02/03/2024", "03/04/2024", locale="en-US")[0]["format"] == "%m/%d/%Y"
    assert field("1,234", "2,500", locale="de")[0] == {"type": "number"}
    assert field("1,5", "2", locale="de")[0] == {"type": "number"}


def test_another_column_decides_what_can_be_read_either_way(inferred):
    found = inferred("a;b;c", "02/03/2024;13/02/2024;1,234", "03/04/2024;14/02/2024;2,500", locale="en-US")

    assert found.schema["fields"][0]["format"] == "%d/%m/%Y"
    assert [note.code for note in found.evidence[0].notes] == ["dates_as_elsewhere", "few_values"]


@pytest.mark.parametrize(
    ("locale", "is_said", "headings", "row", "found"),
    [
        ("en", False, "Datum;Betrag;Kunde", "31.12.2025;1.234,56;a", "de"),
        ("en", False, "Date;Montant;Prénom", "31/12/2025;1 234,56;a", "fr"),
        ("en", False, "Datum;Bedrag;Betaald", "31-12-2025;7,5;ja", "nl"),
        ("de", False, "Date;Amount;Name", "2025-12-31;1,234.56;a", "en"),
        ("en", True, "Datum;Betrag;Kunde", "31.12.2025;1.234,56;a", "en"),
        ("en", False, "x;y;z", "31.12.2025;1.234,56;a", "en"),
        ("fr", False, "Datum;Betrag;Kunde", "31.12.2025;1.234,56;a", "fr"),
        ("en", False, "Datum;Betrag;Kunde", "31.12.2025;1.234;a", "en"),
    ],
)
def test_locale_of_the_sample_is_found_where_it_is_another(sample, locale, is_said, headings, row, found):
    inferred = infer(sample(headings, row, row), locale=locale, is_said=is_said)

    assert inferred.locale == found
    assert [each["code"] for each in inferred.assumptions].count("locale_found") == (found != locale)


@pytest.mark.parametrize("locale", ["en", "en-US", "de", "fr"])
def test_dots_tell_that_the_day_comes_first_and_slashes_tell_nothing(field, locale):
    assert field("01.02.2025", "03.04.2025", locale=locale) == ({"type": "date"}, [])
    assert field("01/02/2025", "03/04/2025", locale=locale)[1] == ["dates_either_way"]


def test_columns_of_one_file_are_each_declared_as_they_are_written(inferred):
    found = inferred(
        "id;Tag;Zeit;Betrag;Preis;Prix;Ganz",
        "a;01.02.2025;31.12.2025 14:30;1.234,56;12,5 €;1\u202f234,5;1.234",
        "b;03.04.2025;01.02.2025 08:15;7,5;3 €;7;2.500",
    )

    fields = found.schema["fields"]
    assert [field["type"] for field in fields[1:]] == ["date", "datetime", *["number"] * 3, "integer"]
    assert [(field.get("decimalChar"), field.get("groupChar")) for field in fields[3:]] == [
        (",", "."), (",", None), (",", "\u202f"), (None, "."),
    ]  # fmt: skip


def test_heading_tells_years_and_days_from_numbers(field):
    assert field("2023", "2024", heading="Jahr")[0] == {"type": "year"}
    assert field("2023", "2024", heading="Menge")[0] == {"type": "integer"}
    assert field("20230101", "20240131", heading="Datum")[0] == {"type": "date", "format": "%Y%m%d"}


def test_column_that_is_nearly_of_a_type_stays_text_and_says_why(inferred):
    found = inferred("amount;y", *(f"{number};a" for number in range(1, 30)), "many;a")

    assert found.schema["fields"][0]["type"] == "string"
    assert found.evidence[0].confidence == "look"
    assert "“many” in row 31" in found.evidence[0].notes[0].message


def test_few_values_over_many_rows_are_an_enum(inferred):
    found = inferred("kind;n", *(f"{'wet' if number % 2 else 'dry'};{number}" for number in range(40)))

    assert found.schema["fields"][0]["constraints"] == {"required": True, "enum": ["dry", "wet"]}


def test_column_without_blanks_is_required(inferred):
    found = inferred("a;b", *(f"{number};{number if number else ''}" for number in range(6)))

    assert [field.get("constraints") for field in found.schema["fields"]] == [{"required": True}, None]


def test_names_are_clean_and_titles_are_the_headings(inferred):
    found = inferred("Größe (m²);Grosse m2;%;Ж 1", "1;2;3;4")

    assert [(field["name"], field["title"]) for field in found.schema["fields"]] == [
        ("grosse_m2_2", "Größe (m²)"), ("grosse_m2", "Grosse m2"), ("%", "%"), ("ж_1", "Ж 1"),
    ]  # fmt: skip


def test_key_is_the_column_whose_heading_speaks_of_one(inferred):
    found = inferred("name;station_id;n", "a;x1;1", "b;x2;2", "c;x3;3")

    assert found.schema["primaryKey"] == ["station_id"]
    assert found.candidate_keys == [["station_id"], ["name"], ["n"]]


def test_key_may_be_a_pair(inferred):
    found = inferred("code;day;amount", "a;2024-01-01;1.5", "a;2024-01-02;1.5", "b;2024-01-01;1.5")

    assert found.schema["primaryKey"] == ["code", "day"]


def test_no_key_is_said(inferred):
    found = inferred("a;b", "1;1", "1;1")

    assert "primaryKey" not in found.schema
    assert found.assumptions[-1]["code"] == "no_key"


def test_columns_that_cannot_be_told_apart_are_left_out_and_named(inferred):
    found = inferred("a;amount;Amount;;b", "1;2;3;4;5")

    assert [field["name"] for field in found.schema["fields"]] == ["a", "b"]
    left = next(each for each in found.assumptions if each["code"] == "columns_left_out")
    assert left["message"].endswith("B “amount”, C “Amount”, D.")


def test_only_such_columns_are_nothing_to_infer_from(inferred):
    with pytest.raises(NothingUsable):
        inferred("a;A", "1;2")


def test_long_file_is_read_in_part_and_that_is_said(inferred):
    found = inferred("a;b", *(f"{number};x" for number in range(sampling.MOST_ROWS + 1000)))

    assert found.evidence[0].values == sampling.MOST_ROWS
    assert "Only the first 5,000 rows were read." in [each["message"] for each in found.assumptions]


def test_rows_of_another_length_are_left_out_and_counted(inferred):
    found = inferred("a;b", "1;2", "1;2;3", "4;5")

    assert found.evidence[0].values == 2
    assert any(each["code"] == "rows_left_out" for each in found.assumptions)


def test_file_that_is_none_keeps_the_words_of_the_reader(tmp_path):
    (tmp_path / "page.html").write_text("<html><body>no</body></html>")

    with (tmp_path / "page.html").open("rb") as file, pytest.raises(UnreadableFile) as raised:
        sampling.take(file)

    assert raised.value.code == "format_html"
