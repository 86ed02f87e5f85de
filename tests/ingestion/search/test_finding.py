"""The records page and the API over the index: what is found, what is refused, what is said of its age."""

import pytest
from django.urls import reverse

from ingestion.models import Record
from tests.ingestion.search.conftest import SCHEMA, settle

pytestmark = pytest.mark.django_db
ADDRESS = "/datasets/stations/records"
ROWS = {
    "a": {"name": "Kraków", "amount": 9, "opened": "2024-02-01", "open": True},
    "b": {"name": "Łódź", "amount": 10, "opened": "2024-01-01", "open": False},
    "c": {"name": "Gdańsk", "amount": None, "opened": None, "note": "<b>by the sea</b>"},
}


@pytest.fixture
def filled(dataset, store):
    store(dataset, ROWS)
    settle(dataset)
    return dataset


@pytest.fixture
def page(client, manager, filled):
    client.force_login(manager)
    url = reverse("records", args=["north", "stations"])
    return lambda query="", **how: client.get(f"{url}?{query}", **how)


def keys(answer):
    assert answer.status_code == 200, answer.content
    return [item["data"]["id"] for item in answer.json()["items"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"q": "krakow"}, ["a"]),
        ({"q": "nothing"}, []),
        ({"filter[amount]": "10"}, ["b"]),
        ({"filter[amount][from]": "9", "filter[amount][to]": "9.5"}, ["a"]),
        ({"filter[opened][to]": "2024-01-31"}, ["b"]),
        ({"filter[open]": "true"}, ["a"]),
        ({"filter[name]": "lodz"}, ["b"]),
        ({"sort": "amount"}, ["a", "b", "c"]),
        ({"sort": "-opened"}, ["a", "b", "c"]),
        ({"sort": "name"}, ["c", "a", "b"]),
        ({"q": "sea", "sort": "-amount", "filter[name]": "Gdansk"}, ["c"]),
        ({"q": "' OR 1=1; --%_\\ \x00", "sort": ""}, []),
    ],
)
def test_api_finds_filters_and_sorts(api, filled, query, expected):
    answer = api("get", ADDRESS, query_params=query)

    assert keys(answer) == expected
    assert answer.json()["pending"] == 0
    assert answer.json()["indexed_at"]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"filter[nothing]": "1"}, 422, "unknown_field"),
        ({"filter[note]": "1"}, 422, "field_not_sortable"),
        ({"sort": "note"}, 422, "field_not_sortable"),
        ({"sort": "-nothing"}, 422, "unknown_field"),
        ({"filter[amount]": "many"}, 422, "filter_not_valid"),
        ({"filter[opened][from]": "01.02.2024"}, 422, "filter_not_valid"),
        ({"filter[open]": "perhaps"}, 422, "filter_not_valid"),
        ({"q": "x", "cursor": "wrong"}, 400, "bad_cursor"),
    ],
)
def test_api_says_what_it_cannot_filter_by(api, filled, query, status, code):
    answer = api("get", ADDRESS, query_params=query)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_api_says_that_a_field_is_not_indexed_yet(api, filled):
    schema = {
        **SCHEMA,
        "fields": [{**field, "sortable": field["name"] == "note"} for field in SCHEMA["fields"]],
    }
    filled.schema_versions.create(number=2, schema=schema)

    answer = api("get", ADDRESS, query_params={"sort": "note"})

    assert (answer.status_code, answer.json()["code"]) == (422, "field_not_indexed_yet")


def test_api_pages_to_the_end_of_a_search(api, dataset, store):
    store(dataset, {f"{number:03}": {"name": "x", "amount": number % 7} for number in range(450)})
    settle(dataset)
    seen, cursor = [], ""
    while cursor is not None:
        answer = api("get", ADDRESS, query_params={"sort": "-amount", "cursor": cursor})
        seen += [item["data"]["amount"] for item in answer.json()["items"]]
        cursor = answer.json()["next_cursor"]

    assert seen == sorted(seen, reverse=True)
    assert len(seen) == 450


def test_api_without_a_search_reads_the_records_themselves(api, filled, store):
    store(filled, {"d": {"name": "new"}})
    Record.objects.filter(key='["a"]').update(retired_at="2024-01-01T00:00Z")

    answer = api("get", ADDRESS)

    assert keys(answer) == ["b", "c", "d"]
    assert (answer.json()["indexed_at"], answer.json()["pending"]) == (None, None)


def test_api_says_how_many_changes_wait(api, filled, store):
    store(filled, {"d": {"name": "new"}, "e": {"name": "new"}})

    assert api("get", ADDRESS, query_params={"q": "new"}).json()["pending"] == 2


def test_hit_that_was_retired_since_is_not_shown(api, filled):
    Record.objects.filter(key='["a"]').update(retired_at="2024-01-01T00:00Z")

    assert keys(api("get", ADDRESS, query_params={"q": "krakow"})) == []


def test_rebuild_is_accepted_and_followed(api, filled):
    answer = api("post", "/datasets/stations/reindex")
    again = api("post", "/datasets/stations/reindex")

    assert (answer.status_code, answer.json()["already_accepted"]) == (202, False)
    assert (again.json()["id"], again.json()["already_accepted"]) == (answer.json()["id"], True)
    assert answer["Location"] == answer.json()["status_url"]
    assert api("get", answer["Location"]).json()["status"] == "requested"


def test_page_searches_and_says_as_of_when(page):
    answer = page("q=krakow")

    text = answer.content.decode()
    assert "1 record found." in text
    assert "Kraków" in text
    assert "Gdańsk" not in text


def test_page_offers_an_input_for_each_sortable_field(page):
    text = page().content.decode()

    for name in (
        "filter[name]",
        "filter[amount][from]",
        "filter[amount][to]",
        "filter[opened][from]",
        "filter[open]",
    ):
        assert f'name="{name}"' in text
    assert "?sort=-amount" in text


def test_page_escapes_what_records_hold(page):
    assert b"<b>by the sea" not in page("q=sea").content
    assert b"&lt;b&gt;by the sea" in page("q=sea").content
    assert b"<script>" not in page("q=%3Cscript%3E").content


def test_page_says_what_it_cannot_filter_by(page):
    answer = page("filter[amount][from]=many")

    assert answer.status_code == 422
    assert "is not a number such as 12.5" in answer.content.decode()


def test_page_answers_htmx_with_the_table_alone(page):
    text = page("q=krakow", headers={"HX-Request": "true"}).content.decode()

    assert text.lstrip().startswith('<section class="panel" id="records-table"')


def test_page_with_a_foreign_cursor_shows_the_first_page(page):
    assert "1 record found." in page("q=krakow&cursor=x").content.decode()


def test_page_shows_the_first_columns_or_those_that_were_chosen(client, manager, store, north):
    from tests.factories import DatasetFactory

    names = [f"c{number}" for number in range(12)]
    wide = DatasetFactory(organisation=north, schema={"fields": [{"name": name} for name in names]})
    store(wide, {"a": dict.fromkeys(names, "x")})
    client.force_login(manager)
    url = reverse("records", args=["north", wide.slug])

    first = client.get(url).content.decode()
    chosen = client.get(f"{url}?columns=c11&columns=c2").content.decode()

    assert heads(first) == names[:8]
    assert heads(chosen) == ["c2", "c11"]


def heads(text):
    table = text[text.index("<thead>") : text.index("</thead>")]
    return [part.partition("<")[0] for part in table.split('<th scope="col">')[2:-1]]


def test_page_of_an_empty_search_says_how_to_go_on(page):
    assert "No record fits" in page("q=nothing").content.decode()
