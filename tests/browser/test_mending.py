"""Mending in place in a real browser: by the keyboard alone, with many rows, without script, on a phone."""

import io

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from accounts.principals import Principal
from ingestion import uploads
from ingestion.models import Record, RowError, Upload
from ingestion.pipeline import PIPELINE
from tests.browser.accessibility import findings
from tests.browser.conftest import NARROW, tab_to
from tests.factories import DatasetFactory, MembershipFactory, UploadFactory
from work import leases, runner, storage

pytestmark = pytest.mark.django_db(transaction=True)
FIELDS = [{"name": "id"}, {"name": "amount", "type": "integer"}, {"name": "country"}]
FILE = "id,amount,country\n007,x,FR\n008,2,FR\n009,1 o,France\n010,l2,France\n"
ROWS, COLUMNS = 5_000, 12
RUN = "0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1"


@pytest.fixture(autouse=True)
def kept_files(settings, tmp_path):
    settings.FILES_DIR = tmp_path / "files"
    storage.files.cache_clear()
    yield
    storage.files.cache_clear()


@pytest.fixture
def uploader():
    return MembershipFactory(organisation__title="North").user


@pytest.fixture
def partial(uploader):
    dataset = DatasetFactory(
        organisation=uploader.organisations.get(),
        title="Stations",
        schema={"fields": FIELDS, "primaryKey": ["id"]},
    )
    file = io.BytesIO(FILE.encode())
    uploads.accept(dataset=dataset, stream=file, filename="stations.csv", by=Principal(uploader))
    return work()


def work():
    lease = leases.claim_next(PIPELINE)
    runner.run(lease)
    return Upload.objects.get(pk=lease.row.pk)


@pytest.fixture
def many(uploader):
    """An upload with 5,000 refused rows of 12 columns."""
    dataset = DatasetFactory(organisation=uploader.organisations.get())
    upload = UploadFactory(dataset=dataset, filename="many.csv")
    Upload.objects.filter(pk=upload.pk).update(
        state="failed", due_at=None, finished_at=timezone.now(), failure_code="every_row_refused", run=RUN,
        headers=["id", "amount", *(f"column {n}" for n in range(3, COLUMNS + 1))], rows_read=ROWS,
        refused=ROWS, error_count=ROWS,
    )  # fmt: skip
    error = {"column": "B", "header": "amount", "value": "x", "code": "type_integer"}
    error |= {"message": "“x” is not a whole number.", "remedy": "Type a whole number, such as 42."}
    RowError.objects.bulk_create(
        RowError(
            upload=upload, run=RUN, sheet="", row=row, faults=[{**error, "cell": f"B{row}"}],
            cells=[f"id {row}", "x", *(f"value {row}.{n}" for n in range(3, COLUMNS + 1))],
        )
        for row in range(2, ROWS + 2)
    )  # fmt: skip
    return upload


def mend_url(upload):
    return reverse("upload_mend", args=[upload.pk])


def into_the_grid(page):
    expect(active(page)).to_be_visible()
    page.locator("#mend-grid").focus()


def active(page):
    return page.locator("#mend-grid .is-active")


def test_partial_file_becomes_clean_by_the_keyboard_alone(open_page, uploader, partial):
    page = open_page(reverse("upload", args=[partial.pk]), user=uploader)
    expect(page.locator("h1")).to_have_text("1 of 4 rows are stored")
    tab_to(page, page.get_by_role("link", name="Mend the rows here"))
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("3 rows to mend")
    grid = page.locator("#mend-grid")
    expect(grid).to_be_visible()
    assert findings(page) == []

    tab_to(page, grid)
    expect(active(page)).to_have_text("x")
    expect(page.locator("#mend-said")).to_contain_text("amount, row 2: “x” is not a whole number.")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    expect(active(page)).to_have_text("1 o")
    page.keyboard.press("F2")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("0")
    page.keyboard.press("Escape")
    expect(active(page)).to_have_text("1 o")
    page.keyboard.type("10")
    page.keyboard.press("Tab")
    expect(active(page)).to_have_text("France")
    page.keyboard.press("Alt+ArrowDown")
    expect(active(page)).to_have_text("l2")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+z")
    expect(active(page)).to_have_text("l2")
    page.keyboard.press("Control+y")
    expect(page.locator("#mend-count")).to_have_text("3 cells changed in 3 rows, not sent yet")
    assert findings(page) == []
    tab_to(page, page.get_by_role("button", name="Send 3 changed rows"))
    page.keyboard.press("Enter")

    expect(page.get_by_text("Accepted and kept: 3 mended rows.")).to_be_visible()
    new = work()
    page.goto(reverse("upload", args=[new.pk]))
    expect(page.locator("h1")).to_have_text("1 of 4 rows are stored, 3 mended, 0 left")
    expect(page.get_by_text("Nothing is left to mend.")).to_be_visible()
    assert findings(page) == []
    assert sorted(Record.objects.values_list("data__amount", flat=True)) == [2, 7, 10, 12]
    page.goto(mend_url(partial))
    expect(page.locator("h3")).to_have_text("No row is left to mend")


