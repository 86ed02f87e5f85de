"""Lists and details over a million uploads and five million errors, beside the same pages over a thousand.

Times are the server's: whole requests through the middleware, as an operator and as a member of the largest
organisation, each page asked for several times after it was warmed.
"""

import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import Membership, User
from ingestion import row_errors
from ingestion.models import Dataset, Upload
from tests.benchmarks.lines import Line
from tests.benchmarks.many_rows import fill, let_workers_live, make_organisations

SMALL = {"uploads": 1_000, "errors": 5_000}
LARGE = {"uploads": 1_000_000, "errors": 5_000_000}
ROUNDS = 7
MOST_MS = 100.0
MOST_RATIO = 3.0
QUICK_MS = 30.0
WARMED_BY = 2


def run() -> list[Line]:
    let_workers_live()
    owners = make_organisations()
    operator = User.objects.create(username="bench-operator", is_operator=True)
    member = User.objects.create(username="bench-member")
    Membership.objects.create(user=member, organisation=owners[0], role="manager")
    people = {"operator": client_of(operator), "member": client_of(member)}
    small = measured(people, fill(**SMALL))
    large = measured(people, fill(**LARGE))
    return [beside(name, small[name], large[name], what="1,000 uploads") for name in large]


def client_of(user: User) -> Client:
    client = Client(REMOTE_ADDR="127.0.0.1", HTTP_HOST="localhost")
    client.force_login(user)
    return client


@dataclass(frozen=True)
class Measured:
    """`ms` is the median of a request; `database_ms` of its queries, of which there are `queries`. The latter
    is by the clock, with what was waited for others in it."""

    ms: float
    database_ms: float
    queries: int


def measured(people: dict[str, Client], largest: Upload) -> dict[str, Measured]:
    row_errors.count(upload=largest.pk, run=largest.run)  # type: ignore[arg-type]
    return {
        f"{who}: {name}": measure(client, path)
        for who, client in people.items()
        for name, path in pages(largest).items()
    }


def measure(client: Client, path: str) -> Measured:
    for _ in range(WARMED_BY):
        answer = client.get(path)
        if answer.status_code not in (200, 302):
            raise RuntimeError(f"{path} answered {answer.status_code}")
    times, in_database, queries = [], [], 0
    for _ in range(ROUNDS):
        asked = Asked()
        with connection.execute_wrapper(asked):
            begun, held_up = time.perf_counter(), waited_for_a_processor()
            client.get(path)
            times.append(time.perf_counter() - begun - (waited_for_a_processor() - held_up))
        in_database.append(asked.seconds)
        queries = max(queries, asked.queries)
    return Measured(statistics.median(times) * 1000, statistics.median(in_database) * 1000, queries)


class Asked:
    """The queries of a request, and how long it waited for them."""

    def __init__(self) -> None:
        self.queries, self.seconds = 0, 0.0

    def __call__(self, execute: Any, *arguments: Any) -> Any:
        begun = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            self.queries += 1
            self.seconds += time.perf_counter() - begun


def waited_for_a_processor() -> float:
    """Seconds for which this process and its session of the database were ready to run while others held the
    processors: not the server's time. What the system does not tell counts as 0."""
    session = connection.connection.info.backend_pid if connection.connection else 0
    return waited("self") + (waited(session) if is_session(session) else 0.0)


def waited(process: int | str) -> float:
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def is_session(process: int) -> bool:
    """A server elsewhere has numbers of its own."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip() == "postgres"
    except OSError:
        return False


def pages(largest: Upload) -> dict[str, str]:
    """What people and programs open most, with the filters that find much, little and nothing."""
    uploads, upload = reverse("uploads"), reverse("upload", args=[largest.pk])
    dataset = Dataset.objects.get(slug="returns-0-3")
    api = "/api/v1"
    middle = Upload.objects.order_by("id")[Upload.objects.count() // 2]
    return {
        "home": reverse("home"),
        "attention": reverse("attention"),
        "uploads": uploads,
        "uploads of a dataset": with_query(uploads, dataset=dataset.slug),
        "uploads that failed": with_query(uploads, status="failed"),
        "uploads that wait": with_query(uploads, status="accepted"),
        "uploads that ask (none)": with_query(uploads, status="needs_answer"),
        "uploads by name": with_query(uploads, text=middle.filename),
        "uploads by part of a name": with_query(uploads, text="returns"),
        "uploads by a name that none has": with_query(uploads, text="nowhere to be found"),
        "uploads by sha256": with_query(uploads, text=middle.sha256),
        "uploads by sender": with_query(uploads, sender="sender 125"),
        "uploads of the last day": with_query(uploads, period="1"),
        "upload with the most errors": upload,
        "its rows by a common rule": with_query(upload, code="enum"),
        "its rows by a rare rule": with_query(upload, code="pattern"),
        "its rows by column": with_query(upload, column="A"),
        "its rows by text": with_query(upload, text="Town 77"),
        "its rows by a text that none has": with_query(upload, text="nowhere"),
        "datasets": reverse("datasets"),
        "dataset": reverse("dataset", args=[dataset.organisation.slug, dataset.slug]),
        "events": reverse("events"),
        "find": with_query(reverse("find"), q=str(middle.pk)),
        "API uploads": f"{api}/uploads",
        "API uploads that failed": with_query(f"{api}/uploads", status="failed"),
        "API upload": f"{api}/uploads/{largest.pk}",
        "API errors": f"{api}/uploads/{largest.pk}/errors",
        "API errors by a rare rule": with_query(f"{api}/uploads/{largest.pk}/errors", code="pattern"),
    }


def with_query(path: str, **query: str) -> str:
    return f"{path}?{urlencode(query)}"


def beside(name: str, small: Measured, large: Measured, *, what: str) -> Line:
    """Of a page that is quick anyhow, a ratio would say more about the clock than about the page."""
    ratio = large.ms / small.ms
    return Line(
        what=name,
        measured=f"{large.ms:.0f} ms (database {large.database_ms:.0f} by the clock), {ratio:.1f} x, "
        f"{large.queries} queries",
        baseline=f"over {what}: {small.ms:.0f} ms, {small.queries} queries",
        bar=f"at most {MOST_MS:.0f} ms; at most {MOST_RATIO:.0f} x or {QUICK_MS:.0f} ms; as many queries",
        holds=large.ms <= MOST_MS
        and (ratio <= MOST_RATIO or large.ms <= QUICK_MS)
        and large.queries == small.queries,
    )
