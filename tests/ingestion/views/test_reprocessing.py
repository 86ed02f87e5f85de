"""Reading again by button, and the page of what differs."""

import re
import uuid

import pytest
from django.urls import reverse

from ingestion import reprocessing
from ingestion.models import SchemaVersion, Upload
from tests.ingestion.conftest import work_on
from tests.ingestion.views.conftest import HTMX, text_of

pytestmark = pytest.mark.django_db(transaction=True)

CONTENT = "id,amount\na,1\nb,many\n"
TEXTS = {
    "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "string"}],
    "primaryKey": ["id"],
}


def words(answer):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", text_of(answer)))


@pytest.fixture
def form():
    return {"nonce": str(uuid.uuid4()), "why": "a new schema", "act": "store"}


@pytest.fixture
def read_again(sent, stations, manager):
    first = sent(CONTENT)
    SchemaVersion.objects.create(dataset=stations, number=2, schema=TEXTS)
    return first, work_on(reprocessing.reprocess(upload=first, by=manager, why="amounts are texts").upload)


def test_page_says_what_changed_since_and_offers_it(as_uploader, sent, page_of, stations):
    upload = sent(CONTENT)
    assert "would give the same verdict" in words(as_uploader.get(page_of(upload)))

    SchemaVersion.objects.create(dataset=stations, number=2, schema=TEXTS)

    page = as_uploader.get(page_of(upload))
    assert "Since its verdict the schema went from version 1 to 2." in words(page)
    assert reverse("upload_reprocess", args=[upload.pk]) in text_of(page)


def test_button_makes_a_new_upload_once(as_uploader, sent, form):
    upload = sent(CONTENT)
    address = reverse("upload_reprocess", args=[upload.pk])

    first, second = (as_uploader.post(address, form) for _ in range(2))

    made = Upload.objects.get(reprocesses=upload)
    assert first["Location"] == second["Location"] == reverse("upload", args=[made.pk])
    assert reprocessing.asked_by(made).why == "a new schema"
    assert "is accepted to be read again" in words(as_uploader.get(first["Location"]))


def test_trial_stores_nothing(as_uploader, sent, form):
    upload = sent(CONTENT)

    as_uploader.post(reverse("upload_reprocess", args=[upload.pk]), form | {"act": "try"})

    assert Upload.objects.get(reprocesses=upload).dry_run


def test_reason_is_asked_for(as_uploader, sent, form):
    upload = sent(CONTENT)

    answer = as_uploader.post(reverse("upload_reprocess", args=[upload.pk]), form | {"why": ""})

    assert answer.status_code == 422
    assert form["nonce"] in text_of(answer)
    assert not Upload.objects.filter(reprocesses=upload).exists()


def test_upload_without_a_verdict_leads_back(as_uploader, accept, stations, form):
    upload = accept(CONTENT, into=stations)
    address = reverse("upload_reprocess", args=[upload.pk])

    for answer in (as_uploader.get(address), as_uploader.post(address, form)):
        assert answer["Location"] == reverse("upload", args=[upload.pk])
    assert Upload.objects.count() == 1


def test_others_see_nothing_of_it(as_stranger, read_again, form):
    first, second = read_again

    assert as_stranger.post(reverse("upload_reprocess", args=[first.pk]), form).status_code == 404
    assert as_stranger.get(reverse("upload_differences", args=[second.pk])).status_code == 404


def test_both_are_linked_with_who_asked_and_why(as_manager, read_again, page_of):
    first, second = read_again

    old, new = text_of(as_manager.get(page_of(first))), text_of(as_manager.get(page_of(second)))

    assert reverse("upload", args=[second.pk]) in old
    assert reverse("upload", args=[first.pk]) in new
    assert "amounts are texts" in new
    assert reverse("upload_differences", args=[second.pk]) in new


def test_list_links_both_ways(as_manager, read_again):
    first, second = read_again

    page = text_of(as_manager.get(reverse("uploads")))

    assert f'<a href="{reverse("upload", args=[first.pk])}">reads again</a>' in page
    assert f'<a href="{reverse("upload", args=[second.pk])}">read again</a>' in page


def test_differences_are_said_in_one_line_and_listed(as_manager, read_again):
    first, second = read_again

    page = as_manager.get(reverse("upload_differences", args=[second.pk]))

    assert "<h1" in text_of(page)
    assert "1 row newly accepted, 0 newly refused" in words(page)
    assert "type_integer" in text_of(page)
    assert "before: 1 after: &quot;1&quot;" in words(page)
    rows = as_manager.get(reverse("upload_differences", args=[second.pk]) + "?rows=newly_accepted", **HTMX)
    assert f"{reverse('upload', args=[first.pk])}?row=3" in text_of(rows)
    assert "<h1" not in text_of(rows)


def test_differences_open_on_the_rows_that_there_are(as_manager, read_again):
    address = reverse("upload_differences", args=[read_again[1].pk])

    shown, other = as_manager.get(address), as_manager.get(f"{address}?rows=newly_refused")

    assert "What was wrong before" in words(shown)
    assert re.search(r'aria-current="true"[^>]*>Newly accepted <span class="count">1<', text_of(shown))
    assert "No row is newly refused." in words(other)


def test_no_difference_in_rows_is_said_in_a_sentence(as_manager, sent, manager):
    again = work_on(reprocessing.reprocess(upload=sent(CONTENT), by=manager).upload)

    page = as_manager.get(reverse("upload_differences", args=[again.pk]))

    assert "Nothing differs here: both verdicts refuse the same rows." in words(page)
    assert 'class="row-pills"' not in text_of(page)


@pytest.mark.parametrize("number", [1, 20])
def test_differences_ask_as_much_however_many_rows(
    as_manager, sent, stations, manager, number, django_assert_num_queries
):
    first = sent("id,amount\n" + "".join(f"k{n},x\n" for n in range(number)))
    SchemaVersion.objects.create(dataset=stations, number=2, schema=TEXTS)
    second = work_on(reprocessing.reprocess(upload=first, by=manager).upload)

    with django_assert_num_queries(16):
        answer = as_manager.get(reverse("upload_differences", args=[second.pk]) + "?rows=newly_accepted")

    assert answer.status_code == 200


def test_nothing_to_compare_leads_back_with_a_sentence(as_manager, sent):
    upload = sent(CONTENT)

    answer = as_manager.get(reverse("upload_differences", args=[upload.pk]), follow=True)

    assert "reads no other one again" in words(answer)


@pytest.mark.parametrize("against", ["nonsense", "", "0199f3c2-77aa-7c1e-b04d-2f1c9a4e55d1"])
def test_other_that_is_none_is_no_error(as_manager, read_again, against):
    answer = as_manager.get(reverse("upload_differences", args=[read_again[1].pk]), {"against": against})

    assert answer.status_code in (200, 302)


def test_values_are_escaped(as_manager, sent, stations, manager):
    first = sent("id,amount\n<script>alert(1)</script>,1\n")
    SchemaVersion.objects.create(dataset=stations, number=2, schema=TEXTS)
    second = work_on(reprocessing.reprocess(upload=first, by=manager).upload)

    page = text_of(as_manager.get(reverse("upload_differences", args=[second.pk])))

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_many_are_chosen_on_the_list(as_manager, read_again):
    page = text_of(as_manager.get(reverse("uploads")))
    assert f'formaction="{reverse("bulk_preview", args=["upload.reprocess"])}"' in page

    preview = as_manager.post(reverse("bulk_preview", args=["upload.reprocess"]), {"all": "1", "rule": ""})

    assert "2 match, 1 not eligible: 1 reads another again" in words(preview)
