import pytest
from django.urls import reverse

from tests.factories import UserFactory
from work.models import Notification

pytestmark = pytest.mark.django_db


def test_list_shows_the_own_ones_only(as_member, member, rows):
    rows.notifications(member, 1)
    rows.notifications(UserFactory(), 2)

    answer = as_member.get(reverse("notifications"))

    assert len(answer.context["list"].items) == 1
    assert "1 notification is unread" in answer.content.decode()


def test_opening_marks_it_read_and_leads_on(as_member, member, rows):
    (told,) = rows.notifications(member)

    answer = as_member.post(reverse("notification", args=[told.pk]))

    told.refresh_from_db()
    assert answer["Location"] == "/uploads/"
    assert told.read_at is not None


def test_opening_somebody_elses_is_404(as_member, rows):
    (told,) = rows.notifications(UserFactory())

    assert as_member.post(reverse("notification", args=[told.pk])).status_code == 404


def test_marking_all_leaves_what_came_after_the_page(as_member, member, rows):
    shown = rows.notifications(member, 2)
    (later,) = rows.notifications(member)

    as_member.post(reverse("notifications_read"), {"newest": shown[-1].pk})

    assert list(Notification.objects.filter(read_at=None)) == [later]


def test_unread_ones_are_a_list_of_their_own(as_member, member, rows):
    read, unread = rows.notifications(member, 2)
    as_member.post(reverse("notification", args=[read.pk]))

    answer = as_member.get(reverse("notifications"), {"show": "unread"})

    assert answer.context["list"].items == [unread]
