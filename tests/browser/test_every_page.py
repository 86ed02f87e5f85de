"""Every page of the role table, with data: no finding of axe in light or dark, nothing wrong in the console
(refused content too), no sideways scroll at 360 px. A new address that is a page is visited by itself."""

import io
import re
from contextlib import contextmanager

import pytest
from allauth.mfa.totp.internal import auth as totp
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from accounts.principals import Principal
from ingestion import uploads
from ingestion.models import Record, Upload
from ingestion.pipeline import PIPELINE
from tests.access.table import ROWS, THINGS
from tests.access.world import ROLES, make_world
from tests.browser.accessibility import findings
from tests.browser.conftest import NARROW, WIDE
from tests.factories import UserFactory
from work import leases, runner

pytestmark = pytest.mark.django_db  # without a test that says so, the database of tests is not made
SPOILED = b"id,amount\na,1\nb,many\nc,\n,4\n"
# What no person looks at by itself, and why.
NO_PAGE = {
    "gallery_live": "a part of the gallery",
    "health_line": "a part of the rail",
    "upload_original": "a file",
    "upload_report": "a file",
    "dataset_template": "a file",
    "mfa_download_recovery_codes": "a file",
    "healthz": "for machines",
    "readyz": "for machines",
    "healthz_workers": "for machines",
    "metrics": "for machines",
    "profile_address": "leads to the profile",
    "record_find": "leads to a record",
    "upload_mend_rows": "data of the grid",
    "records_export": "a file",
}
# Pages only of people who have a second factor, seen on one walk.
SECOND_FACTOR = (
    "mfa_activate_totp", "mfa_authenticate", "mfa_reauthenticate", "mfa_deactivate_totp",
    "mfa_view_recovery_codes", "mfa_generate_recovery_codes",
)  # fmt: skip
GETS = [row for row in ROWS if row.method == "GET" and not row.name.startswith("api:")]
PAGES = [row for row in GETS if row.name not in {*NO_PAGE, *SECOND_FACTOR}]


@pytest.fixture(scope="module")
def place(django_db_setup, django_db_blocker):
    """A server and one world, committed and emptied once: pages only read."""
    with django_db_blocker.unblock():
        assert connection.settings_dict["NAME"].startswith("test_"), "this is no database of tests"
        server = LiveServer("127.0.0.1")
        try:
            world = make_world()
            world.partial = _partial(world)
            world.careful = UserFactory(username="careful")
            world.sessions = {role: _session(person) for role, person in world.people.items() if person}
            yield server, world
        finally:
            server.stop()
            call_command("flush", verbosity=0, interactive=False, allow_cascade=False)


def _partial(world):
    by = Principal(world.people["manager"])
    for upload in Upload.objects.filter(due_at__isnull=False):
        Upload.objects.filter(pk=upload.pk).update(due_at="2100-01-01T00:00Z")
    sent = uploads.accept(dataset=world.dataset, stream=io.BytesIO(SPOILED), filename="partial.csv", by=by)
    runner.run(leases.claim_next(PIPELINE))
    return Upload.objects.get(pk=sent.upload.pk)


def _session(person):
    client = Client()
    client.force_login(person)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def role_for(row):
    shown = dict(zip(ROLES, row.statuses, strict=True))
    return next((role for role in reversed(ROLES) if shown[role] == "200"), None)


@pytest.fixture(scope="module")
def people(chromium, place):
    """A browser context for each role, signed in."""
    server, world = place
    made = {}

    def context_of(role):
        if role not in made:
            made[role] = chromium.new_context(base_url=server.url, viewport=WIDE, color_scheme="light")
            if role in world.sessions:
                name, value = settings.SESSION_COOKIE_NAME, world.sessions[role]
                made[role].add_cookies([{"name": name, "value": value, "url": server.url}])
        return made[role]

    yield context_of
    for context in made.values():
        context.close()


@contextmanager
def looking(context, complaints):
    page = context.new_page()
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    page.close()


def faults_of(page):
    """In both themes, then narrow."""
    page.set_viewport_size(WIDE)
    found = {}
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found[theme] = findings(page, colours_only=theme == "dark")
    page.set_viewport_size(NARROW)
    width = page.evaluate("document.documentElement.scrollWidth")
    found["narrow"] = [] if width == NARROW["width"] else [f"scrolls sideways: {width} px"]
    page.emulate_media(color_scheme="light")
    return {where: faults for where, faults in found.items() if faults}


def test_every_named_page_is_visited():
    assert [row.name for row in PAGES if role_for(row) is None] == []
    assert set(NO_PAGE) | set(SECOND_FACTOR) <= {row.name for row in GETS}


@pytest.mark.parametrize("row", PAGES, ids=lambda row: f"{row.name} {row.thing}".strip())
def test_page(people, place, row):
    given, query = THINGS[row.thing](place[1])
    look_at(people(role_for(row)), reverse(row.name, kwargs=given), query)


@pytest.mark.parametrize(
    "what", ["partial", "filtered", "records", "record", "home of a manager", "not found"]
)
def test_page_with_more_in_it(people, place, what):
    world = place[1]
    upload = f"/uploads/{world.partial.pk}/"
    path, role, status = {
        "partial": (upload, "uploader", 200),
        "filtered": (f"{upload}?code=required&text=4", "uploader", 200),
        "records": ("/datasets/north/stations/records/", "uploader", 200),
        "record": (f"/datasets/north/stations/records/{Record.objects.latest('pk').pk}/", "uploader", 200),
        "home of a manager": ("/", "manager", 200),
        "not found": ("/uploads/0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1/", "uploader", 404),
    }[what]
    look_at(people(role), path, {}, status=status)


def test_pages_of_a_second_factor(people, place):
    """Set up, looked at, asked for at the next sign-in. A code is taken once: the next is one of recovery."""
    complaints, faults = [], {}
    with looking(people("anonymous"), complaints) as page:

        def visit(name):
            path = reverse(name)
            assert page.goto(path).status == 200
            assert page.url.endswith(path)
            faults.update({name: found} if (found := faults_of(page)) else {})

        def sign_in():
            page.goto(reverse("account_login"))
            page.locator("[name=login]").fill("careful")
            page.locator("[name=password]").fill("a-long-password")
            page.keyboard.press("Enter")
            page.wait_for_url(lambda url: "login" not in url)

        sign_in()
        page.goto(reverse("account_reauthenticate"))
        page.locator("[name=password]").fill("a-long-password")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "reauthenticate" not in url)
        visit("mfa_activate_totp")
        secret = re.search(r">([A-Z2-7]{16,})<", page.content())[1]
        code = totp.format_hotp_value(totp.hotp_value(secret, next(totp.yield_hotp_counters_from_time())))
        page.locator("main input[name=code]").fill(code)
        page.keyboard.press("Enter")
        page.wait_for_url("**/recovery-codes/")
        for name in SECOND_FACTOR[2:]:
            visit(name)
        page.goto(reverse("account_logout"))
        page.locator("main button").first.click()
        sign_in()
        visit("mfa_authenticate")

    assert (faults, complaints) == ({}, [])


def look_at(context, path, query, *, status=200):
    complaints = []
    with looking(context, complaints) as page:
        answer = page.goto(
            path + "?" * bool(query) + "&".join(f"{name}={value}" for name, value in query.items())
        )
        faults = faults_of(page)
    forgiven = [text for text in complaints if status != 200 and text.startswith("Failed to load resource")]
    assert (answer.status, faults, [text for text in complaints if text not in forgiven]) == (status, {}, [])
