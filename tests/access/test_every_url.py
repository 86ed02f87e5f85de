"""Walks every address of the resolver for every role, and holds it against the table."""

import json
import logging
import re

import pytest
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLPattern, get_resolver, reverse

from tests.access.table import ROWS, THINGS
from tests.access.world import ROLES, make_world
from work import invariants

SIGN_IN = "/accounts/login/"
# Stock views of Django and allauth take what they take; ours say it.
STOCK = ("admin:", "account_", "mfa_", "api:openapi-json")
CLIENT = Client(REMOTE_ADDR="203.0.113.9", raise_request_exception=False)
NOT_OURS = {"api:api-root"}
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}
# Inline scripts and styles, handlers in attributes, and pictures in addresses.
FORBIDDEN = re.compile(
    r"""<script(?![^>]*(?:\ssrc=|type="application/json"))[^>]*>|<style\b"""
    r"""|<[a-z][^>]*\s(?:style|on[a-z]+)="|\ssrc="data:""",
    re.IGNORECASE,
)


@pytest.fixture
def world(db, monkeypatch):
    monkeypatch.setattr(invariants, "SECOND_LOOK_AFTER", 0)  # no other system is looked at
    logging.disable(logging.WARNING)  # hundreds of refusals are meant here, and each would be told at length
    made = make_world()
    made.cookies = {}  # by role
    yield made
    logging.disable(logging.NOTSET)


def test_table_knows_every_address():
    known = {name for name, _ in addresses(get_resolver().url_patterns) if not name.startswith("admin:")}

    assert sorted(known - NOT_OURS - {row.name for row in ROWS}) == [], "not in the table"
    assert sorted({row.name for row in ROWS} - known) == [], "in the table only"


def test_every_role_gets_what_the_table_says(world):
    wrong = [
        f"{row.method} {row.name} {row.thing}: {role} got {told}, the table says {wanted}"
        for row in ROWS
        for role, wanted in expected(row)
        if (told := said(ask(role, row, world))) not in wanted.split("/")
    ]

    assert not wrong, "\n" + "\n".join(wrong)


def test_token_gets_what_the_session_gets(world):
    wrong = [
        f"{row.method} {row.name} {row.thing}: {role} got {told} by token, the table says {wanted}"
        for row in ROWS
        for role, wanted in expected(row)
        if row.name.startswith("api:")
        and role in world.secrets
        and (told := said(ask(role, row, world, by_token=True))) not in wanted.split("/")
    ]

    assert not wrong, "\n" + "\n".join(wrong)


def test_methods_that_the_table_does_not_name_are_refused(world):
    client, taken = client_of("administrator", world), {}
    for row in ROWS:
        if not row.name.startswith(STOCK):
            taken.setdefault(address(row, world)[0], {})[row.method] = row

    for path, rows in taken.items():
        refused = METHODS - set(rows)
        if "GET" in rows and not path.startswith("/api/"):
            refused.discard("HEAD")
        for method in refused:
            answer = client.generic(method, path, query_params=address(next(iter(rows.values())), world)[1])
            assert answer.status_code == 405, f"{method} {path}"
            assert answer["Allow"]


def test_no_page_needs_what_the_policy_forbids(world):
    for row in (row for row in ROWS if row.method == "GET"):
        answer = ask("administrator", row, world)
        assert "default-src 'none'" in answer["Content-Security-Policy"], row
        assert forbidden_in(answer) == [], row


@pytest.mark.parametrize("role", ROLES)
def test_admin_is_for_administrators(role, world):
    client = client_of(role, world)
    for name, pattern in addresses(get_resolver().url_patterns):
        if not name.startswith("admin:") or name == "admin:None":
            continue
        named = pattern.pattern.converters or pattern.pattern.regex.groupindex
        answer = client.get(reverse(name, kwargs={key: arguments(key, world) for key in named}))
        allowed = {200, 302, 403, 404} if role == "administrator" else {302, 403}
        assert answer.status_code in allowed, name
        assert answer.status_code != 200 or forbidden_in(answer) == [], name


def test_entry_of_the_admin_refuses_who_is_no_administrator(world):
    for role in ("other_tenant", "uploader", "manager", "operator"):
        assert client_of(role, world).get("/admin/", follow=True).status_code == 403


def addresses(patterns, space=""):
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}", pattern
        else:
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from addresses(pattern.url_patterns, inner)


def expected(row):
    return zip(ROLES, row.statuses, strict=True)


def ask(role, row, world, *, by_token=False):
    """Whatever the request changes is rolled back."""
    client = client_of("anonymous" if by_token else role, world)
    with transaction.atomic():
        headers = dict(row.headers)
        if by_token:
            headers["Authorization"] = f"Bearer {world.secrets[role]}"
        path, query = address(row, world)
        answer = client.generic(row.method, path, **body(row, world), query_params=query, headers=headers)
        if answer.streaming:
            list(answer.streaming_content)
        transaction.set_rollback(True)
    return answer


def said(answer):
    """The status, or `sign` for the way to the sign-in page."""
    if answer.status_code == 302 and answer["Location"].startswith(SIGN_IN):
        return "sign"
    return str(answer.status_code)


def client_of(role, world):
    """Signed in once for each role; the cookies are those from then, whatever a request made of them."""
    client = CLIENT
    client.cookies.clear()
    if role not in world.cookies and world.people[role] is not None:
        client.force_login(world.people[role])
    client.cookies.load(world.cookies.setdefault(role, client.cookies.output(header="", sep=";")))
    return client


def address(row, world):
    kwargs, query = THINGS[row.thing](world)
    return reverse(row.name, kwargs=kwargs), query


def body(row, world):
    data = row.data(world) if callable(row.data) else row.data
    if data is None:
        return {}
    if row.name.startswith("api:") and not callable(row.data):
        return {"data": json.dumps(data), "content_type": "application/json"}
    return {"data": encode_multipart(BOUNDARY, data), "content_type": MULTIPART_CONTENT}


def forbidden_in(answer):
    if answer.streaming or not answer["Content-Type"].startswith("text/html"):
        return []
    return FORBIDDEN.findall(answer.content.decode())


def arguments(key, world):
    return {"app_label": "work", "content_type_id": "1"}.get(key, str(world.north.pk))
