"""From the sign-in page to a verdict, with real clusters at work: by the keyboard alone, and on a phone."""

import re

import openpyxl
from playwright.sync_api import expect

from tests.browser.accessibility import findings
from tests.browser.conftest import NARROW, tab_to

ROWS = 150_000
HEADER = "icao,name,country,latitude,longitude\n"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
WITHIN = 150_000  # milliseconds
THIN = "\u202f"


def code(number):
    digits = ""
    for _ in range(4):
        number, rest = divmod(number, 36)
        digits = LETTERS[rest] + digits
    return digits


def airports(number, *, country="FR"):
    """Three rows at fault among them: 2 to 4."""
    lines = [f"{code(n)},Field {n},{country},48.5,2.5\n" for n in range(number)]
    lines[:3] = [f"{code(n)},Field {n},France,48.5,2.5\n" for n in range(3)]
    return (HEADER + "".join(lines)).encode()


def press(page, locator, key="Enter"):
    tab_to(page, locator)
    page.keyboard.press(key)


def send(page, name, content):
    page.goto("/uploads/new/")
    page.get_by_label("Dataset").select_option(label="Airports of Europe")
    file = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.get_by_label("Spreadsheet").set_input_files(file)
    page.get_by_role("button", name="Send", exact=True).click()
    page.wait_for_url(re.compile(r"/uploads/[0-9a-f-]{36}/$"))
    return page.url


def test_upload_reaches_its_verdict_by_the_keyboard_alone(visitor, tmp_path):
    (tmp_path / "fields.csv").write_bytes(airports(ROWS))
    page = visitor("uploader")
    page.on("filechooser", lambda chooser: None)  # from now on the browser hands them to us

    press(page, page.get_by_role("link", name="Uploads", exact=True).first)
    page.wait_for_url("**/uploads/")
    press(page, page.get_by_role("link", name="Send a spreadsheet").first)
    page.wait_for_url("**/uploads/new/")
    tab_to(page, page.get_by_label("Dataset"))
    page.keyboard.type("Airports of E")
    expect(page.locator("#expected .note")).to_have_text("Airports of Europe")
    tab_to(page, page.get_by_label("Spreadsheet"))
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(tmp_path / "fields.csv")
    press(page, page.get_by_role("button", name="Send", exact=True))

    page.wait_for_url(re.compile(r"/uploads/[0-9a-f-]{36}/$"))
    expect(page.get_by_text("fields.csv is accepted and kept.")).to_be_visible()
    expect(page.get_by_text("rows so far")).to_be_visible(timeout=WITHIN)
    expect(page.locator("#upload-progress")).to_contain_text("rows/s")
    assert findings(page) == []
    title = f"{ROWS - 3:,} of {ROWS:,} rows are stored".replace(",", THIN)
    expect(page.locator("h1")).to_have_text(title, timeout=WITHIN)
    expect(page.locator("#upload-live")).to_have_count(0)

    press(page, page.locator("a[href*='code=pattern']").filter(has_text="3"))
    expect(page.locator("#rows tbody tr")).to_have_count(3)
    expect(page.locator("#row-3 .cell-bad")).to_have_text("France")
    press(page, page.get_by_role("button", name="Annotated workbook"))
    link = page.get_by_role("link", name="Annotated workbook")
    expect(link).to_be_visible(timeout=WITHIN)
    with page.expect_download() as download:
        press(page, link)
    assert download.value.suggested_filename == "fields - refused rows.xlsx"
    download.value.save_as(tmp_path / "refused.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "refused.xlsx").worksheets[0]
    rows = [[str(cell.value) for cell in row] for row in sheet.iter_rows()]
    assert sum("France" in row for row in rows) == 3


def test_waiting_uploads_are_withdrawn_one_and_many_on_a_phone(visitor):
    operator = visitor("operator")
    operator.goto("/pipelines/upload/pause/")
    operator.get_by_label("Reason").fill("The store is being moved.")
    operator.get_by_role("button", name=re.compile("Pause")).last.click()
    operator.wait_for_url(lambda url: "pause" not in url)
    page = visitor("uploader", viewport=NARROW)

    first = send(page, "draft 1.csv", airports(5, country="DE"))
    expect(page.locator("[data-why=paused]")).to_contain_text("paused by Olga Brandt")
    fits(page)
    page.get_by_role("link", name="Withdraw…").click()
    page.get_by_label("Reason").fill("It was a draft.")
    fits(page)
    page.get_by_role("button", name="Withdraw", exact=True).click()
    page.wait_for_url(first)
    expect(page.locator("h1")).to_have_text("draft 1.csv was withdrawn")
    expect(page.locator("#verdict")).to_contain_text("Reason: It was a draft.")

    send(page, "draft 2.csv", airports(6, country="DE"))
    second = send(page, "draft 3.csv", airports(7, country="DE"))
    send(page, "draft 3.csv", airports(7, country="DE"))
    expect(page.locator("#repeats")).to_contain_text("The same bytes were sent before")
    watched = visitor("manager")
    watched.goto("/uploads/?text=draft")

    page.goto("/uploads/?text=draft")
    page.get_by_role("link", name="Accepted 3").click()
    expect(page).to_have_url(re.compile(r"\?text=draft&status=accepted$"))
    expect(page.get_by_label("File name or sha256")).to_have_value("draft")
    page.get_by_label("Choose every row of this page").check()
    page.get_by_label("Apply to all 3 that match").check()
    fits(page)
    page.get_by_role("button", name="Withdraw…").click()
    expect(page.locator("h1")).to_contain_text("3 match, all of them eligible")
    assert findings(page) == []
    fits(page)
    page.get_by_label("Reason").fill("None of them is final.")
    page.get_by_role("button", name="Withdraw 3 rows").click()
    expect(page.locator("#bulk-heading")).to_have_text("3 of 3 rows were changed", timeout=WITHIN)
    fits(page)

    expect(watched.locator("#uploads-table").get_by_text("Cancelled", exact=True)).to_have_count(
        5, timeout=WITHIN
    )
    page.goto(second)
    expect(page.locator("h1")).to_have_text("draft 3.csv was withdrawn")
    operator.goto("/pipelines/upload/")
    operator.get_by_role("link", name=re.compile("Resume")).first.click()
    operator.get_by_label("Reason").fill("It is moved.")
    operator.get_by_role("button", name=re.compile("Resume")).last.click()
    expect(operator.locator("h1")).to_contain_text("pipelines are open")


def fits(page):
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
