"""The records of a dataset by the keyboard: found, filtered, sorted, paged; and a rebuild followed."""

import re
from decimal import Decimal

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from ingestion.models import Record, Reindex
from ingestion.search import pipelines, updating
from tests.browser.accessibility import findings
from tests.browser.conftest import NARROW, tab_to
from tests.factories import DatasetFactory, MembershipFactory, UploadFactory
from work import leases, runner

pytestmark = pytest.mark.django_db(transaction=True)
SCHEMA = {
    "fields": [
        {"name": "id", "title": "Station number"},
        {"name": "name", "title": "Name", "sortable": True},
        {"name": "height", "title": "Height", "type": "number", "sortable": True},
        {"name": "kind", "title": "Kind", "sortable": True, "constraints": {"enum": ["river", "well"]}},
        *({"name": f"reading_{n}", "title": f"Reading {n}", "type": "integer"} for n in range(1, 9)),
    ],
    "primaryKey": ["id"],
}
RECORDS = 120


@pytest.fixture
def manager():
    return MembershipFactory(organisation__title="North", role="manager").user


@pytest.fixture
def dataset(manager):
    made = DatasetFactory(organisation=manager.organisations.get(), title="Stations", schema=SCHEMA)
    upload = UploadFactory(dataset=made)
    Record.objects.bulk_create(
        Record(dataset=made, key=f'["S{n:03}"]', data=values(n), digest=b"x", upload=upload)
        for n in range(RECORDS)
    )
    updating.want_all()
    assert run_one(pipelines.UPDATES)
    return made


def values(number):
    kind = "well" if number % 3 == 0 else "river"
    readings = {f"reading_{n}": n * number for n in range(1, 9)}
    height = number * 7 % RECORDS
    return {"id": f"S{number:03}", "name": f"Bridge {number:03}", "height": height, "kind": kind, **readings}


def run_one(pipeline):
    lease = leases.claim_next(pipeline)
    if lease is not None:
        runner.run(lease)
    return lease


def address(name, dataset):
    return reverse(name, args=[dataset.organisation.slug, dataset.slug])


def press(page, locator, key="Enter"):
    tab_to(page, locator)
    page.keyboard.press(key)


def column(page, number):
    return page.locator(f"#records-table tbody td:nth-of-type({number})").all_inner_texts()


def test_records_are_found_by_the_keyboard(open_page, dataset, manager):
    page = open_page(address("records", dataset), user=manager)
    table = page.locator("#records-table")
    expect(page.locator("h1")).to_have_text(f"Stations: {RECORDS} records")
    tab_to(page, page.get_by_label("Find in records"))
    page.keyboard.type("ridge 00")
    expect(table.get_by_role("status")).to_contain_text("10 records found.")
    expect(table.locator("tbody tr")).to_have_count(10)
    page.wait_for_load_state("networkidle")


def test_records_are_filtered_and_sorted_by_the_keyboard(open_page, dataset, manager):
    page = open_page(address("records", dataset), user=manager)
    table = page.locator("#records-table")
    select = page.get_by_role("combobox", name="Kind")
    tab_to(page, select)
    page.keyboard.type("well")
    expect(table.get_by_role("status")).to_contain_text("40 records found.")
    tab_to(page, page.get_by_label("Height from"))
    page.keyboard.type("90")
    expect(table.get_by_role("status")).to_contain_text("10 records found.")
    press(page, table.get_by_role("columnheader").get_by_role("link", name="Height"))
    expect(table.locator("tbody td:nth-of-type(3)").first).to_have_text("117")
    falling = [Decimal(text) for text in column(page, 3)]
    press(page, table.get_by_role("columnheader").get_by_role("link", name="Height"))
    expect(table.locator("tbody td:nth-of-type(3)").first).to_have_text("90")
    rising = [Decimal(text) for text in column(page, 3)]

    assert falling == sorted(falling, reverse=True)
    assert rising == falling[::-1]
    assert set(column(page, 4)) == {"well"}
    page.wait_for_load_state("networkidle")
    page.reload()
    assert [Decimal(text) for text in column(page, 3)] == rising


def test_pages_of_a_search_lead_on_and_back(open_page, dataset, manager):
    page = open_page(f"{address('records', dataset)}?sort=-height", user=manager)
    first = column(page, 3)
    press(page, page.get_by_role("link", name=re.compile("^(Next|Older)")))
    expect(page.locator("#records-table tbody td:nth-of-type(3)").first).to_have_text("69")
    press(page, page.get_by_role("link", name=re.compile("^(Previous|Newer)")))
    expect(page.locator("#records-table tbody td:nth-of-type(3)").first).to_have_text("119")

    assert column(page, 3) == first


def test_columns_are_chosen_and_a_record_is_opened(open_page, dataset, manager):
    page = open_page(f"{address('records', dataset)}?q=Bridge+007", user=manager)
    heads = page.locator("#records-table thead th")
    expect(heads).to_have_count(10)
    press(page, page.locator(".chooser summary"))
    for name in ("Reading 8", "Name"):
        press(page, page.get_by_role("checkbox", name=name, exact=True), "Space")
    press(page, page.get_by_role("button", name="Show these"))
    expect(heads).to_have_count(10)
    expect(heads.filter(has_text="Reading 8")).to_have_count(1)
    expect(heads.filter(has_text="Name")).to_have_count(0)
    expect(page.get_by_label("Find in records")).to_have_value("Bridge 007")

    press(page, page.locator("#records-table tbody th a"))
    page.wait_for_url(re.compile(r"/records/\d+/$"))
    expect(page.locator("main")).to_contain_text("Bridge 007")


def test_search_that_finds_nothing_leads_back_to_every_record(open_page, dataset, manager):
    page = open_page(f"{address('records', dataset)}?q=nowhere", user=manager)
    expect(page.locator("#records-table")).to_contain_text("No record fits")
    press(page, page.get_by_role("link", name="Show every record"))
    expect(page.locator("#records-table tbody tr")).to_have_count(50)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("query", ["", "q=bridge&sort=-height&filter[kind]=well", "q=nowhere", "sort=id"])
def test_records_can_be_read_by_everybody_and_on_a_phone(open_page, dataset, manager, theme, query):
    page = open_page(f"{address('records', dataset)}?{query}", user=manager, theme=theme)
    page.forgive("Failed to load resource: the server responded with a status of 422")

    assert findings(page) == []
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    assert findings(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_rebuild_is_asked_for_and_followed_to_its_end(open_page, dataset, manager, theme):
    page = open_page(address("search_index", dataset), user=manager, theme=theme)
    press(page, page.get_by_role("button", name="Rebuild it"))
    page.wait_for_url(re.compile(r"/reindexes/[0-9a-f-]{36}/$"))
    expect(page.locator("#reindex-live")).to_contain_text("Requested")
    lease = leases.claim_next(pipelines.REINDEXES)
    Reindex.objects.filter(pk=lease.row.pk).update(progress_done=30, progress_total=RECORDS)
    page.reload()
    expect(page.locator("#reindex-live progress, #reindex-live [role=progressbar]")).to_be_visible()
    expect(page.locator("#reindex-live")).to_contain_text("30 of 120")
    assert findings(page) == []
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]

    runner.run(lease)
    expect(page.locator("#reindex-live")).to_contain_text("Rebuilt", timeout=30_000)
