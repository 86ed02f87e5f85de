"""What the help page says of cells is what the checks do."""

import pytest
from django.urls import reverse

from ingestion import cell_rules
from ingestion.checking.checker import Checker
from ingestion.checking.messages import ROW_MESSAGES

EXAMPLES = [example for rule in cell_rules.RULES for example in rule.examples]
# Found over whole rows and files, so that no single cell is an example.
OF_ROWS = {
    "extra_cells", "missing_cells", "unique", "unique_stored", "foreign_key", "key_too_long",
    "primary_key_duplicate", "too_long",
}  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.typed} as {example.column}")
def test_example_becomes_what_is_said(example):
    checker = Checker({"fields": [{"name": "a", **example.of}, {"name": "b"}]}, locale=example.locale)
    checker.match_header(["a", "b"])
    if example.before is not None:
        checker.check_batch([[2, [example.before, "x"]]])

    (row,) = checker.check_batch([[3, [example.cell, "x"]]])

    if example.code:
        assert [error["code"] for error in row.errors] == [example.code]
    else:
        assert row.json == f'{{"a":{example.stored},"b":"x"}}'


def test_every_code_of_a_cell_is_explained_by_an_example():
    shown = {example.code for example in EXAMPLES if example.code}

    assert shown == set(cell_rules.EXPLAINED)
    assert set(ROW_MESSAGES) == shown | OF_ROWS


def test_keys_typed_in_two_forms_of_unicode_are_one():
    checker = Checker({"fields": [{"name": "a"}], "primaryKey": "a"})
    checker.match_header(["a"])

    rows = checker.check_batch([[2, ["Zoe\u0301"]], [3, [" Zo\u00e9\u200b "]], [4, ["zo\u00e9"]]])

    assert len({row.key for row in rows[:2]}) == 1
    assert rows[2].key != rows[0].key


@pytest.mark.django_db
def test_every_code_leads_to_its_anchor(client):
    pages = {
        page: client.get(reverse("help_page", args=[page])).content.decode() for page in ("cells", "refusals")
    }

    for code in ROW_MESSAGES:
        path, _, anchor = cell_rules.help_url(code).partition("#")
        assert pages[path.strip("/").rpartition("/")[2]].count(f'id="{anchor}"') == 1


def test_text_of_the_page_escapes_what_was_typed(client, db):
    text = client.get(reverse("help_page", args=["cells"])).content.decode()

    assert "&quot;P1DT12H&quot;" in text
