"""The page on which a person says how a file is to be read: shown, looked at, answered, and never lost."""

import html
import re

import pytest
from django.urls import reverse

from ingestion import remembered, uploads
from ingestion.models import Upload
from tests.ingestion import askings
from tests.ingestion.views.conftest import HTMX, text_of

pytestmark = pytest.mark.django_db(transaction=True)
FILE = b"Ident,Betrag,Remark\na,1,new\n"


@pytest.fixture
def asking(accept, stations):
    return lambda asked: askings.let_ask(accept(FILE, into=stations), asked)


def address(upload):
    return reverse("upload_answer", args=[upload.pk])


def words(answer):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text_of(answer))).split())


def form_of(answer, **chosen):
    """What a browser would send of the page, with what the person changed."""
    page = text_of(answer).partition('id="answering"')[2] or text_of(answer)
    hidden = dict(re.findall(r'<input type="hidden" name="(asked|shown|sheet)" value="([^"]*)"', page))
    radio = re.search(r'name="header_row" value="(\d+)" checked', page)
    selects = {
        name: (re.search(r'value="([^"]*)" selected', options) or ["", ""])[1]
        for name, options in re.findall(r'<select name="(\w+)"[^>]*>(.*?)</select>', page, re.DOTALL)
    }
    return hidden | ({"header_row": radio[1]} if radio else {}) | selects | chosen


def selected(answer):
    return {name: value for name, value in form_of(answer).items() if name.startswith("column_")}


def test_upload_that_asks_says_so_and_leads_to_the_answer(as_uploader, asking, page_of):
    upload = asking(askings.which_columns())

    answer = as_uploader.get(page_of(upload))

    assert "stations.csv needs an answer" in words(answer)
    assert "It is not clear which columns of the file hold “id”." in words(answer)
    assert f'href="{address(upload)}"' in text_of(answer)


def test_page_shows_the_first_rows_the_suggestions_and_what_is_left_out(as_uploader, asking):
    answer = as_uploader.get(address(asking(askings.which_columns())))

    page = text_of(answer)
    assert answer.status_code == 200
    assert '<input type="radio" name="header_row" value="3" checked' in page
    assert "<td>Betrag €</td>" in page
    assert selected(answer) == {"column_0": "0", "column_1": "none"}
    assert "The heading is similar, please look." in page
    assert "A: Ident (such as a)" in page
    assert "Left out: B Betrag €, C Remark" in words(answer)
    assert "string, required, key" in words(answer)


def test_answer_goes_on_and_is_remembered(as_uploader, asking, stations):
    upload = asking(askings.which_columns())
    form = form_of(as_uploader.get(address(upload)), column_1="1")

    answer = as_uploader.post(address(upload), form, follow=True)

    assert answer.redirect_chain == [(reverse("upload", args=[upload.pk]), 302)]
    assert "stations.csv goes on by your answer." in words(answer)
    upload.refresh_from_db()
    assert (upload.state, upload.answered_by_label) == ("accepted", "Ulla")
    assert upload.reading == {
        "sheet": "Data",
        "header_row": 3,
        "header_rows": 1,
        "mapping": {"id": "Ident", "amount": "Betrag €"},
    }
    assert remembered.aliases(stations.pk) == {"ident": "id", "betrag": "amount"}


def test_one_of_two_columns_with_one_heading_is_never_chosen_beforehand(as_uploader, sent):
    upload = sent(b"id,amount,amount\na,1,2\n")

    answer = as_uploader.get(address(upload))
    form = form_of(answer)
    refused = as_uploader.post(address(upload), form)
    as_uploader.post(address(upload), form | {"column_1": "2"})

    assert selected(answer) == {"column_0": "0", "column_1": ""}
    assert "More than one column has this heading, please choose." in words(answer)
    assert "Say by its letters which column is “amount”: B, C." in words(refused)
    upload.refresh_from_db()
    assert upload.reading["mapping"] == {"id": "id", "amount": "C"}


def test_fault_stands_at_its_field_and_choices_are_kept(as_uploader, asking):
    upload = asking(askings.which_columns())
    form = form_of(as_uploader.get(address(upload)), column_0="none", column_1="2")

    answer = as_uploader.post(address(upload), form)

    assert answer.status_code == 422
    assert selected(answer) == {"column_0": "none", "column_1": "2"}
    error = re.search(r'id="id_column_0_error".*?</ul>', text_of(answer), re.DOTALL)[0]
    assert "needs a column" in error
    assert 'aria-invalid="true"' in text_of(answer)
    upload.refresh_from_db()
    assert upload.state == "needs_answer"


def test_one_column_for_two_fields_is_refused_at_the_second(as_uploader, asking):
    upload = asking(askings.which_columns())

    answer = as_uploader.post(address(upload), form_of(as_uploader.get(address(upload)), column_1="0"))

    assert "cannot both be read from" in re.search(
        r'id="id_column_1_error".*?</ul>', text_of(answer), re.DOTALL
    )[0]  # fmt: skip


