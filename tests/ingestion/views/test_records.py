"""The records of a dataset, and one with what it held before."""

import re

import pytest
from django.urls import reverse

from ingestion import records
from ingestion.models import Record
from tests.factories import DatasetFactory
from tests.ingestion.views.conftest import HTMX, text_of

pytestmark = pytest.mark.django_db(transaction=True)


def records_of(dataset):
    return reverse("records", args=[dataset.organisation.slug, dataset.slug])


def record_page(record):
    dataset = record.dataset
    return reverse("record", args=[dataset.organisation.slug, dataset.slug, record.pk])


@pytest.mark.parametrize(("number", "queries"), [(1, 13), (3, 13)])
def test_list_asks_as_much_however_many_rows(
    as_uploader, stations, sent, number, queries, django_assert_num_queries
):
    sent("id,amount\n" + "".join(f"k{n},{n}\n" for n in range(number)))

    with django_assert_num_queries(queries):
        answer = as_uploader.get(records_of(stations))

    assert text_of(answer).count('<th scope="row">') == number


def test_records_name_the_upload_that_wrote_them(as_uploader, stations, sent):
    upload = sent("id,amount\na,1\n")

    answer = text_of(as_uploader.get(records_of(stations)))

    assert re.search(r"<h1[^>]*>[^<]*: 1 record</h1>", answer)
    assert f'href="{reverse("upload", args=[upload.pk])}"' in answer


def test_records_page_by_keyset(as_uploader, stations, sent):
    sent("id,amount\n" + "".join(f"k{n:02},{n}\n" for n in range(60)))

    first = text_of(as_uploader.get(records_of(stations), **HTMX))
    following = re.search(r'href="([^"]*)" rel="next"', first)[1]
    second = text_of(as_uploader.get(following))

    assert re.match(r'\s*<section class="panel" id="records-table">', first)
    assert "k49" in first
    assert "k50" not in first
    assert "k59" in second


def test_empty_list_teaches(as_uploader, stations):
    answer = text_of(as_uploader.get(records_of(stations)))

    assert "No records yet" in answer
    assert "?dataset=stations&amp;organisation=north" in answer


def test_record_shows_what_changed_and_which_upload_changed_it(as_uploader, stations, sent):
    sent("id,amount\na,1\n")
    second = sent("id,amount\na,2\n", filename="second.csv")

    answer = text_of(as_uploader.get(record_page(Record.objects.get())))

    assert re.search(r"<h1[^>]*>a</h1>", answer)
    assert re.search(r'before: </span>1</span> <span><span class="visually-hidden">after: </span>2<', answer)
    assert answer.count(reverse("upload", args=[second.pk])) == 2


def test_record_of_another_tenant_or_dataset_is_not_found(as_stranger, as_uploader, stations, north, sent):
    sent("id,amount\na,1\n")
    record = Record.objects.get()
    other = DatasetFactory(organisation=north)

    assert as_stranger.get(record_page(record)).status_code == 404
    assert as_uploader.get(reverse("record", args=["north", other.slug, record.pk])).status_code == 404


def test_history_names_who_mended_by_hand_and_why(as_uploader, sent, manager):
    sent("id,amount\na,1\n")
    record = Record.objects.get()
    records.mend(record=record, data={"id": "a", "amount": 7}, by=manager, why="<b>a slip</b>")

    answer = text_of(as_uploader.get(record_page(record)))

    assert "Version 2: Mended by hand" in answer
    assert "&lt;b&gt;a slip&lt;/b&gt;" in answer
    assert "Version 1: First written" in answer


def test_history_pages_and_gives_a_part(as_uploader, sent):
    for number in range(25):
        sent(f"id,amount\na,{number}\n")
    record = Record.objects.get()

    first = text_of(as_uploader.get(record_page(record)))
    following = re.search(r'href="([^"]*)" rel="next"', first)[1]
    second = text_of(as_uploader.get(following, **HTMX))

    assert ("Version 25:" in first, "Version 5:" in first) == (True, False)
    assert "Version 5:" in second
    assert "Version 1: First written" in second
    assert re.match(r'\s*<div id="record-history"', second)


def test_record_is_found_by_its_key(as_uploader, as_stranger, stations, sent):
    sent("id,amount\na,1\n")
    address = reverse("record_find", args=["north", "stations"])

    assert as_uploader.get(address, {"key": " a "})["Location"] == record_page(Record.objects.get())
    for key in ("b", "", "\x00"):
        assert as_uploader.get(address, {"key": key}).status_code in (302, 400)
    assert "No record has the key “b”" in text_of(as_uploader.get(address, {"key": "b"}, follow=True))
    assert as_stranger.get(address, {"key": "a"}).status_code == 404
