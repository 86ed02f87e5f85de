import pytest
from django.urls import reverse

from tests.factories import OrganisationFactory
from work import correlation, outbox, trail
from work.models import AuditEntry, Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def foreign(db):
    return outbox.record("upload.failed", subject="9", kind="upload", organisation=OrganisationFactory())


def text(browser, name, *args, **query):
    return browser.get(reverse(name, args=args), query).content.decode()


def test_events_of_another_tenant_are_not_listed_nor_found(as_member, rows, foreign):
    (mine,) = rows.events(1)

    listed = text(as_member, "events")

    assert str(mine.pk) in listed
    assert str(foreign.pk) not in listed
    assert as_member.get(reverse("event", args=[mine.pk])).status_code == 200
    assert as_member.get(reverse("event", args=[foreign.pk])).status_code == 404


def test_operator_sees_events_of_every_tenant(as_operator, rows, foreign):
    (mine,) = rows.events(1)

    listed = text(as_operator, "events")

    assert str(mine.pk) in listed
    assert str(foreign.pk) in listed


def test_events_are_narrowed_by_type_subject_and_correlation(as_operator, foreign, rows):
    with correlation.bound("an-action-of-mine"):
        (mine,) = rows.events(1)

    for query in ({"type": "upload.processed"}, {"subject": "7"}, {"correlation": "an-action-of-mine"}):
        listed = text(as_operator, "events", **query)
        assert str(mine.pk) in listed
        assert str(foreign.pk) not in listed


def test_event_tells_who_was_told_and_its_place_in_the_trail(as_operator, rows):
    (event,) = rows.events(1)
    before = text(as_operator, "event", event.pk)
    trail.seal([event])

    after = text(as_operator, "event", event.pk)

    assert "not sealed yet" in before
    assert "sealed as number" in after
    assert "audit" in after


def test_events_page_by_page(as_operator, rows):
    rows.events(60)
    newest, oldest = Event.objects.order_by("-pk").first(), Event.objects.order_by("pk").first()
    first = as_operator.get(reverse("events"))

    older = as_operator.get(reverse("events"), {"cursor": first.context["list"].next_cursor})

    assert str(newest.pk) in first.content.decode()
    assert str(oldest.pk) in older.content.decode()
    assert str(newest.pk) not in older.content.decode()


def test_bad_cursor_gives_the_first_page(as_operator, rows):
    (event,) = rows.events(1)

    assert str(event.pk) in text(as_operator, "events", cursor="nonsense")


def test_trail_of_another_tenant_is_not_listed(as_member, rows, foreign):
    mine = rows.events(1)
    trail.seal([*mine, foreign])

    listed = text(as_member, "audit_trail")

    assert AuditEntry.objects.count() == 2
    assert str(mine[0].pk) in listed
    assert str(foreign.pk) not in listed


def test_decision_shows_why_and_what_was_shown(as_member, rows):
    (decision,) = rows.decisions(1)

    page = text(as_member, "decision", decision.pk)

    assert "wrong quarter" in page
    assert "What the person was shown" in page
    assert "accepted" in page


def test_decision_of_another_tenant_is_404(as_member, rows):
    rows.organisation = OrganisationFactory()
    (foreign,) = rows.decisions(1)

    assert as_member.get(reverse("decision", args=[foreign.pk])).status_code == 404
