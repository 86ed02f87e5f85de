"""The records of a dataset searched, filtered, sorted and paged: a million of them beside a thousand.

Times are the server's: whole requests through the middleware, as an operator and as a manager of the owner.
Half a million records of another dataset stand before them in the same table, and a dataset of a thousand
stands beside.
"""

import time

from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import Membership, Organisation, User
from ingestion import queries
from ingestion.models import Dataset, Upload
from ingestion.search.index import index
from ingestion.search.protocol import Query
from tests.benchmarks.bench_lists import (
    LEAST_MS,
    MOST_MS,
    MOST_RATIO,
    Measured,
    client_of,
    measure,
    with_query,
)
from tests.benchmarks.lines import Line
from tests.benchmarks.many_records import add_records, make_dataset, rebuild
from work import paging

SMALL, LARGE, OTHERS = 1_000, 1_000_000, 500_000
LEAST_A_SECOND = 1_000


def run() -> list[Line]:
    owner = Organisation.objects.create(slug="registry", title="Registry")
    operator = User.objects.create(username="search-operator", is_operator=True)
    manager = User.objects.create(username="search-manager")
    Membership.objects.create(user=manager, organisation=owner, role="manager")
    people = {"operator": client_of(operator), "manager": client_of(manager)}
    upload = an_upload(owner)
    others, dataset = (make_dataset(upload, slug) for slug in ("readings", "stations"))
    add_records(dataset, upload, first=1, last=SMALL)
    rebuild(dataset)
    small = measured(people, dataset, SMALL)
    add_records(others, upload, first=1, last=OTHERS)
    large_dataset = make_dataset(upload, "all-stations")
    add_records(large_dataset, upload, first=1, last=LARGE)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    begun = time.monotonic()
    rebuild(large_dataset)
    a_second = LARGE / (time.monotonic() - begun)
    large = measured(people, large_dataset, LARGE)
    beside = {
        f"{who}, page: all": measure(client, pages(dataset, SMALL)["page: all"])
        for who, client in people.items()
    }
    return [
        indexing(a_second),
        *(line(name, small[name], large[name]) for name in large),
        *(line(f"{name}, a small dataset beside", small[name], beside[name]) for name in beside),
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


def measured(people: dict[str, Client], dataset: Dataset, records: int) -> dict[str, Measured]:
    return {
        f"{who}, {name}": measure(client, path)
        for who, client in people.items()
        for name, path in pages(dataset, records).items()
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
    asked = {
        "all": {},
        "all, far on": {"cursor": plain_cursor(dataset, records // 2)},
        "rare word": {"q": "zirconium"},
        "common word": {"q": "district"},
        "common words": {"q": "northern district"},
        "word of the last ones": {"q": "lately"},
        "common word, far on": {"q": "district", "cursor": cursor(dataset, "", records // 2)},
        "part of a word": {"q": "irconi"},
        "quoted": {"q": '"northern district"'},
        "two letters": {"q": "ul"},
        "no such word": {"q": "nowhere"},
        "no such words": {"q": "northern nowhere"},
        "rare value": {"filter[town]": "Zalesie"},
        "common value": {"filter[town]": "Warszawa"},
        "no such value": {"filter[town]": "Atlantis"},
        "narrow range": {"filter[amount][from]": "100", "filter[amount][to]": "101"},
        "wide range": {"filter[opened][from]": "1995-01-01"},
        "rare value, by amount": {"filter[town]": "Zalesie", "sort": "amount"},
        "common value, by date": {"filter[town]": "Warszawa", "sort": "-opened"},
        "no such value, by amount": {"filter[town]": "Atlantis", "sort": "amount"},
        "common word, by amount": {"q": "district", "sort": "amount"},
        "rare word, by date": {"q": "zirconium", "sort": "-opened"},
        "word of the last ones, by amount": {"q": "lately", "sort": "amount"},
        "word and value and range, by moment": {
            "q": "northern", "filter[town]": "Warszawa", "filter[opened][from]": "2010-01-01",
            "sort": "-measured",
        },
        "two filters of which none holds both": {"filter[town]": "Warszawa", "filter[open]": "true",
                                                 "filter[amount][to]": "0.02"},
    }  # fmt: skip
    for field in ("town", "amount", "opened", "measured", "open"):
        asked[f"by {field}"] = {"sort": field}
        asked[f"by {field} downwards"] = {"sort": f"-{field}"}
        asked[f"by {field}, far on"] = {"sort": field, "cursor": cursor(dataset, field, records // 2)}
    return asked


def plain_cursor(dataset: Dataset, place: int) -> str:
    listed = queries.records(dataset.pk).filter(retired_at__isnull=True).order_by("pk")
    return paging.after(listed.values_list("pk", flat=True)[place])


def cursor(dataset: Dataset, sort: str, place: int) -> str:
    """Of the page behind the first so many."""
    hits = index().search(dataset.pk, Query(sort=sort, limit=place, count=False))
    return hits.next_cursor or ""


def indexing(a_second: float) -> Line:
    return Line(
        what=f"rebuild of {LARGE:,} records",
        measured=f"{a_second:,.0f} records/s",
        bar=f"at least {LEAST_A_SECOND:,} records/s",
        holds=a_second >= LEAST_A_SECOND,
    )


def line(name: str, small: Measured, large: Measured) -> Line:
    ratio = large[0] / max(small[0], LEAST_MS)
    return Line(
        what=name,
        measured=f"{large[0]:.0f} ms, {ratio:.1f} x, {large[1]} queries",
        baseline=f"over {SMALL:,} records: {small[0]:.0f} ms, {small[1]} queries",
        bar=f"at most {MOST_MS:.0f} ms and {MOST_RATIO:.0f} x, no more queries",
        holds=large[0] <= MOST_MS and ratio <= MOST_RATIO and large[1] <= small[1],
    )
