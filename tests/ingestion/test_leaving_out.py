"""Refused rows that shall never be stored: left out with a reason, so that a story can come to its end."""

import pytest
from django.urls import reverse

from ingestion import leaving_out, sentences, stories
from ingestion.models import RowError
from tests.ingestion.test_mending import FILE, built, mended
from tests.ingestion.test_mending import keyed as into  # noqa: F401 (a fixture)
from tests.ingestion.test_stories import cases
from work.models import Decision

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def upload(process, into):  # noqa: F811
    return process(FILE, into=into)


def leave(upload, by, *rows, why="a total"):
    chosen = stories.open_rows(upload).filter(row__in=rows)
    return leaving_out.leave_out(upload=upload, rows=chosen, rule="ticked", by=by, why=why)


def told(upload):
    story = stories.of(upload)
    return story.stored, story.mended, story.left_out, story.left


def test_row_that_is_left_out_is_done_and_says_who_decided_it(upload, by):
    assert leave(upload, by, 4) == 1

    assert told(upload) == (1, 0, 1, 1)
    assert sentences.of_story(stories.of(upload)).title == (
        "1 of 3 rows are stored, 0 mended, 1 left out, 1 left"
    )
    decision = Decision.objects.get(what="upload.rows_left_out")
    assert (decision.why, decision.rule["rows"], str(by)) == ("a total", [4], decision.by_label)
    assert upload.row_errors.get(row=4).left_out == decision.pk


def test_story_comes_to_its_end_and_asks_nobody_any_more(process, by, upload, into):  # noqa: F811
    assert len(cases(upload)) == 1
    leave(upload, by, 4)
    assert len(cases(upload)) == 1

    second = process(mended(upload, by, {2: 7}), filename="m.xlsx", into=into)

    assert (second.state, told(upload), told(second)) == ("processed", (1, 1, 1, 0), (1, 1, 1, 0))
    assert cases(upload) == []
    assert sentences.of_story(stories.of(upload)).missing == "Nothing is left to mend."


def test_file_whose_every_refused_row_is_left_out_is_no_case(upload, by):
    leave(upload, by, 2, 4)

    assert (told(upload), cases(upload)) == ((1, 0, 2, 0), [])


def test_workbook_of_rows_to_mend_no_longer_has_them_and_has_them_again_when_taken_back(upload, by):
    first = built(upload, "mend", by).worksheets[0]
    leave(upload, by, 2)
    second = built(upload, "mend", by).worksheets[0]
    leaving_out.take_back(upload=upload, decision=upload.row_errors.get(row=2).left_out, by=by)
    third = built(upload, "mend", by).worksheets[0]

    assert [[row[3].value for row in sheet.iter_rows(min_row=2)] for sheet in (first, second, third)] == [
        [2, 4], [4], [2, 4],
    ]  # fmt: skip
    assert told(upload) == (1, 0, 0, 2)
    assert Decision.objects.filter(what="upload.rows_taken_back").count() == 1


def test_row_that_comes_back_all_the_same_is_mended_when_it_passes(process, by, upload, into):  # noqa: F811
    content = mended(upload, by, {2: 7})
    leave(upload, by, 2, 4)

    second = process(content, filename="m.xlsx", into=into)

    assert (second.state, second.mended, told(upload)) == ("partial", 1, (1, 1, 1, 0))
    assert not stories.open_rows(second).exists()


def test_it_holds_for_the_row_in_every_file_of_the_story(process, by, upload, into):  # noqa: F811
    second = process(mended(upload, by, {2: 7}), filename="m.xlsx", into=into)

    assert leave(second, by, *second.row_errors.values_list("row", flat=True)) == 1

    assert (told(upload), told(second)) == ((1, 1, 1, 0), (1, 1, 1, 0))
    assert set(RowError.objects.filter(mended_by=None).values_list("left_out", flat=True)) == {
        Decision.objects.get(what="upload.rows_left_out").pk
    }


def test_page_leaves_out_what_is_chosen_with_a_reason_and_takes_it_back(client, upload, by):
    by.user.is_operator = True
    by.user.save()
    client.force_login(by.user)
    address = reverse("upload_leave_out", args=[upload.pk])

    assert client.post(address, {"row": "4"}).status_code == 422
    assert client.post(address, {"why": "a total"}).status_code == 422
    assert client.post(f"{address}?rule=integer+C", {"all": "on", "why": "none"}).status_code == 422
    assert told(upload) == (1, 0, 0, 2)
    assert client.post(address, {"all": "on", "why": "these are totals"}).status_code == 302
    shown = client.get(address).content.decode()
    assert "these are totals" in shown
    assert "Every refused row" in shown
    decision = upload.row_errors.get(row=4).left_out
    assert client.post(address, {"back": str(decision)}).status_code == 302
    assert client.post(address, {"back": "no"}).status_code == 302
    assert told(upload) == (1, 0, 0, 2)
