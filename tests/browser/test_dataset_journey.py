"""From a sample file to a dataset and the verdict on its first upload, in one go, by the keyboard."""

import re

from playwright.sync_api import expect

from tests.browser.accessibility import findings
from tests.browser.conftest import NARROW, tab_to

WITHIN = 150_000  # milliseconds
KINDS = ("river", "well", "lake")
SAMPLE = "Station No;Name;Height (m);Opened;Kind\n" + "".join(
    f"00{100 + n};Station {n};{n},5;{n % 28 + 1:02}/03/2024;{KINDS[n % 3]}\n" for n in range(60)
)


def press(page, locator, key="Enter"):
    tab_to(page, locator)
    page.keyboard.press(key)


def test_manager_sets_up_a_dataset_from_a_sample(visitor, tmp_path):
    (tmp_path / "stations.csv").write_text(SAMPLE)
    page = visitor("manager")
    page.on("filechooser", lambda chooser: None)  # from now on the browser hands them to us
    page.goto("/datasets/")
    press(page, page.get_by_role("link", name="New dataset"))
    page.wait_for_url("**/datasets/new/")
    tab_to(page, page.get_by_label("A file as people will send it"))
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(tmp_path / "stations.csv")
    press(page, page.get_by_role("button", name="Read the sample"))

    page.wait_for_url(re.compile(r"/schema-drafts/[0-9a-f-]{36}/"))
    expect(page.locator("h1")).to_have_text("What stations.csv says")
    expect(page.locator("#fields tbody tr")).to_have_count(5)
    expect(page.locator("#fields")).to_contain_text("One of: lake, river, well.")
    press(page, page.locator("#fields").get_by_role("link", name="Height (m)"))
    expect(page.locator("#field h2")).to_have_text("Height (m)")
    assert findings(page) == []
    tab_to(page, page.get_by_label("At least"))
    page.keyboard.type("0")
    press(page, page.get_by_role("button", name="Keep", exact=True))
    expect(page.locator("#fields tr.chosen")).to_contain_text("At least 0.")
    page.reload()
    expect(page.get_by_label("At least")).to_have_value("0")

    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    press(page, page.get_by_role("link", name="Go on to saving"))
    page.wait_for_url("**/saving/")
    page.get_by_label("Title").fill("Stations of the journey")
    page.get_by_label("Slug").fill("journey-stations")
    press(page, page.get_by_role("button", name="Save the dataset"))

    page.wait_for_url(re.compile(r"/uploads/[0-9a-f-]{36}/$"))
    expect(page.locator("h1")).to_contain_text("60 rows are stored", timeout=WITHIN)
    page.goto("/datasets/")
    press(page, page.get_by_role("link", name="Stations of the journey", exact=True))
    with page.expect_download() as download:
        press(page, page.get_by_role("link", name="Template"))
    assert download.value.suggested_filename == "journey-stations template.xlsx"
