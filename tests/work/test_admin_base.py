"""The rules of mending, on a table whose rows workers claim."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import path

from ingestion.models import Upload
from tests.factories import UploadFactory, UserFactory
from work import decisions, leases
from work.admin_base import MendingAdmin, WaybillAdminSite
from work.models import Decision


class UploadMendingAdmin(MendingAdmin):
    open_fields = ("filename",)

    def mend(self, *, row, fields, by, why):
        for name, value in fields.items():
            setattr(row, name, value)
        row.save(update_fields=list(fields))
        decisions.record("upload.mended", by=by, kind="upload", subject=row, why=why)


site = WaybillAdminSite(name="admin")
site.register(Upload, UploadMendingAdmin)
urlpatterns = [path("admin/", site.urls)]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]


@pytest.fixture
def upload():
    row = UploadFactory()
    row.refresh_from_db()
    return row


@pytest.fixture
def client():
    client = Client()
    client.force_login(UserFactory(administrator=True))
    return client


@pytest.fixture
def opened(client, upload):
    """A form as it was opened before anything else happened, with a new file name typed in."""
    form = client.get(f"/admin/ingestion/upload/{upload.pk}/change/").context["adminform"].form
    assert set(form.fields) == {"filename", "reason"}
    return {"filename": "new.csv", "initial-filename": form["filename"].value(), "reason": "A typing error"}


def send(client, upload, data):
    return client.post(f"/admin/ingestion/upload/{upload.pk}/change/", data)


def test_waiting_row_is_mended(client, upload, opened):
    assert send(client, upload, opened).status_code == 302

    assert Upload.objects.get().filename == "new.csv"
    assert Decision.objects.get().why == "A typing error"


def test_form_opened_before_a_claim_and_saved_after_it_is_refused(
    client, upload, opened, pipeline, worker_row
):
    lease = leases.claim_next(pipeline)

    answer = send(client, upload, opened)

    assert "A worker holds this row now" in answer.content.decode()
    row = Upload.objects.get()
    assert row.filename == "stations.csv"
    assert row.lease_token == lease.token
    assert not Decision.objects.exists()


def test_form_opened_during_a_claim_keeps_no_lease(client, upload, pipeline, worker_row):
    leases.claim_next(pipeline)
    form = client.get(f"/admin/ingestion/upload/{upload.pk}/change/").context["adminform"].form

    assert not {"lease_token", "locked_until", "state", "due_at"} & set(form.fields)


def test_removed_row_is_told(client, upload, opened):
    Upload.objects.all().delete()

    assert send(client, upload, opened).status_code == 302  # to the index, with a message


def test_reading_is_all_one_may_do_elsewhere(client, upload):
    assert client.post("/admin/ingestion/upload/add/", {}).status_code == 403
    assert client.post(f"/admin/ingestion/upload/{upload.pk}/delete/", {"post": "yes"}).status_code == 403
    assert get_user_model().objects.count() == 1
