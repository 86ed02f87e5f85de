"""The behaviours of static/js, each on the page that has it, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import findings
from tests.browser.conftest import NARROW, WIDE
from tests.factories import UserFactory

GALLERY, STATES = "/gallery/", "/help/states/"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator():
    return UserFactory(operator=True)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("url", [GALLERY, STATES])
def test_page_is_accessible_and_never_scrolls_sideways(open_page, operator, url, theme, viewport):
    page = open_page(url, user=operator, theme=theme, viewport=viewport)

    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


def test_htmx_neither_evaluates_nor_injects_and_shows_refused_forms(open_page):
    page = open_page(GALLERY)

    config = page.evaluate("htmx.config")

    assert {config[name] for name in ("allowEval", "allowScriptTags", "includeIndicatorStyles")} == {False}
    assert {"code": "422", "swap": True} in config["responseHandling"]


def test_gallery_works_without_script(open_page, operator):
    page = open_page(GALLERY, user=operator, scripts=False, viewport=NARROW)

    expect(page.get_by_role("button", name="Filter")).to_be_visible()
    expect(page.get_by_text("Apply to all 312 that match")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    page.get_by_text("Menu", exact=True).click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_theme_is_kept_over_pages(open_page):
    page = open_page(GALLERY)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.get_by_label("Theme").select_option("dark")

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    page.goto(STATES)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    expect(page.get_by_label("Theme")).to_have_value("dark")
    page.get_by_label("Theme").select_option("system")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper


def test_question_mark_lists_the_keys_but_not_while_typing(open_page):
    page = open_page(GALLERY)
    keys = page.get_by_role("dialog", name="Keys")

    page.get_by_label("Text", exact=True).press("?")
    expect(keys).to_be_hidden()

    page.locator("h1").press("?")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


def test_slash_goes_to_the_find_box(open_page, operator):
    page = open_page(GALLERY, user=operator)

    page.keyboard.press("/")

    box = page.get_by_label("Find by id, file name or checksum")
    expect(box).to_be_focused()
    expect(box).to_have_value("")


def test_times_are_said_in_the_zone_of_the_viewer(chromium, live_server):
    context = chromium.new_context(base_url=live_server.url, timezone_id="Asia/Kathmandu")
    page = context.new_page()
    page.goto(GALLERY)

    moment = page.locator("time[data-shape=relative]", has_text="1 Mar 2024")
    expect(moment).to_have_attribute("title", re.compile("Fri.*1 Mar 2024.*05:44:58.*GMT\\+5:45"))
    context.close()


def test_times_are_said_in_the_zone_that_the_viewer_has_chosen(open_page):
    page = open_page(GALLERY, user=UserFactory(operator=True, time_zone="America/New_York"))

    moment = page.locator("time[data-shape=relative]", has_text="29 Feb 2024")
    expect(moment).to_have_attribute("title", re.compile("Thu 29 Feb 2024, 18:59:58 GMT-5"))


def test_live_part_reads_itself_again_and_can_be_paused(open_page):
    page = open_page(GALLERY)
    answers = []
    page.on("response", lambda answer: answers.append(answer.url) if "/gallery/live/" in answer.url else None)
    page.wait_for_event("response", lambda answer: "/gallery/live/" in answer.url)

    page.get_by_role("button", name="Pause").click()
    paused = page.get_by_role("button", name="Paused: read on")
    expect(paused).to_be_visible()
    seen = len(answers)
    page.clock.install()
    page.wait_for_timeout(50)
    assert len(answers) == seen

    with page.expect_response("**/gallery/live/"):
        paused.click()


def test_page_says_when_reading_fails_and_when_it_works_again(open_page):
    page = open_page(GALLERY)
    notice = page.get_by_text("This page could not be read again since")
    expect(notice).to_be_hidden()

    page.route("**/gallery/live/", lambda route: route.abort())
    expect(notice).to_be_visible()

    page.unroute("**/gallery/live/")
    expect(notice).to_be_hidden()
    page.forgive("Failed to load resource")
    page.forgive("htmx:")


@pytest.mark.parametrize("answer", [{"status": 401}, {"status": 302, "headers": {"Location": STATES}}])
def test_page_whose_viewer_is_signed_out_is_loaded_anew(open_page, answer):
    page = open_page(GALLERY)
    for provoked in ("Failed to load resource", "Response Status Error Code 401"):
        page.forgive(provoked)

    with page.expect_request(lambda request: request.is_navigation_request()):
        page.route("**/gallery/live/", lambda route: route.fulfill(**answer))


def test_progress_is_spoken_in_a_line_that_stays(open_page):
    page = open_page(GALLERY)

    expect(page.locator("#spoken")).to_have_text(re.compile(r"Checking rows, \d+ %"))


def test_swap_keeps_focus_and_scroll(open_page):
    page = open_page(GALLERY, viewport=NARROW)
    region = page.get_by_role("region", name="Rows that were refused")
    section = page.locator("#gallery-rows").evaluate("part => part.outerHTML")
    answer = section.replace('href="/gallery/?sort=-row"', 'href="/gallery/?sort=row"')
    page.route("**/gallery/?sort=-row", lambda route: route.fulfill(body=answer, content_type="text/html"))
    region.evaluate("part => { part.scrollLeft = 60; }")

    page.get_by_role("link", name="Row", exact=True).evaluate("link => link.focus({ preventScroll: true })")
    page.keyboard.press("Enter")

    expect(page.locator("a[href='/gallery/?sort=row']")).to_be_focused()
    assert region.evaluate("part => part.scrollLeft") == 60


def test_bulk_offers_everything_only_after_the_whole_page_is_ticked(open_page):
    page = open_page(GALLERY)
    button = page.get_by_role("button", name="Withdraw…")
    everything = page.get_by_label("Apply to all 312 that match")
    expect(button).to_be_disabled()
    expect(everything).to_be_hidden()

    page.get_by_label("Choose Tången").check()
    expect(page.get_by_text("1 chosen")).to_be_visible()
    expect(everything).to_be_hidden()
    expect(button).to_be_enabled()

    page.get_by_label("Choose every row of this page").check()
    expect(page.get_by_text("3 chosen")).to_be_visible()
    everything.check()
    expect(page.get_by_text("All that match")).to_be_visible()

    page.get_by_label("Choose Kärnan").uncheck()
    expect(everything).to_be_hidden()
    assert not everything.is_checked()


def test_filters_in_force_leave_empty_ones_out_of_the_address(open_page):
    page = open_page(GALLERY)
    page.route("**/gallery/?*", lambda route: route.fulfill(body='<div id="gallery-rows">none</div>'))

    page.get_by_label("State").select_option("failed")

    expect(page).to_have_url(re.compile(r"/gallery/\?status=failed$"))


def test_dialog_opens_in_place_and_leaves_things_as_they_are(open_page):
    page = open_page(GALLERY)
    dialog = page.get_by_role("dialog", name="Abandon this filing?")

    page.get_by_role("link", name="Abandon…").click()
    expect(dialog).to_be_visible()

    dialog.get_by_role("button", name="Leave it as it is").click()
    expect(dialog).to_be_hidden()
    assert page.url.endswith(GALLERY)


def test_id_is_copied_whole(open_page):
    page = open_page(GALLERY)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    page.get_by_label("Copy 0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1").click()

    expect(page.get_by_text("Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1"


DROP = """(zone) => {
    const dropped = new DataTransfer();
    dropped.items.add(new File(["a;b"], "stations.csv"));
    for (const name of ["dragover", "drop"]) {
        zone.dispatchEvent(new DragEvent(name, { dataTransfer: dropped, bubbles: true, cancelable: true }));
    }
}"""


def test_dropped_file_is_sent_and_the_page_goes_where_the_answer_leads(open_page):
    page = open_page(GALLERY)
    page.route(
        "**/gallery/",
        lambda route: (
            route.fulfill(status=202, headers={"Location": STATES})
            if route.request.method == "POST"
            else route.continue_()
        ),
    )

    page.locator("[data-drop]").evaluate(DROP)
    assert page.locator("[data-drop] input").evaluate("field => field.files[0].name") == "stations.csv"
    page.get_by_role("button", name="Send", exact=True).click()

    expect(page).to_have_url(re.compile(STATES))


def test_file_whose_fate_is_unknown_can_be_sent_again(open_page):
    page = open_page(GALLERY)
    page.route("**/gallery/", lambda route: route.fulfill(status=503))

    page.locator("[data-drop]").evaluate(DROP)
    page.get_by_role("button", name="Send", exact=True).click()

    expect(
        page.get_by_text("status 503. Send it again in a moment: one form is never accepted twice.")
    ).to_be_visible()
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    page.forgive("Failed to load resource")


def test_file_that_is_too_large_is_told_before_it_is_sent(open_page):
    page = open_page(GALLERY)
    page.evaluate("document.querySelector('[data-drop]').dataset.maxBytes = 2")

    page.locator("[data-drop]").evaluate(DROP)

    message = page.locator("[data-drop] input").evaluate("field => field.validationMessage")
    assert message.startswith("This file is larger than")
