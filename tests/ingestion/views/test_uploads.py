"""The list of uploads: what it shows, its filters, its live part, and choosing many."""

import re
import uuid

import pytest
from django.urls import reverse

from ingestion.models import Upload
from tests.factories import DatasetFactory, UploadFactory
from tests.ingestion.views.conftest import HTMX, text_of

pytestmark = pytest.mark.django_db(transaction=True)
LIST = reverse("uploads")


def names_in(answer):
    return re.findall(r'<th scope="row" class="filename"><a [^>]*>([^<]*)', text_of(answer))


@pytest.mark.parametrize(("number", "queries"), [(1, 20), (3, 20)])
def test_list_asks_as_much_however_many_rows(
    as_manager, stations, number, queries, django_assert_num_queries
):
    UploadFactory.create_batch(number, dataset=stations)

    with django_assert_num_queries(queries):
        answer = as_manager.get(LIST)

    assert len(names_in(answer)) == number


def test_list_shows_only_the_own_organisation(as_manager, as_operator, stations):
    UploadFactory(dataset=stations, filename="ours.csv")
    UploadFactory(filename="theirs.csv")

    assert names_in(as_manager.get(LIST)) == ["ours.csv"]
    assert names_in(as_operator.get(LIST)) == ["theirs.csv", "ours.csv"]


def test_stranger_is_led_to_the_sign_in_and_a_part_is_refused(client):
    assert client.get(LIST)["Location"].startswith("/accounts/login/")
    assert client.get(LIST, **HTMX).status_code == 401


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status": "processed"}, ["good.csv"]),
        ({"status": "no-such-state"}, ["bad.csv", "good.csv"]),
        ({"text": "GOOD"}, ["good.csv"]),
        ({"dataset": "stations"}, ["bad.csv", "good.csv"]),
        ({"dataset": "another"}, []),
        ({"sender": "ada"}, ["bad.csv", "good.csv"]),
        ({"sender": "eve"}, []),
        ({"period": "1"}, ["bad.csv", "good.csv"]),
    ],
)
def test_filters_stand_in_the_address(as_manager, sent, query, found):
    sent("id,amount\na,1\n", filename="good.csv")
    sent("id,amount\na,x\n", filename="bad.csv")

    answer = as_manager.get(LIST, query)

    assert names_in(answer) == found
    assert ("No upload fits these filters" in text_of(answer)) is (found == [])


def test_sha256_finds_its_upload(as_manager, sent):
    upload = sent("id,amount\na,1\n")
    sent("id,amount\nb,1\n", filename="other.csv")

    assert names_in(as_manager.get(LIST, {"text": upload.sha256[:12]})) == ["stations.csv"]


def test_part_for_htmx_is_the_table_alone(as_manager, stations):
    UploadFactory(dataset=stations)

    answer = as_manager.get(LIST, **HTMX)

    assert re.match(r'\s*<section class="panel" id="uploads-table">', text_of(answer))
    assert "HX-Request" in answer["Vary"]


def test_list_pages_by_keyset(as_manager, stations):
    for number in range(60):
        UploadFactory(dataset=stations, filename=f"{number}.csv")

    first = as_manager.get(LIST)
    older = re.search(r'href="([^"]*cursor=[^"]*)" rel="next"', text_of(first))[1]
    second = as_manager.get(older.replace("&amp;", "&"))

    assert names_in(first) == [f"{number}.csv" for number in range(59, 9, -1)]
    assert names_in(second) == [f"{number}.csv" for number in range(9, -1, -1)]


def test_waiting_row_says_why_it_waits(as_manager, stations):
    UploadFactory(dataset=stations)

    assert "No worker has been seen yet." in text_of(as_manager.get(LIST))


def live_address(answer):
    return re.search(r'id="uploads-live" hx-get="([^"]*)"', text_of(answer))[1].replace("&amp;", "&")