def test_another_row_of_headings_is_only_looked_at(as_uploader, asking):
    upload = asking(askings.which_header())
    url = address(upload)

    part = as_uploader.get(url, {"sheet": "Data", "header_row": "4"}, HTTP_HX_TARGET="answering", **HTMX)
    whole = as_uploader.post(url, form_of(as_uploader.get(url), header_row="4", look="1"))

    assert text_of(part).strip().startswith("<form")
    for answer in (part, whole):
        assert answer.status_code == 200
        assert "A: a (such as b)" in text_of(answer)
        assert 'value="4" checked' in text_of(answer)
    upload.refresh_from_db()
    assert upload.state == "needs_answer"


def test_row_changed_without_looking_at_its_columns_is_looked_at_first(as_uploader, asking):
    upload = asking(askings.which_header())
    form = form_of(as_uploader.get(address(upload)), header_row="4")

    refused = as_uploader.post(address(upload), form)
    assert refused.status_code == 422
    assert "You chose another row of headings." in words(refused)

    chosen = form_of(refused, column_0="0", column_1="1")
    assert as_uploader.post(address(upload), chosen).status_code == 302
    upload.refresh_from_db()
    assert upload.reading["header_row"] == 4
    assert upload.reading["mapping"] == {"id": "a", "amount": "1"}


def test_headings_in_two_rows_are_read_together_and_taken_back(as_uploader, asking):
    upload = asking(askings.which_columns(header_rows=2))
    url = address(upload)

    one = as_uploader.get(url, {"header_row": "3"})
    two = as_uploader.get(url, {"header_row": "3", "header_rows": "2"})

    assert 'name="header_rows" value="2" checked' not in text_of(one)
    assert 'name="header_rows" value="2" checked' in text_of(two)


def test_sheets_are_chosen_by_links_that_say_which_are_hidden(as_uploader, asking, stations):
    upload = asking(askings.which_sheet())
    page = text_of(as_uploader.get(address(upload)))
    assert re.search(r'href="[^"]*\?sheet=Data" aria-current="true"', page)
    other = re.search(r'href="([^"]*\?sheet=Old)"[^>]*>Old <span class="quiet">hidden', page)[1]

    answer = as_uploader.get(other)
    assert selected(answer) == {"column_0": "0", "column_1": "1"}
    as_uploader.post(address(upload), form_of(answer))

    upload.refresh_from_db()
    stations.refresh_from_db()
    assert (upload.state, upload.reading["sheet"], stations.usual_sheet) == ("accepted", "Old", "Old")


def test_columns_left_out_follow_the_choices(as_uploader, asking):
    upload = asking(askings.which_columns())
    form = form_of(as_uploader.get(address(upload)), column_1="2", look="1")

    answer = as_uploader.post(address(upload), form, HTTP_HX_TARGET="left-out", **HTMX)

    assert re.match(r'\s*<div class="pad" id="left-out">', text_of(answer))
    assert "Left out: B Betrag €" in words(answer)
    assert "Remark" not in words(answer)


@pytest.mark.parametrize(
    "query", ["?header_row=2", "?header_row=99999999999", "?header_row=x", "?sheet=Nothing"]
)
def test_row_or_sheet_that_was_not_kept_shows_what_was_asked(as_uploader, asking, query):
    answer = as_uploader.get(address(asking(askings.which_columns())) + query)

    assert answer.status_code == 200
    assert 'value="3" checked' in text_of(answer)


def test_question_that_was_answered_meanwhile_is_told(as_uploader, asking, page_of):
    upload = asking(askings.which_columns())
    form = form_of(as_uploader.get(address(upload)))
    as_uploader.post(address(upload), form)

    answer = as_uploader.post(address(upload), form, follow=True)

    assert answer.redirect_chain == [(page_of(upload), 302)]
    assert "stations.csv is accepted and asks nothing." in words(answer)


def test_answer_to_an_earlier_question_changes_nothing(as_uploader, asking, by):
    upload = asking(askings.which_sheet())
    form = form_of(as_uploader.get(address(upload)))
    as_uploader.post(address(upload), form)
    askings.let_ask(upload, askings.which_columns())

    answer = as_uploader.post(address(upload), form, follow=True)

    assert answer.redirect_chain == [(address(upload), 302)]
    assert "asks something else by now" in words(answer)
    assert Upload.objects.get(pk=upload.pk).state == "needs_answer"


