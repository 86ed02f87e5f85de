"""Which headings are offered for a field, which are asked about, and which are neither."""

import pytest

from ingestion.checking.header_similar import ASK, OFFER, likeness, pairs


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("ammount", "amount"), ("Adress", "address"), ("statoin", "station"),
        ("Datum der Messung", "Messung Datum"),
        ("Telefonnumer", "Telefonnummer"), ("amount EUR", "amount"), ("date of birth", "birth_date"),
        ("customerName", "name customer"), ("catégorie", "categorie"),
    ],
)  # fmt: skip
def test_typing_errors_turned_words_and_added_units_are_asked_about(heading, name):
    assert likeness(heading, name) >= ASK
    assert likeness(name, heading) >= ASK


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("page", "age"),
        ("invoice number", "order number"),
        ("remark", "amount"),
        ("id", "idx"),
    ],
)
def test_mere_relatives_are_never_asked_about(heading, name):
    assert likeness(heading, name) < ASK


@pytest.mark.parametrize(
    ("heading", "name"), [("Line 1", "Line 2"), ("2024", "2025"), ("€", "euro"), ("", "id")]
)
def test_names_that_differ_in_a_number_or_say_nothing_are_not_alike(heading, name):
    assert likeness(heading, name) == 0


def test_no_heading_and_no_field_is_offered_twice_and_the_best_comes_first():
    found = pairs(
        [(0, "amount eur"), (1, "ammount"), (2, "elsewhere")],
        [("amount", ("amount", "")), ("amount_eur", ("amount_eur",)), ("note", ("note", "remark"))],
    )

    assert [(field, place) for _, field, place in found] == [("amount_eur", 0), ("amount", 1)]
    assert [score for score, *_ in found] == sorted((score for score, *_ in found), reverse=True)
    assert all(score >= OFFER for score, *_ in found)


def test_a_title_counts_like_the_name():
    assert [
        (field, place) for _, field, place in pairs([(3, "Betragg")], [("amount", ("amount", "Betrag"))])
    ] == [("amount", 3)]