def test_live_part_brings_states_and_counts_and_no_box(as_manager, stations, process):
    address = live_address(as_manager.get(LIST))
    upload = process("id,amount\na,1\nb,x\n", into=stations)

    part = text_of(as_manager.get(address, **HTMX))
    assert "Show 1 newer" in part

    seen = text_of(as_manager.get(f"{LIST}?first={uuid.UUID(int=0)}&states={upload.pk}", **HTMX))
    assert f'<span id="state-{upload.pk}" hx-swap-oob="true">' in seen
    assert re.search(
        rf'<span id="refused-{upload.pk}" hx-swap-oob="true">\s*<a href="[^"]*#rows">1</a>', seen
    )
    assert "checkbox" not in part + seen


def test_live_part_keeps_the_filters_and_names_unfinished_rows(as_manager, stations):
    waiting = UploadFactory(dataset=stations)
    address = live_address(as_manager.get(LIST, {"text": "stations"}))

    again = as_manager.get(address, **HTMX)

    assert address == f"{LIST}?text=stations&first={waiting.pk}&states={waiting.pk}"
    assert live_address(again) == address
    assert f'href="{LIST}?text=stations&amp;status=accepted"' in text_of(again)


@pytest.mark.parametrize(("read", "seconds"), [("", 5), ("20", 15), ("500", 60)])
def test_live_part_reads_less_often_as_time_passes(as_manager, read, seconds, db):
    answer = as_manager.get(LIST, {"first": ""}, HTTP_X_READING=read, **HTMX)

    assert f'data-poll="{seconds}"' in text_of(answer)


def test_live_part_says_nothing_of_other_tenants(as_stranger, stations):
    theirs = UploadFactory(dataset=stations)

    answer = as_stranger.get(LIST, {"first": str(uuid.UUID(int=0)), "states": str(theirs.pk)}, **HTMX)

    assert str(theirs.pk) not in text_of(answer).partition("</div>")[2]
    assert "newer" not in text_of(answer)


def test_malformed_ids_in_the_live_part_are_left_out(as_manager, db):
    assert as_manager.get(LIST, {"first": "x", "states": "y,,z"}, **HTMX).status_code == 200


def test_everything_that_matches_can_be_chosen_with_its_count(as_manager, stations):
    UploadFactory.create_batch(3, dataset=stations)

    assert "Apply to all 3 that match" in text_of(as_manager.get(LIST, {"text": "stations"}))


def test_withdrawing_all_that_match_is_previewed_then_tracked(as_manager, stations):
    UploadFactory.create_batch(3, dataset=stations, filename="draft.csv")
    kept = UploadFactory(dataset=stations, filename="final.csv")

    preview = as_manager.post(
        reverse("bulk_preview", args=["upload.withdraw"]), {"all": "1", "rule": "text=draft"}
    )
    given = dict(re.findall(r'name="(key|rule|all)" value="([^"]*)"', text_of(preview)))
    answer = as_manager.post(
        reverse("bulk_confirmation", args=["upload.withdraw"]), {**given, "why": "sent by mistake"}
    )

    assert "3 match" in text_of(preview)
    assert answer.status_code == 302
    assert answer["Location"] == reverse("bulk_action", args=[given["key"]])
    assert Upload.objects.get(pk=kept.pk).finished_at is None


def test_empty_list_teaches(as_uploader):
    answer = text_of(as_uploader.get(LIST))

    assert "No upload yet" in answer
    assert f'href="{reverse("upload_new")}"' in answer


def test_operator_sees_whose_it_is_and_can_narrow_to_one_organisation(as_operator, stations):
    UploadFactory(dataset=stations, filename="ours.csv")
    UploadFactory(dataset=DatasetFactory(organisation__slug="south"), filename="theirs.csv")

    answer = as_operator.get(LIST, {"organisation": "north"})

    assert names_in(answer) == ["ours.csv"]
    assert "Organisation: " in text_of(answer)
