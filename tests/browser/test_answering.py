"""Saying how a file is to be read: by the keyboard alone, on a phone without script, in light and dark."""

import re

import pytest
from playwright.sync_api import expect

from ingestion import remembered
from ingestion.models import Upload
from tests.browser.accessibility import findings
from tests.browser.conftest import NARROW, WIDE, tab_to
from tests.browser.test_upload_journey import WITHIN, send
from tests.factories import DatasetFactory, MembershipFactory, UploadFactory
from tests.ingestion import askings

pytestmark = pytest.mark.django_db(transaction=True)
SCHEMA = {
    "fields": [
        {"name": "id", "title": "Station", "constraints": {"required": True}},
        {"name": "amount", "type": "integer", "constraints": {"minimum": 0}},
        {"name": "note", "title": "Remark"},
    ],
    "primaryKey": ["id"],
}
FOREIGN = b"""Kennung,Bezeichnung,Land,Breite,Hoehe
ZZZ1,Zeltweg,AT,47.2,14.7
ZZZ2,Zell,AT,47.3,12.8
"""
REFUSED = "Failed to load resource: the server responded with a status of 422"
SUGGESTIONS = [
    {"field": "id", "title": "Station", "required": True, "column": None, "sure": False, "why": ""},
    {"field": "amount", "title": "", "required": False, "column": 1, "sure": False, "why": "similar"},
    {"field": "note", "title": "Remark", "required": False, "column": 2, "sure": True, "why": "title"},
]


@pytest.fixture
def uploader(db):
    return MembershipFactory(organisation__slug="north").user


@pytest.fixture
def asking(uploader):
    def asking(asked):
        dataset = DatasetFactory(organisation=uploader.organisations.get(), title="Stations", schema=SCHEMA)
        return askings.let_ask(UploadFactory(dataset=dataset), asked)

    return asking


def which_columns():
    return askings.which_columns(sheets=askings.SHEETS, suggestions=SUGGESTIONS)


def address(upload):
    return f"/uploads/{upload.pk}/"


def test_columns_are_named_by_the_keyboard_alone(open_page, asking, uploader):
    upload = asking(which_columns())
    page = open_page(address(upload), user=uploader)

    tab_to(page, page.get_by_role("link", name="Answer", exact=True))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("How is stations.csv to be read?")
    expect(page.locator("#left-out")).to_contain_text("A Ident")
    tab_to(page, page.get_by_label("Station"))
    page.keyboard.type("A: I")
    expect(page.get_by_label("Station")).to_have_value("0")
    expect(page.locator("#left-out")).to_have_text("No column is left out.")
    assert findings(page) == []
    tab_to(page, page.get_by_role("button", name="Read it so"))
    page.keyboard.press("Enter")

    page.wait_for_url(f"**{address(upload)}")
    expect(page.get_by_text("stations.csv goes on by your answer.")).to_be_visible()
    upload = Upload.objects.get(pk=upload.pk)
    assert upload.reading["mapping"] == {"id": "Ident", "amount": "Betrag €", "note": "Remark"}
    assert remembered.aliases(upload.dataset_id) == {"ident": "id", "betrag": "amount"}


def test_another_row_and_another_sheet_show_their_own_columns(open_page, asking, uploader):
    page = open_page(f"{address(asking(which_columns()))}answer/", user=uploader)

    page.get_by_label("The names stand in row 4").check()
    expect(page.get_by_label("Station").locator("option", has_text="A: a")).to_have_count(1)
    page.get_by_role("link", name="Old hidden").click()
    expect(page.get_by_label("amount")).to_have_value("1")
    expect(page.get_by_label("The names stand in row 1")).to_be_checked()
    page.get_by_label("The names stand in two rows").check()
    expect(page.get_by_label("amount").locator("option", has_text="B: amount 9")).to_have_count(1)
    page.get_by_label("The names stand in two rows").uncheck()
    expect(page.get_by_label("amount").locator("option", has_text="B: amount 9")).to_have_count(0)


def test_it_works_on_a_phone_without_script(open_page, asking, uploader):
    upload = asking(which_columns())
    page = open_page(f"{address(upload)}answer/", user=uploader, scripts=False, viewport=NARROW)
    page.forgive(REFUSED)

    page.get_by_label("The names stand in row 4").check()
    page.get_by_role("button", name="Show its columns").click()
    expect(page.get_by_label("Station").locator("option", has_text="A: a")).to_have_count(1)
    page.get_by_role("button", name="Read it so").click()
    expect(page.locator("#id_column_0_error")).to_contain_text("needs a column")
    page.get_by_label("Station").select_option("0")
    page.get_by_role("button", name="Read it so").click()

    page.wait_for_url(f"**{address(upload)}")
    assert Upload.objects.get(pk=upload.pk).reading["header_row"] == 4


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("make", [which_columns, askings.which_sheet, askings.confirm_retirement])
def test_questions_are_readable_everywhere(open_page, asking, uploader, make, theme, viewport):
    page = open_page(f"{address(asking(make()))}answer/", user=uploader, theme=theme, viewport=viewport)

    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


def test_records_go_only_for_a_reason(open_page, asking, uploader):
    upload = asking(askings.confirm_retirement())
    page = open_page(f"{address(upload)}answer/", user=uploader)
    page.forgive(REFUSED)

    page.get_by_role("button", name="Yes, retire them").click()
    expect(page.get_by_text("This field is required.")).to_be_visible()
    page.get_by_label("Reason").fill("The stations were closed.")
    page.get_by_role("button", name="Yes, retire them").click()

    page.wait_for_url(f"**{address(upload)}")
    assert Upload.objects.get(pk=upload.pk).reading == {"confirm": ["retire:7"]}


def test_foreign_headings_are_answered_once_and_the_next_file_goes_through(visitor):
    """With real clusters at work."""
    page = visitor("uploader")
    send(page, "fremd.csv", FOREIGN)
    expect(page.locator("h1")).to_have_text("fremd.csv needs an answer", timeout=WITHIN)
    expect(page.get_by_role("link", name="Attention")).to_contain_text(re.compile(r"\d"))

    page.get_by_role("link", name="Answer", exact=True).click()
    for place, label in enumerate(("ICAO code", "Name", "Country", "Latitude", "Longitude")):
        page.get_by_label(label, exact=True).select_option(str(place))
    expect(page.locator("#left-out")).to_have_text("No column is left out.")
    page.get_by_role("button", name="Read it so").click()

    expect(page.locator("h1")).to_have_text("All 2 rows are stored", timeout=WITHIN)
    send(page, "fremd 2.csv", FOREIGN.replace(b"Z", b"Y"))
    expect(page.locator("h1")).to_have_text("All 2 rows are stored", timeout=WITHIN)
    expect(page.get_by_text("recognised by an earlier answer")).to_be_visible()
