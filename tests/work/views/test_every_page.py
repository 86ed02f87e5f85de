"""Every page of the console with 0, 1 and 3 rows: the same number of queries, one heading, no empty words."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

pytestmark = pytest.mark.django_db

PAGES = {
    "home": (),
    "attention": ("letters",),
    "events": ("events",),
    "audit_trail": ("events",),
    "decisions": ("decisions",),
    "bulk": ("bulk",),
    "periodic_jobs": ("runs",),
    "dead_letters": ("letters",),
    "failures": ("attempts",),
    "invariants": (),
    "health_panel": ("workers",),
    "workers": ("workers",),
    "pipelines": ("runs", "refused"),
}


def text_of(answer):
    return answer.content.decode()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("number", [0, 1, 3])
def test_page_with_so_many_rows(as_operator, rows, name, number):
    for make in PAGES[name]:
        getattr(rows, make)(number)

    answer = as_operator.get(reverse(name))

    assert answer.status_code == 200
    assert text_of(answer).count("<h1") == 1
    assert "Read at" in text_of(answer)


@pytest.mark.parametrize("name", [name for name, made in PAGES.items() if made])
def test_page_asks_as_much_for_three_rows_as_for_one(as_operator, rows, name):
    def asked():
        as_operator.get(reverse(name))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            as_operator.get(reverse(name))
        return len(queries)

    for make in PAGES[name]:
        getattr(rows, make)(1)
    one = asked()
    for make in PAGES[name]:
        getattr(rows, make)(2)

    assert asked() == one


@pytest.mark.parametrize("name", PAGES)
def test_part_of_a_page_has_one_root_of_its_name(as_operator, rows, name):
    answer = as_operator.get(reverse(name), HTTP_HX_REQUEST="true")

    assert answer.status_code == 200
    assert "<html" not in text_of(answer)
    assert re.match(r'\s*<(section|div) [^>]*id="[a-z-]+"', text_of(answer))


@pytest.mark.parametrize("name", PAGES)
def test_page_is_not_for_strangers(client, name):
    page, part = client.get(reverse(name)), client.get(reverse(name), HTTP_HX_REQUEST="true")

    assert (page.status_code, part.status_code) == (302, 401)


@pytest.mark.parametrize(
    "name",
    [
        "periodic_jobs",
        "dead_letters",
        "failures",
        "invariants",
        "health_panel",
        "health_line",
        "workers",
        "pipelines",
    ],
)
def test_page_of_operators_is_refused_to_members(as_member, name):
    assert as_member.get(reverse(name)).status_code == 403


def test_member_finds_the_pages_that_are_theirs(as_member):
    for name in ("home", "attention", "events", "audit_trail", "decisions", "bulk", "notifications"):
        assert as_member.get(reverse(name)).status_code == 200
