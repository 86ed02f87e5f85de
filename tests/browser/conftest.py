"""A real chromium against a live server. A test fails on any error in its console, refused content too."""

import os
import shutil

import pytest
from django.conf import settings
from playwright.sync_api import sync_playwright

from tests.browser.installation import Installation

# Playwright's own event loop runs in this thread, and Django would refuse to read its tables here.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="session")
def chromium():
    path = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def installation():
    """Web server and both clusters, started once. Its pages are opened by `visitor`."""
    made = Installation()
    try:
        made.start()
        yield made
    finally:
        made.stop()


@pytest.fixture
def visitor(chromium, installation):
    """`visitor("uploader")`: a page of somebody who has signed in by the form, in a browser of its own."""
    contexts, complaints = [], []

    def visitor(username, *, viewport=WIDE):
        context = chromium.new_context(base_url=installation.url, viewport=viewport)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: _note(complaints, message))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/accounts/login/")
        tab_to(page, page.locator("[name=login]"))
        page.keyboard.type(username)
        tab_to(page, page.locator("[name=password]"))
        page.keyboard.type(settings.DEMO_PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(installation.url + "/")
        return page

    yield visitor
    for context in contexts:
        context.close()
    assert complaints == []


def tab_to(page, locator):
    """Go to a control as the keyboard does."""
    for _ in range(150):
        if locator.evaluate("control => control === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{locator} cannot be reached by the Tab key")


@pytest.fixture
def open_page(chromium, live_server, client):
    """`open_page("/uploads/", user=…, theme="dark", viewport=NARROW)`: a page in a browser of its own."""
    contexts, complaints, forgiven = [], [], []

    def open_page(url, *, user=None, theme="light", viewport=WIDE, scripts=True):
        context = chromium.new_context(
            base_url=live_server.url, viewport=viewport, color_scheme=theme, java_script_enabled=scripts
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        if user is not None:
            client.force_login(user)
            cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies(
                [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
            )
        page = context.new_page()
        page.on("console", lambda message: _note(complaints, message))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.forgive = forgiven.append  # for the errors that a test provokes itself
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in complaints if not text.startswith(tuple(forgiven))] == []


def _note(complaints, message):
    if message.type in ("error", "warning"):
        complaints.append(message.text)
