"""The form that sends a spreadsheet: accepted once, refused at its field, and never lost."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from ingestion.models import Upload
from tests.factories import DatasetFactory, MembershipFactory
from tests.ingestion.views.conftest import HTMX, signed_in, text_of

pytestmark = pytest.mark.django_db
NEW = reverse("upload_new")
GOOD = b"id,amount\na,1\n"


def nonce_in(answer):
    return re.search(r'name="nonce" value="([^"]*)"', text_of(answer))[1]


@pytest.fixture
def fill(stations):
    def fill(answer, content=GOOD, name="stations.csv", **more):
        file = SimpleUploadedFile(name, content)
        return {"nonce": nonce_in(answer), "dataset": str(stations.pk), "file": file, **more}

    return fill


def test_file_is_accepted_and_said_to_be_no_more(as_uploader, fill):
    answer = as_uploader.post(NEW, fill(as_uploader.get(NEW)), follow=True)

    upload = Upload.objects.get()
    assert answer.redirect_chain == [(reverse("upload", args=[upload.pk]), 302)]
    assert "stations.csv is accepted and kept." in text_of(answer)
    assert (upload.state, upload.uploaded_by_label, upload.size) == ("accepted", "Ulla", len(GOOD))


def test_script_that_sends_is_told_the_place_and_the_page_there_says_it(as_uploader, fill):
    answer = as_uploader.post(NEW, fill(as_uploader.get(NEW)), HTTP_X_TRANSFER="true")

    assert answer.status_code == 202
    assert "stations.csv is accepted and kept." in text_of(as_uploader.get(answer["Location"]))


def test_form_pressed_twice_is_one_upload(as_uploader, fill):
    form = as_uploader.get(NEW)

    first, second = (as_uploader.post(NEW, fill(form), follow=True) for _ in range(2))

    assert Upload.objects.count() == 1
    assert first.redirect_chain == second.redirect_chain
    assert "It was not accepted twice." in text_of(second)


def test_spent_form_with_another_file_gets_a_fresh_nonce(as_uploader, fill):
    form = as_uploader.get(NEW)
    as_uploader.post(NEW, fill(form))

    refused = as_uploader.post(NEW, fill(form, b"id,amount\nb,2\n"))
    assert refused.status_code == 422
    assert "This form was sent before with another file" in text_of(refused)

    as_uploader.post(NEW, fill(refused, b"id,amount\nb,2\n"))
    assert Upload.objects.count() == 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "empty"), (b"\x89PNG\r\n\x1a\n" + b"\0" * 90, "a picture"), (b"%PDF-1.7\n" + b"x" * 90, "PDF")],
    ids=["empty", "picture", "pdf"],
)
def test_file_that_is_no_spreadsheet_is_refused_at_its_field(as_uploader, fill, stations, content, sentence):
    answer = as_uploader.post(NEW, fill(as_uploader.get(NEW), content))

    shown = text_of(answer)
    assert (answer.status_code, Upload.objects.count()) == (422, 0)
    assert f'<option value="{stations.pk}" selected>' in shown
    assert sentence in re.search(r'<[^>]*id="id_file_error".*?</ul>', shown, re.DOTALL)[0]
    assert 'aria-invalid="true"' in shown


def test_file_that_is_too_large_is_refused(as_uploader, fill, settings):
    settings.MAX_UPLOAD_BYTES = 5

    answer = as_uploader.post(NEW, fill(as_uploader.get(NEW)))

    assert (answer.status_code, Upload.objects.count()) == (422, 0)
    assert "larger than" in text_of(answer)


def test_limit_on_uploads_in_progress_keeps_the_form(as_uploader, fill, north):
    north.uploads_in_progress_limit = 1
    north.save()
    as_uploader.post(NEW, fill(as_uploader.get(NEW)))

    answer = as_uploader.post(NEW, fill(as_uploader.get(NEW), b"id,amount\nb,2\n"))

    assert (answer.status_code, Upload.objects.count()) == (422, 1)
    assert "which is its limit" in text_of(answer)


def test_form_that_lost_its_nonce_says_so(as_uploader, fill):
    answer = as_uploader.post(NEW, fill(as_uploader.get(NEW), nonce=""))

    assert answer.status_code == 422
    assert "Nonce: This field is required." in text_of(answer)


def test_dataset_of_another_tenant_cannot_be_chosen(as_uploader, fill):
    elsewhere = DatasetFactory(title="Elsewhere")

    answer = as_uploader.post(NEW, fill(as_uploader.get(NEW), dataset=str(elsewhere.pk)))

    assert (answer.status_code, Upload.objects.count()) == (422, 0)
    assert "Elsewhere" not in text_of(answer)


def test_chosen_dataset_shows_what_it_expects(as_uploader, stations):
    whole = as_uploader.get(NEW, {"dataset": "stations", "organisation": "north"})
    part = as_uploader.get(NEW, {"dataset": str(stations.pk)}, **HTMX)

    assert f'<option value="{stations.pk}" selected>' in text_of(whole)
    for answer in (whole, part):
        assert "What it expects" in text_of(answer)
        assert "<b>id</b>: string, required, key" in text_of(answer)
    assert re.match(r'\s*<div class="stack near" id="expected">', text_of(part))


@pytest.mark.parametrize(("number", "queries"), [(1, 12), (3, 12)])
def test_form_asks_as_much_however_many_datasets(
    as_uploader, north, number, queries, django_assert_num_queries
):
    DatasetFactory.create_batch(number, organisation=north)

    with django_assert_num_queries(queries):
        assert as_uploader.get(NEW).status_code == 200


def test_organisation_without_a_dataset_is_told_who_makes_one(db):
    answer = signed_in(MembershipFactory().user).get(NEW)

    assert "There is no dataset to send to" in text_of(answer)
    assert '<form method="post" enctype' not in text_of(answer)
