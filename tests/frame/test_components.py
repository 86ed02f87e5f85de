"""What a tag makes of its arguments. How it looks is for the gallery; that it is accessible, for axe."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.paginator import Paginator
from django.template import Context, Template
from django.utils import timezone

from config.gallery import ExampleForm, FilterForm


@pytest.fixture
def draw(rf):
    def draw(source, url="/uploads/", **given):
        request = rf.get(url)
        template = Template("{% load waybill %}" + source)
        return template.render(Context({"request": request, "csrf_token": "token", **given}))

    return draw


def addresses(html):
    return [address.replace("&amp;", "&") for address in re.findall(r'<a [^>]*href="([^"]*)"', html)]


def test_poll_names_address_and_interval(draw):
    html = draw('{% poll "/uploads/7/" 5 %}')

    assert 'hx-get="/uploads/7/"' in html
    assert 'hx-trigger="every 5s, wake"' in html


def test_poll_without_an_interval_has_ended(draw):
    assert draw('{% poll "/uploads/7/" None %}') == ""


def test_poll_since_a_moment_reads_old_work_seldom(draw):
    html = draw('{% poll "/uploads/7/" since=begun %}', begun=timezone.now() - timedelta(hours=1))

    assert 'hx-trigger="every 15s, wake"' in html


def test_when_is_nothing_shows_a_dash(draw):
    assert draw("{% when None %}") == "–"


def test_when_carries_the_moment_for_machines_and_people(draw):
    html = draw('{% when moment "clock" %}', moment=datetime(2026, 11, 30, 9, 5, 7, tzinfo=UTC))

    assert 'datetime="2026-11-30T09:05:07.000Z"' in html
    assert 'title="Mon 30 Nov 2026, 09:05:07 UTC"' in html
    assert ">09:05:07<" in html


def test_badge_escapes_its_word(draw):
    assert "&lt;b&gt;" in draw('{% state_badge "done" word %}', word="<b>")


def test_panel_escapes_its_title_and_keeps_its_content(draw):
    html = draw("{% panel title %}<p>{{ value }}</p>{% endpanel %}", title="<i>", value="<u>")

    assert "<h2>&lt;i&gt;</h2>" in html
    assert "<p>&lt;u&gt;</p>" in html


def test_keyset_pages_keep_the_filters(draw):
    html = draw("{% keyset_pages older='abc' %}", url="/uploads/?status=failed&cursor=xyz")

    assert addresses(html) == ["/uploads/?status=failed", "/uploads/?status=failed&cursor=abc"]
    assert '<span class="off">Newer</span>' in html


def test_keyset_pages_of_one_page_offer_no_link(draw):
    assert addresses(draw("{% keyset_pages %}")) == []


def test_numbered_pages_mark_where_one_is(draw):
    html = draw("{% numbered_pages page %}", url="/datasets/?q=a", page=Paginator(range(25), 10).page(2))

    assert addresses(html) == ["/datasets/?q=a&page=1", "/datasets/?q=a&page=3"]
    assert "11 to 20 of 25" in html


def test_filter_pills_say_what_was_chosen_and_take_it_back(draw):
    form = FilterForm({"q": "north", "status": "failed"})

    html = draw("{% filter_pills form %}", url="/uploads/?q=north&status=failed&cursor=x", form=form)

    assert "State: Failed" in html
    assert addresses(html) == ["/uploads/?status=failed", "/uploads/?q=north", "/uploads/"]


def test_filter_pills_without_filters_draw_nothing(draw):
    assert draw("{% filter_pills form %}", form=FilterForm({})).strip() == ""


def test_filter_form_works_without_script(draw):
    html = draw("{% filters form '#uploads-table' %}", form=FilterForm())

    assert '<form class="filters" method="get" action="/uploads/"' in html
    assert "<button" in html


def test_choice_pills_mark_the_choice_in_the_address(draw):
    choices = [("", "all", 412), ("failed", "failed", 3)]

    html = draw("{% choice_pills 'status' choices %}", url="/uploads/?status=failed", choices=choices)

    assert 'href="/uploads/?status=failed" aria-current="true"' in html
    assert 'href="/uploads/">all' in html


def test_sort_head_turns_the_order_round(draw):
    html = draw('{% sort_head "Accepted" "accepted_at" %}', url="/uploads/?sort=-accepted_at")

    assert 'aria-sort="descending"' in html
    assert addresses(html) == ["/uploads/?sort=accepted_at"]


def test_bulk_bar_sends_the_filters_in_force(draw):
    html = draw("{% bulk_bar '/bulk/' matching=312 %}{% endbulk_bar %}", url="/uploads/?status=failed&q=a")

    assert 'name="rule" value="status=failed&amp;q=a"' in html
    assert "Apply to all 312 that match" in html


def test_confirm_leads_to_a_page_without_script(draw):
    source = '{% confirm "Withdraw…" id="w" url="/go/" title="Withdraw?" page="/ask/" %}{% endconfirm %}'

    html = draw(source)

    assert addresses(html) == ["/ask/"]
    assert '<form method="post" action="/go/"' in html
    assert 'name="csrfmiddlewaretoken" value="token"' in html


def test_post_button_sends_its_values(draw):
    html = draw('{% post_button "Retry" "/rows/7/retry/" target="#row-7" reason="asked" %}')

    assert '<input type="hidden" name="reason" value="asked">' in html
    assert 'hx-target="#row-7"' in html


def test_refused_button_gives_its_reason(draw):
    html = draw('{% refused_button "Send anew" "Nothing says it was rejected." %}')

    assert 'aria-disabled="true" aria-describedby="why-send-anew"' in html
    assert '<p class="why" id="why-send-anew">Nothing says it was rejected.</p>' in html


def test_field_ties_hint_and_error_to_its_control(draw):
    html = draw("{% field form.title %}", form=ExampleForm({}))

    described_by = re.search(r'aria-describedby="([^"]*)"', html).group(1).split()
    assert all(f'id="{id}"' in html for id in described_by)
    assert 'aria-invalid="true"' in html


@pytest.mark.parametrize(
    ("done", "total", "spoken"),
    [
        (0, None, "Reading"),
        (399, 4000, "Reading, 0 %"),
        (2900, 4000, "Reading, 70 %"),
        (5000, 4000, "Reading, 100 %"),
    ],
)
def test_progress_speaks_in_tenths(draw, done, total, spoken):
    html = draw('{% progress "p" "Reading" done=done total=total unit="rows" %}', done=done, total=total)

    assert f'data-speak="{spoken}"' in html


def test_copy_id_shortens_what_is_shown_only(draw):
    html = draw('{% copy_id "0199f3c2-77aa" short=8 %}')

    assert ">0199f3c2…</code>" in html
    assert 'data-copy="0199f3c2-77aa"' in html
