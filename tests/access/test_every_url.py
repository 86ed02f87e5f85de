"""Walks every address of the resolver for every role, and holds it against the table."""

import json

import pytest
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLPattern, get_resolver, reverse

from tests.access.table import ROWS, THINGS
from tests.access.world import ROLES, make_world

SIGN_IN = "/accounts/login/"
# Stock views of Django and allauth take what they take; ours say it.
STOCK = ("admin:", "account_", "mfa_", "api:openapi-json")
NOT_OURS = {"api:api-root"}


@pytest.fixture
def world(db):
    return make_world()


def addresses(patterns, space=""):
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}", pattern
        else:
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from addresses(pattern.url_patterns, inner)


def test_table_knows_every_address():
    known = {name for name, _ in addresses(get_resolver().url_patterns) if not name.startswith("admin:")}

    assert known - NOT_OURS == {row.name for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.name} {row.thing}".strip())
def test_every_role_gets_what_the_table_says(row, world):
    told = {role: answer_to(role, row, world) for role in ROLES}

    wrong = {role: told[role] for role, wanted in expected(row) if told[role] not in wanted.split("/")}
    assert wrong == {}, f"the table says {dict(expected(row))}"


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.name.startswith("api:")], ids=lambda row: row.name
)
def test_token_gets_what_the_session_gets(row, world):
    for role, wanted in expected(row):
        if role in world.secrets:
            assert answer_to(role, row, world, by_token=True) in wanted.split("/"), role


@pytest.mark.parametrize("name", sorted({row.name for row in ROWS if not row.name.startswith(STOCK)}))
def test_other_methods_are_refused(name, world):
    path, query = address(next(row for row in ROWS if row.name == name), world)
    taken = {row.method for row in ROWS if address(row, world)[0] == path}
    if "GET" in taken and not name.startswith("api:"):
        taken.add("HEAD")
    client = Client()
    client.force_login(world.people["administrator"])

    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} - taken:
        answer = client.generic(method, path, query_params=query)
        assert answer.status_code == 405, method
        assert answer["Allow"]


@pytest.mark.parametrize("role", ROLES)
def test_admin_is_for_administrators(role, world):
    client = client_of(role, world)
    for name, pattern in addresses(get_resolver().url_patterns):
        if not name.startswith("admin:") or name == "admin:None":
            continue
        named = pattern.pattern.converters or pattern.pattern.regex.groupindex
        given = {key: arguments(key, world) for key in named}
        status = client.get(reverse(name, kwargs=given)).status_code
        allowed = {200, 302, 403, 404} if role == "administrator" else {302, 403}
        assert status in allowed, name


def test_entry_of_the_admin_refuses_who_is_no_administrator(world):
    for role in ("other_tenant", "uploader", "manager", "operator"):
        assert client_of(role, world).get("/admin/", follow=True).status_code == 403


def expected(row):
    return zip(ROLES, row.statuses, strict=True)


def answer_to(role, row, world, *, by_token=False):
    """The status, or `sign` for the way to the sign-in page. Whatever it changes is rolled back."""
    with transaction.atomic():
        client = Client() if by_token else client_of(role, world)
        headers = dict(row.headers)
        if by_token:
            headers["Authorization"] = f"Bearer {world.secrets[role]}"
        path, query = address(row, world)
        answer = client.generic(row.method, path, **body(row), query_params=query, headers=headers)
        if hasattr(answer, "streaming_content"):
            list(answer.streaming_content)
        transaction.set_rollback(True)
    if answer.status_code == 302 and answer["Location"].startswith(SIGN_IN):
        return "sign"
    return str(answer.status_code)


def client_of(role, world):
    client = Client()
    if world.people[role] is not None:
        client.force_login(world.people[role])
    return client


def address(row, world):
    kwargs, query = THINGS[row.thing](world)
    return reverse(row.name, kwargs=kwargs), query


def body(row):
    data = row.data() if callable(row.data) else row.data
    if data is None:
        return {}
    if row.name.startswith("api:") and not callable(row.data):
        return {"data": json.dumps(data), "content_type": "application/json"}
    return {"data": encode_multipart(BOUNDARY, data), "content_type": MULTIPART_CONTENT}


def arguments(key, world):
    return {"app_label": "work", "content_type_id": "1"}.get(key, str(world.north.pk))
