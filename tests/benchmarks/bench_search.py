"""The records of a dataset searched, filtered, sorted and paged: a million of them beside a thousand.

Times are the server's: whole requests through the middleware, pages as an operator, the API as a manager of
the owner. Half a million records of another dataset stand before them in the same table, and a dataset of a
thousand stands beside.
"""

import time

from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import Membership, Organisation, User
from ingestion import queries
from ingestion.models import Dataset, Record, Upload
from ingestion.search.index import index
from ingestion.search.protocol import Query
from tests.benchmarks.bench_lists import Measured, beside, client_of, measure, with_query
from tests.benchmarks.lines import Line
from tests.benchmarks.many_records import add_records, make_dataset, rebuild
from tests.benchmarks.many_rows import let_workers_live, quickly
from work import paging

SMALL, LARGE, OTHERS = 1_000, 1_000_000, 500_000
MOST_SECONDS = 300.0


def run() -> list[Line]:
    let_workers_live()
    owner = Organisation.objects.create(slug="registry", title="Registry")
    operator = User.objects.create(username="search-operator", is_operator=True)
    manager = User.objects.create(username="search-manager")
    Membership.objects.create(user=manager, organisation=owner, role="manager")
    clients = {"page": client_of(operator), "API": client_of(manager)}
    upload = an_upload(owner)
    others, small_dataset, large_dataset = (
        make_dataset(upload, slug) for slug in ("readings", "stations", "all-stations")
    )
    add_records(small_dataset, upload, first=1, last=SMALL)
    rebuild(small_dataset)
    small = measured(clients, small_dataset, SMALL)
    with quickly(Record):
        add_records(others, upload, first=1, last=OTHERS)
        add_records(large_dataset, upload, first=1, last=LARGE)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    begun = time.monotonic()
    rebuild(large_dataset)
    took = time.monotonic() - begun
    large = measured(clients, large_dataset, LARGE)
    again = measure(clients["page"], pages(small_dataset, SMALL)["page: all"])
    return [
        indexing(took),
        *(line(name, small[name], large[name]) for name in large),
        line("page: all, of the small dataset beside", small["page: all"], again),
    ]


def an_upload(owner: Organisation) -> Upload:
    made = Dataset.objects.create(organisation=owner, slug="sent", title="Sent")
    return Upload.objects.create(
        organisation=owner,
        dataset=made,
        sequence=1,
        precedence=1,
        filename="stations.xlsx",
        size=1,
        sha256="",
    )


def measured(clients: dict[str, Client], dataset: Dataset, records: int) -> dict[str, Measured]:
    return {
        name: measure(clients[name.partition(":")[0]], path) for name, path in pages(dataset, records).items()
    }


def pages(dataset: Dataset, records: int) -> dict[str, str]:
    page = reverse("records", args=[dataset.organisation.slug, dataset.slug])
    api = f"/api/v1/datasets/{dataset.slug}/records"
    found = {}
    for name, query in searches(dataset, records).items():
        found[f"page: {name}"] = with_query(page, **query)
        found[f"API: {name}"] = with_query(api, organisation=dataset.organisation.slug, **query)
    return found


def searches(dataset: Dataset, records: int) -> dict[str, dict[str, str]]:
    """Words, filters and orders that find much, little and nothing; each kind of field both ways."""
    return {
        "all": {},
        "all, far on": {"cursor": plain_cursor(dataset, records // 2)},
        "rare word": {"q": "zirconium"},
        "common words": {"q": "northern district"},
        "common word, far on": {"q": "district", "cursor": cursor(dataset, "", records // 2)},
        "part of a word": {"q": "irconi"},
        "quoted": {"q": '"northern district"'},
        "two letters": {"q": "ul"},
        "no such words": {"q": "northern nowhere"},
        "rare value": {"filter[town]": "Zalesie"},
        "common value": {"filter[town]": "Warszawa"},
        "range": {"filter[amount][from]": "100", "filter[amount][to]": "800"},
        "rare value, by amount": {"filter[town]": "Zalesie", "sort": "amount"},
        "common word, by date": {"q": "district", "sort": "-opened"},
        "word of the last ones, by amount": {"q": "lately", "sort": "amount"},
        "word and value and range, by moment": {
            "q": "northern", "filter[town]": "Warszawa", "filter[opened][from]": "2010-01-01",
            "sort": "-measured",
        },
        "by text": {"sort": "town"},
        "by amount, downwards": {"sort": "-amount"},
        "by amount, far on": {"sort": "amount", "cursor": cursor(dataset, "amount", records // 2)},
    }  # fmt: skip


def plain_cursor(dataset: Dataset, place: int) -> str:
    return paging.after(queries.records(dataset.pk).order_by("key").values_list("key", flat=True)[place])


def cursor(dataset: Dataset, sort: str, place: int) -> str:
    """Of the page behind the first so many."""
    hits = index().search(dataset.pk, Query(sort=sort, limit=place, count=False))
    return hits.next_cursor or ""


def indexing(took: float) -> Line:
    return Line(
        what=f"rebuild of {LARGE:,} records",
        measured=f"{took:.0f} s, {LARGE / took:,.0f} records/s",
        bar=f"at most {MOST_SECONDS:.0f} s",
        holds=took <= MOST_SECONDS,
    )


def line(name: str, small: Measured, large: Measured) -> Line:
    return beside(name, small, large, what=f"{SMALL:,} records")