def test_what_was_typed_outlives_a_reload_and_leaving_warns(open_page, uploader, partial):
    page = open_page(mend_url(partial), user=uploader)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    into_the_grid(page)
    page.keyboard.type("7")
    page.keyboard.press("Enter")

    page.reload()

    expect(page.locator("#mend-grid td.cell-changed")).to_have_text("7")
    expect(page.locator("#mend-count")).to_have_text(
        "1 cell changed in 1 row, not sent yet, kept from before"
    )
    assert asked == ["beforeunload"]
    page.get_by_role("button", name="Send 1 changed row").click()
    expect(page.get_by_text("Accepted and kept: 1 mended row.")).to_be_visible()
    page.goto(mend_url(partial))
    expect(page.locator("#mend-count")).to_have_text("Nothing changed yet")


def test_cells_are_pasted_copied_found_and_replaced(open_page, uploader, partial):
    page = open_page(mend_url(partial), user=uploader)
    into_the_grid(page)
    paste(page, '5\t"a ""b""\nc"\r\n6\tDE\r\n')
    cells = page.locator("#mend-grid td[aria-colindex='3']")
    expect(cells).to_have_text(["5", "6", "l2"])
    expect(page.locator("#mend-2-2")).to_have_text("France")
    expect(page.locator("#mend-0-2")).to_have_text('a "b"\nc')
    page.keyboard.press("Control+z")
    expect(cells).to_have_text(["x", "1 o", "l2"])

    page.get_by_label("Find and replace in").select_option(label="country")
    page.get_by_label("Find", exact=True).fill("France")
    expect(page.locator("#mend-found")).to_have_text("2 cells would change.")
    page.get_by_label("Replace with").fill("FR")
    page.get_by_role("button", name="Replace in 2 cells").click()
    expect(page.locator("#mend-grid td[aria-colindex='4']")).to_have_text(["FR", "FR", "FR"])
    page.get_by_label("What is wrong").select_option(index=1)
    expect(page.locator("#mend-grid tbody th")).to_have_count(3)


def paste(page, text):
    page.evaluate(
        """text => {
          const given = new DataTransfer();
          given.setData("text/plain", text);
          const event = new ClipboardEvent("paste", {clipboardData: given, bubbles: true, cancelable: true});
          document.getElementById("mend-grid").dispatchEvent(event);
        }""",
        text,
    )


def test_of_five_thousand_rows_only_those_in_sight_are_built(open_page, uploader, many):
    page = open_page(mend_url(many), user=uploader)
    expect(page.locator("#mend-grid tbody th").first).to_be_visible()
    into_the_grid(page)
    for _ in range(40):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("PageDown")
    page.keyboard.type("42")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+End")
    expect(active(page)).to_have_text(f"value {ROWS + 1}.{COLUMNS}")
    assert page.locator("#mend-grid tbody tr").count() < 80
    page.evaluate("document.getElementById('mend-scroll').scrollTop = 1e9")
    expect(page.locator("#mend-grid tbody th").last).to_have_text(str(ROWS + 1))
    assert page.locator("#mend-grid tbody tr").count() < 80


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_grid_fits_a_phone_and_scrolls_in_its_own_region(open_page, uploader, many, theme):
    page = open_page(mend_url(many), user=uploader, theme=theme, viewport=NARROW)
    expect(page.locator("#mend-grid tbody th").first).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    assert page.evaluate(
        "(part => part.scrollWidth > part.clientWidth)(document.getElementById('mend-scroll'))"
    )
    assert findings(page) == []


def test_without_script_a_page_of_rows_is_a_plain_form(open_page, uploader, partial):
    page = open_page(mend_url(partial), user=uploader, scripts=False)
    page.get_by_label("amount, row 2").fill("7")
    page.get_by_role("button", name="Send the changed rows").click()

    expect(page.get_by_text("Accepted and kept: 1 mended row.")).to_be_visible()
    assert work().mended == 1


def test_row_written_meanwhile_is_decided_on_a_page_of_its_own(open_page, uploader, partial):
    file = io.BytesIO(b"id,amount,country\n007,1,DE\n")
    uploads.accept(dataset=partial.dataset, stream=file, filename="newer.csv", by=Principal(uploader))
    work()
    page = open_page(mend_url(partial), user=uploader)
    into_the_grid(page)
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Send 1 changed row").click()

    expect(page.locator("h1")).to_have_text("One of these rows was written meanwhile")
    assert findings(page) == []
    page.get_by_label("What is stored now").check()
    page.get_by_role("button", name="Send the row").click()
    expect(page.get_by_text("Accepted and kept: 1 mended row.")).to_be_visible()
    assert work().superseded == 1