def test_what_stands_in_the_file_is_shown_and_never_run(as_uploader, asking):
    evil = '"><script>alert(1)</script>'
    rows = [{"number": 1, "cells": [evil, evil]}, {"number": 2, "cells": [evil, ""]}]
    sheets = [{"name": evil, "hidden": False, "rows": rows, "score": 1}, *askings.SHEETS]
    asked = askings.which_columns(sheets=sheets, sheet=evil, header_row=1, headers=[evil, "x"])

    page = text_of(as_uploader.get(address(asking(asked))))

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_retirement_says_how_many_and_which_and_wants_a_reason(as_uploader, asking):
    upload = asking(askings.confirm_retirement())

    page = as_uploader.get(address(upload))
    refused = as_uploader.post(address(upload), form_of(page))
    done = as_uploader.post(address(upload), form_of(page, why="The stations were closed."))

    assert "May 30 of 100 records go?" in words(page)
    assert '<li class="id">a</li><li class="id">b</li>' in text_of(page)
    assert "The records have changed since this was asked." in words(
        page
    )  # the dataset is at another version
    assert refused.status_code == 422
    assert done.status_code == 302
    upload.refresh_from_db()
    assert (upload.state, upload.reading) == ("accepted", {"confirm": ["retire:7"]})


@pytest.mark.parametrize("make", askings.EVERY)
def test_page_asks_as_much_whatever_is_asked(as_uploader, asking, make, django_assert_max_num_queries):
    url = address(asking(make()))

    with django_assert_max_num_queries(13):
        assert as_uploader.get(url).status_code == 200


def test_wide_file_offers_no_more_columns_than_a_page_can_hold(as_uploader, asking):
    many = [f"column {number}" for number in range(16_000)]
    url = address(asking(askings.which_columns(headers=many)))

    answer = as_uploader.get(url)

    choice = re.search(r'<select name="column_0".*?</select>', text_of(answer), re.DOTALL)[0]
    assert choice.count("<option") == 2 + 300
    assert "and 15939 more" in words(answer)


def test_tried_file_says_that_nothing_is_stored_and_is_stored_on_demand(
    as_uploader, process, stations, page_of
):
    tried = process(b"id,amount\na,1\n", into=stations, dry_run=True)
    page = as_uploader.get(page_of(tried))
    assert "Nothing of the file is stored: it was only tried." in words(page)
    assert "Store it now" in text_of(page)

    url = reverse("upload_storing", args=[tried.pk])
    first, second = (as_uploader.post(url, follow=True) for _ in range(2))

    stored = Upload.objects.exclude(pk=tried.pk).get()
    assert first.redirect_chain == second.redirect_chain == [(page_of(stored), 302)]
    assert "stations.csv is accepted, to be stored." in words(first)
    assert "was sent to be stored before" in words(second)
    assert not stored.dry_run


def test_stored_file_is_not_offered_to_be_stored(as_uploader, sent, page_of):
    upload = sent(b"id,amount\na,1\n")

    assert "Store it now" not in text_of(as_uploader.get(page_of(upload)))
    answer = as_uploader.post(reverse("upload_storing", args=[upload.pk]), follow=True)
    assert "was not tried, so there is nothing to store now" in words(answer)
    assert Upload.objects.count() == 1


def test_withdrawn_while_it_asked_cannot_be_answered(as_uploader, asking, by):
    upload = asking(askings.which_columns())
    uploads.withdraw(upload=upload, by=by)

    answer = as_uploader.get(address(upload), follow=True)

    assert "is cancelled and asks nothing" in words(answer)


def test_column_that_cannot_be_named_is_refused_at_its_field(as_uploader, asking):
    upload = asking(askings.which_columns(headers=["C", "x", ""]))
    form = form_of(as_uploader.get(address(upload)), column_0="2")

    answer = as_uploader.post(address(upload), form)

    assert answer.status_code == 422
    assert "another column is headed “C”" in words(answer)


def test_suggestion_beyond_the_headings_that_were_kept_is_offered(as_uploader, asking):
    far = [askings.SUGGESTIONS[0] | {"column": 250}, askings.SUGGESTIONS[1]]
    asked = askings.which_columns(headers=[f"h{number}" for number in range(200)], suggestions=far)
    upload = asking(asked)

    as_uploader.post(address(upload), form_of(as_uploader.get(address(upload))))

    upload.refresh_from_db()
    assert upload.reading["mapping"] == {"id": "IQ", "amount": None}


def test_remembered_headings_are_shown_and_forgotten_by_a_manager(as_uploader, as_manager, asking, stations):
    upload = asking(askings.which_columns())
    as_uploader.post(address(upload), form_of(as_uploader.get(address(upload))))
    alias = stations.aliases.get()
    page, forget = (
        reverse("dataset", args=["north", stations.slug]),
        reverse("dataset_alias_removal", args=["north", stations.slug, alias.pk]),
    )

    assert '<th scope="row">ident</th>' in text_of(as_uploader.get(page))
    assert forget not in text_of(as_uploader.get(page))
    assert forget in text_of(as_manager.get(page))
    assert "Forget that “ident” means id?" in words(as_manager.get(forget))
    answer = as_manager.post(forget, follow=True)

    assert "“ident” is forgotten." in words(answer)
    assert not stations.aliases.exists()
