import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from ingestion.models import Upload
from tests.factories import UploadFactory

pytestmark = pytest.mark.django_db


def line_of(browser, pipeline="upload", **query):
    rows = browser.get(reverse("home"), query).context["rows"]
    return next(row for row in rows if row.line.pipeline == pipeline)


def test_ledger_of_a_member_is_of_the_own_organisation(as_member, as_operator, organisation):
    UploadFactory(dataset__organisation=organisation)
    UploadFactory()

    assert line_of(as_member).accepted == 1
    assert line_of(as_operator).accepted == 2


def test_ledger_of_an_operator_is_narrowed_by_organisation(as_operator, organisation):
    UploadFactory(dataset__organisation=organisation)
    UploadFactory()

    assert line_of(as_operator, organisation=organisation.slug).accepted == 1


def test_member_narrowed_to_a_foreign_organisation_still_sees_the_own_only(as_member, organisation):
    UploadFactory(dataset__organisation=organisation)
    foreign = UploadFactory()

    assert line_of(as_member, organisation=foreign.organisation.slug).accepted == 1


def test_lead_tells_what_moves_and_what_is_left_from_before(as_member, organisation):
    old = UploadFactory(dataset__organisation=organisation)
    Upload.objects.filter(pk=old.pk).update(accepted_at=timezone.now() - dt.timedelta(days=2))
    UploadFactory(dataset__organisation=organisation, running=True)

    text = as_member.get(reverse("home")).content.decode()

    assert "1 piece of today’s work is on the way. 1 from before today is still open." in text
    assert "Nothing needs a person" in text


def test_part_carries_heading_and_lead_with_it(as_operator):
    text = as_operator.get(reverse("home"), HTTP_HX_REQUEST="true").content.decode()

    assert text.count('hx-swap-oob="true"') == 2
