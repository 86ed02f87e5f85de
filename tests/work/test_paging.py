import base64

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Organisation
from tests.factories import OrganisationFactory
from work import paging
from work.models import BulkOutcome
from work.problems import Problem


@pytest.fixture
def seven(db):
    return OrganisationFactory.create_batch(7)


@pytest.mark.parametrize("are_few", [True, False])
@pytest.mark.parametrize("newest_first", [True, False])
def test_pages_lead_through_all_rows_and_back(seven, newest_first, are_few):
    how = {"limit": 3, "newest_first": newest_first, "are_few": are_few}
    rows = list(reversed(seven)) if newest_first else seven

    def page(cursor):
        return paging.keyset(Organisation.objects.all(), cursor=cursor, **how)

    first = page(None)
    second = page(first.next_cursor)
    third = page(second.next_cursor)

    assert [*first.items, *second.items, *third.items] == rows
    assert first.previous_cursor is None
    assert third.next_cursor is None
    assert page(third.previous_cursor).items == second.items
    assert page(page(third.previous_cursor).previous_cursor).items == first.items
    assert page(page(third.previous_cursor).previous_cursor).previous_cursor is None


def test_row_made_meanwhile_moves_nothing(seven):
    first = paging.keyset(Organisation.objects.all(), cursor=None, limit=3)
    new = OrganisationFactory()

    second = paging.keyset(Organisation.objects.all(), cursor=first.next_cursor, limit=3)

    assert second.items == list(reversed(seven))[3:6]
    assert paging.keyset(Organisation.objects.all(), cursor=second.previous_cursor, limit=9).items[0] == new


def test_empty_list_has_no_cursors(db):
    page = paging.keyset(Organisation.objects.all(), cursor=None)

    assert (page.items, page.next_cursor, page.previous_cursor) == ([], None, None)


def encoded(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


BAD = ["x", "é", encoded("[]"), encoded('["f", 7]'), encoded('["f", "7"]'), encoded('["z", "7"]'), "A" * 5000]


@pytest.mark.parametrize("cursor", BAD)
def test_malformed_cursor_is_a_problem_in_the_api_and_the_first_page_for_people(seven, cursor):
    with pytest.raises(Problem) as refused:
        paging.keyset(Organisation.objects.all(), cursor=cursor)

    assert (refused.value.status, refused.value.code) == (400, "bad_cursor")
    request = RequestFactory().get("/", {"before": cursor})
    assert paging.of_request(request, Organisation.objects.all(), limit=1).items == [seven[-1]]


@given(st.text(min_size=1))
def test_any_other_text_is_a_problem(text):
    with pytest.raises(Problem):
        paging.keyset(BulkOutcome.objects.all(), cursor=text)
