"""What pages and the API read: who sees which uploads, filters, and error rows page by page."""

import pytest

from accounts.principals import Principal
from ingestion import error_pages, queries
from ingestion.models import Upload
from tests.factories import DatasetFactory, MembershipFactory, UploadFactory, UserFactory
from work.problems import Problem


@pytest.mark.django_db
def test_uploads_are_seen_by_members_and_operators_only(dataset):
    upload = UploadFactory(dataset=dataset)
    member = MembershipFactory(organisation=dataset.organisation).user

    assert list(queries.visible(Principal(member))) == [upload]
    assert list(queries.visible(Principal(UserFactory(operator=True)))) == [upload]
    assert list(queries.visible(Principal(MembershipFactory().user))) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, {"a.csv", "b.csv"}),
        ({"dataset": "one"}, {"a.csv"}),
        ({"status": "failed"}, {"b.csv"}),
        ({"organisation": "north"}, {"a.csv"}),
        ({"text": "B.c"}, {"b.csv"}),
        ({"text": "ABCDEF12"}, {"a.csv"}),
        ({"text": "abc"}, set()),
    ],
)
def test_filters_narrow_the_list(filters, found):
    one = DatasetFactory(slug="one", organisation__slug="north")
    UploadFactory(dataset=one, filename="a.csv", sha256="abcdef12" + "0" * 56)
    failed = {"state": "failed", "due_at": None, "finished_at": "2026-01-01T00:00Z"}
    UploadFactory(filename="b.csv", sha256="1" * 64, **failed)

    assert {upload.filename for upload in queries.filtered(Upload.objects.all(), **filters)} == found


@pytest.fixture
def refused(process):
    """Forty rows at fault in their cells, and two that are so only together with each other."""
    rows = ["k,1", *(f"r{number},x{number}" for number in range(40)), "k,2"]
    return process("id,amount\n" + "\n".join(rows) + "\n")


@pytest.mark.django_db(transaction=True)
def test_error_rows_come_in_the_order_of_the_sheet_page_by_page(refused):
    seen, cursor = [], None
    while True:
        page = error_pages.error_page(refused, cursor=cursor, limit=10)
        seen += [row.row for row in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break

    assert seen == list(range(2, 44))
    assert error_pages.error_page(refused, cursor=page.previous_cursor, limit=10).items[0].row == 32


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ({"code": "primary_key_duplicate"}, [2, 43]),
        ({"code": "type_integer", "column": "A"}, []),
        ({"column": "A"}, [2, 43]),
        ({"text": "X39"}, [42]),
        ({"text": "%"}, []),
    ],
)
def test_error_rows_are_filtered_by_rule_column_and_text(refused, filters, rows):
    assert [row.row for row in error_pages.error_page(refused, cursor=None, **filters).items] == rows


@pytest.mark.django_db(transaction=True)
def test_error_groups_count_exactly_the_largest_first(refused):
    groups = [
        (group.code, group.column, group.rows, group.example) for group in queries.error_groups(refused)
    ]

    assert groups == [("type_integer", "B", 40, "x0"), ("primary_key_duplicate", "A", 2, "k")]


@pytest.mark.django_db
def test_cursor_of_another_list_is_refused(dataset):
    with pytest.raises(Problem) as refused:
        error_pages.error_page(UploadFactory(dataset=dataset, run="0" * 32), cursor="nonsense")

    assert refused.value.code == "bad_cursor"
