"""One upload: its verdict in words, its live part, its refused rows, and withdrawing it."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from ingestion.models import Upload
from tests.factories import UploadFactory
from tests.ingestion.views.conftest import HTMX, text_of
from work import correlation

pytestmark = pytest.mark.django_db(transaction=True)
LIVE = HTMX | {"HTTP_HX_TARGET": "upload-live"}


def heading(answer):
    return re.search(r"<h1[^>]*>(.*?)</h1>", text_of(answer))[1]


def rows_in(answer):
    return [int(row) for row in re.findall(r'<tr id="row-(\d+)">', text_of(answer))]


@pytest.mark.parametrize(("number", "queries"), [(1, 19), (3, 19)])
def test_verdict_asks_as_much_however_many_rows(
    as_manager, sent, page_of, number, queries, django_assert_num_queries
):
    upload = sent("id,amount\n" + "".join(f"k{n},x\n" for n in range(number)))

    with django_assert_num_queries(queries):
        answer = as_manager.get(page_of(upload))

    assert len(rows_in(answer)) == number


@pytest.mark.parametrize(
    ("content", "title", "missing"),
    [
        ("id,amount\na,1\nb,2\n", "All 2 rows are stored", "Nothing is missing."),
        ("id,amount\na,1\n", "The one row is stored", "Nothing is missing."),
        ("id,amount\na,1\nb,x\n", "1 of 2 rows are stored", "One was refused and waits to be mended"),
        ("id,amount\na,x\n", "Nothing of stations.csv is stored", "Every row was refused"),
        ("id,amount\n", "Nothing of stations.csv is stored", "a header but no data"),
        ("amount\n1\n", "Nothing of stations.csv is stored", "“id”"),
    ],
)
def test_title_says_what_is_the_case(as_manager, sent, page_of, content, title, missing):
    answer = as_manager.get(page_of(sent(content)))

    assert heading(answer) == title
    assert missing in re.sub(r"<[^>]*>", "", text_of(answer))


def test_counts_add_up_and_ids_can_be_copied(as_manager, sent, page_of):
    with correlation.bound("asked-by-hand"):
        upload = sent("id,amount\na,1\n,\nb,x\n")

    answer = text_of(as_manager.get(page_of(upload)))

    assert "3 = 1 valid + 1 refused + 1 blank" in answer
    assert f'data-copy="{upload.sha256}"' in answer
    assert 'data-copy="asked-by-hand"' in answer


def test_refused_row_shows_every_cell_under_its_header_and_washes_the_one_at_fault(as_manager, sent, page_of):
    answer = text_of(as_manager.get(page_of(sent("id,amount\na,1\nb,many\n"))))

    assert 'id <span class="quiet">A</span>' in answer
    assert 'amount <span class="quiet">B</span>' in answer
    row = re.search(r'<tr id="row-3">.*?</tr>', answer, re.DOTALL)[0]
    assert '<td class="cell-bad">many</td>' in row
    assert "<td>b</td>" in row
    assert "<b>B3</b>:" in row


@pytest.fixture
def spoiled(sent):
    """Row 2 without its key, rows 3 to 61 with words for numbers."""
    return sent("id,amount\n,1\n" + "".join(f"k{n},word{n}\n" for n in range(59)))


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ({"code": "required"}, [2]),
        ({"column": "A"}, [2]),
        ({"text": "WORD58"}, [61]),
        ({"code": "required", "text": "word"}, []),
        ({}, list(range(2, 27))),
    ],
)
def test_rows_are_filtered_by_rule_column_and_text(as_manager, spoiled, page_of, query, rows):
    whole, part = as_manager.get(page_of(spoiled), query), as_manager.get(page_of(spoiled), query, **HTMX)

    assert rows_in(whole) == rows_in(part) == rows
    assert re.match(r'\s*<div id="rows">', text_of(part))
    assert ("No refused row fits" in text_of(whole)) is (rows == [])


def test_counts_lead_to_their_rows(as_manager, spoiled, page_of):
    answer = text_of(as_manager.get(page_of(spoiled)))

    link = re.search(r'<a href="(\?code=[^"]*&amp;column=B)#rows">59</a>', answer)[1]
    assert rows_in(as_manager.get(page_of(spoiled) + link.replace("&amp;", "&")))[0] == 3


def test_rule_leads_to_its_explanation(as_manager, spoiled, page_of, client):
    explained = reverse("help_page", args=["cells"])

    assert f'href="{explained}#required"' in text_of(as_manager.get(page_of(spoiled)))
    assert 'id="required"' in text_of(client.get(explained))


def test_link_of_a_row_leads_to_the_page_that_begins_with_it(as_manager, spoiled, page_of):
    answer = as_manager.get(page_of(spoiled), {"row": "55"})

    assert answer["Location"].endswith("#row-55")
    assert rows_in(as_manager.get(answer["Location"])) == list(range(55, 62))


@pytest.mark.parametrize("row", ["", "0", "-1", "x", "²", "9" * 30])
def test_row_that_is_none_leads_to_the_rows(as_manager, spoiled, page_of, row):
    assert as_manager.get(page_of(spoiled), {"row": row})["Location"] == f"{page_of(spoiled)}#rows"


def test_live_part_says_how_far_it_is(as_manager, stations, page_of):
    upload = UploadFactory(dataset=stations, running=True)
    now = timezone.now()
    Upload.objects.filter(pk=upload.pk).update(
        step="read_rows", progress_done=1200, progress_unit="rows", heartbeat_at=now, started_at=now
    )

    part = text_of(as_manager.get(page_of(upload), **LIVE))

    assert re.match(r'\s*<section [^>]*id="upload-live"', part)
    assert "Reading and checking rows" in part
    assert "1\u202f200 rows so far" in part
    assert 'data-poll="2"' in part
    assert "data-pause" in part


def test_waiting_upload_says_why_it_does_not_move(as_manager, stations, page_of):
    answer = text_of(as_manager.get(page_of(UploadFactory(dataset=stations))))

    assert "Nothing of it has been read yet." in answer
    assert 'data-why="no_worker"' in answer


@pytest.mark.parametrize("target", [HTMX, LIVE])
def test_live_part_ends_with_the_verdict(as_manager, sent, page_of, target):
    answer = as_manager.get(page_of(sent("id,amount\na,1\n")), **target)

    assert (answer.status_code, answer.headers.get("HX-Refresh")) == (
        (204, "true") if target is LIVE else (200, None)
    )


def test_upload_that_asks_is_not_read_again_and_again(as_manager, stations, page_of):
    upload = UploadFactory(dataset=stations)
    Upload.objects.filter(pk=upload.pk).update(
        state="needs_answer", due_at=None, asked_at=timezone.now(), question="which_sheet"
    )

    answer = text_of(as_manager.get(page_of(upload)))

    assert "needs an answer" in answer
    assert "hx-get" not in re.search(r'<section [^>]*id="upload-live"[^>]*>', answer)[0]


def test_same_bytes_again_are_pointed_out_and_can_be_withdrawn(as_manager, accept, stations, page_of):
    first, again = accept("id,amount\na,1\n", into=stations), accept("id,amount\na,1\n", into=stations)

    answer = text_of(as_manager.get(page_of(again)))

    notice = re.search(r'id="repeats".*?</div>', answer, re.DOTALL)[0]
    assert page_of(first) in notice
    assert page_of(again, "upload_cancellation") in notice
    assert 'id="repeats"' not in text_of(as_manager.get(page_of(first)))


def test_withdrawing_asks_for_the_reason_and_stores_nothing(as_uploader, accept, stations, page_of):
    upload = accept("id,amount\na,1\n", into=stations)
    address = page_of(upload, "upload_cancellation")

    asked, unexplained = as_uploader.get(address), as_uploader.post(address, {"why": ""})
    assert (asked.status_code, unexplained.status_code) == (200, 422)
    assert Upload.objects.get(pk=upload.pk).state == "accepted"

    answer = as_uploader.post(address, {"why": "wrong quarter"}, follow=True)
    assert heading(answer) == "stations.csv was withdrawn"
    assert "Reason: wrong quarter" in text_of(answer)
    assert "By Ulla" in text_of(answer)


@pytest.mark.parametrize("method", ["get", "post"])
def test_upload_with_its_verdict_cannot_be_withdrawn(as_manager, sent, page_of, method):
    upload = sent("id,amount\na,1\n")

    answer = getattr(as_manager, method)(page_of(upload, "upload_cancellation"), {"why": "x"}, follow=True)

    assert "Nothing was changed: stations.csv is processed already." in text_of(answer)
    assert "Withdraw…" not in text_of(answer)


@pytest.mark.parametrize("name", ["upload", "upload_cancellation", "upload_original"])
def test_upload_of_another_tenant_is_not_found(as_stranger, sent, page_of, name):
    assert as_stranger.get(page_of(sent("id,amount\na,1\n"), name)).status_code == 404


def test_step_that_failed_is_named(as_manager, sent, page_of):
    answer = text_of(as_manager.get(page_of(sent("amount\n1\n"))))

    assert "failed here" in answer
    assert answer.count("not reached") == 4  # two steps, each spoken and shown


def test_attempt_tells_of_every_step_and_the_mended_file_has_its_way(as_manager, sent, page_of):
    spoiled, good = sent("id,amount\na,x\n"), sent("id,amount\na,1\n")
    shown = text_of(as_manager.get(page_of(spoiled)))

    assert re.findall(r"(read_rows|check_keys|store_records) <span", shown) == [
        "read_rows", "check_keys", "store_records",
    ]  # fmt: skip
    assert "Send the mended file" in shown
    assert "Send the mended file" not in text_of(as_manager.get(page_of(good)))
