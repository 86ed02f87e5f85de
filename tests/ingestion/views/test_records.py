"""The records of a dataset, and one with what it held before."""

import re

import pytest
from django.urls import reverse

from ingestion.models import Record
from tests.factories import DatasetFactory
from tests.ingestion.views.conftest import HTMX, text_of

pytestmark = pytest.mark.django_db


def records_of(dataset):
    return reverse("records", args=[dataset.organisation.slug, dataset.slug])


def record_page(record):
    dataset = record.dataset
    return reverse("record", args=[dataset.organisation.slug, dataset.slug, record.pk])


@pytest.mark.parametrize(("number", "queries"), [(1, 11), (3, 11)])
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
