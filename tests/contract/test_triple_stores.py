"""Every triple store keeps one contract. A server of one's own is put to it by TEST_TRIPLESTORE_URL, with
_UPDATE_URL, _USER, _PASSWORD and _TOKEN as in the settings: a repository that holds nothing else.
"""

import os
import threading
import uuid

import pytest

from publishing.stores import canonical, choosing, sparql
from publishing.stores.protocol import (
    WRITE_NUMBER,
    GraphState,
    OutcomeUnknown,
    StoreRefused,
    StoreUnavailable,
)
from publishing.stores.rdf4j import Rdf4jStore
from publishing.stores.sparql import SparqlStore
from tests.contract.store_way import REPOSITORY, Rdf4jRules, cut, late, says, silent_until, way_to
from work import outbound
from work.failures import PermanentFailure

GRAPH = "urn:uuid:0190b0a0-0000-7000-8000-000000000001"
OTHER = "urn:uuid:0190b0a0-0000-7000-8000-000000000002"
STORES = ["oxigraph", "rdf4j rules", *(["given"] if os.environ.get("TEST_TRIPLESTORE_URL") else [])]


def triples(*texts):
    return "".join(f'<urn:s:{number}> <urn:p> "{text}" .\n' for number, text in enumerate(texts)).encode()


ONE, TWO, TEN = triples("one"), triples("one", "two"), triples(*"abcdefghij")
AWKWARD = r"""<urn:s> <urn:p> "quote \" backslash \\ u \\u0022 U \\U00000022 \u0007 \n\r\t" .
<urn:s> <urn:p> "שלום 🏔"@he .
<urn:s> <urn:p> "colour"@en-gb .
<urn:s> <urn:p> "00ff"^^<http://www.w3.org/2001/XMLSchema#hexBinary> .
<urn:s> <urn:p> "10"^^<http://www.w3.org/2001/XMLSchema#nonNegativeInteger> .
<urn:s> <urn:p> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<urn:s> <urn:p> "2026-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .
<urn:s> <urn:p> "2026-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
<urn:s> <urn:p> <https://example.org/%C3%A6?a=1&b=%7B2%7D#c> .
""".encode()


@pytest.fixture(params=STORES)
def store(request, settings):
    if request.param == "given":
        for name in ("URL", "UPDATE_URL", "USER", "PASSWORD", "TOKEN"):
            setattr(settings, f"TRIPLESTORE_{name}", os.environ.get(f"TEST_TRIPLESTORE_{name}", ""))
        given = choosing.store()
        for state in list(given.graphs()):
            given.drop(state.graph)
        yield given
        return
    oxigraph = request.getfixturevalue("oxigraph")
    if request.param == "oxigraph":
        yield choosing.store()
        return
    with way_to(oxigraph.url, Rdf4jRules) as server:
        settings.TRIPLESTORE_URL = server.url + REPOSITORY
        yield choosing.store()
        asked = [path for method, path, _ in server.asked if method == "DELETE"]
        assert all("context=" in path for path in asked)


@pytest.fixture
def way(oxigraph):
    with way_to(oxigraph.url) as server:
        yield server


def impatient(url):
    return SparqlStore(f"{url}/query", f"{url}/update", query_seconds=0.3, update_seconds=0.3)


def held(store, graph=GRAPH):
    """Both looks say the same."""
    counted, hashed = store.look(graph), store.look(graph, hashed=True)
    assert (counted.number, counted.triples) == (hashed.number, hashed.triples)
    return hashed


def state(number, written):
    content = canonical.content(written)
    return GraphState(GRAPH, number, content.triples, content.sha256)


def test_replace_holds_exactly_what_was_written_last(store):
    assert held(store).number is None
    for number, written in ((3, TWO), (5, TEN), (6, TEN), (7, ONE)):
        store.replace(GRAPH, written, number=number)
        assert held(store) == state(number, written)


def test_replace_with_a_number_that_is_not_higher_changes_nothing(store):
    store.replace(GRAPH, TEN, number=5)
    for number in (5, 4):
        store.replace(GRAPH, ONE, number=number)
        assert held(store) == state(5, TEN)


def test_tombstone_outlives_late_writes(store):
    store.replace(GRAPH, TEN, number=5)
    store.replace(GRAPH, b"", number=6)
    store.replace(GRAPH, TEN, number=5)
    assert held(store) == state(6, b"")


def test_every_kind_of_term_comes_back(store):
    store.replace(GRAPH, AWKWARD, number=1)
    assert held(store) == state(1, AWKWARD)
    assert held(store).sha256 != canonical.content(AWKWARD.replace(b"colour", b"color")).sha256


def test_graphs_come_in_order_page_by_page(store, monkeypatch):
    monkeypatch.setattr(sparql, "GRAPHS_A_PAGE", 2)
    assert list(store.graphs()) == []
    names = sorted(uuid.uuid4().urn for _ in range(5))
    for number, name in enumerate(names):
        store.replace(name, TWO if number else b"", number=number + 1)
    found = list(store.graphs())
    assert [each.graph for each in found] == names
    assert [(each.number, each.triples) for each in found] == [(1, 0), (2, 2), (3, 2), (4, 2), (5, 2)]


def test_drop_takes_one_graph_and_is_done_again(store):
    store.replace(GRAPH, ONE, number=1)
    store.replace(OTHER, TWO, number=1)
    store.drop(GRAPH)
    store.drop(GRAPH)
    assert [each.graph for each in store.graphs()] == [OTHER]
    store.ask()


def test_what_is_malformed_is_refused(store):
    with pytest.raises(StoreRefused, match="store_refuses"):
        store._update("INSERT DATA { this is not SPARQL")


def test_large_graph(store):
    many = triples(*map(str, range(3000)))
    store.replace(GRAPH, many, number=1)
    store.replace(GRAPH, many, number=2)
    assert held(store) == state(2, many)


def test_two_numbers_in_one_graph_count_as_a_triple_too_many(oxigraph):
    """What two writers at once leave behind."""
    store = choosing.store()
    store.replace(GRAPH, TEN, number=5)
    oxigraph.run(f"INSERT DATA {{ GRAPH <{GRAPH}> {{ <{GRAPH}> <{WRITE_NUMBER}> 4 }} }}")
    assert held(store).number == 5
    assert held(store).triples == 11


@pytest.mark.parametrize(
    ("fault", "looking", "writing"),
    [
        (says(400), StoreRefused, StoreRefused),
        (says(401), StoreRefused, StoreRefused),
        (says(403), StoreRefused, StoreRefused),
        (says(404), StoreRefused, StoreRefused),
        (says(307, Location="/elsewhere"), StoreRefused, StoreRefused),
        (says(429), StoreUnavailable, StoreUnavailable),
        (says(500), StoreUnavailable, StoreUnavailable),
        (says(503), StoreUnavailable, StoreUnavailable),
        (says(502), StoreUnavailable, OutcomeUnknown),
        (says(504), StoreUnavailable, OutcomeUnknown),
        (cut, StoreUnavailable, OutcomeUnknown),
    ],
)
def test_each_answer_means_one_outcome(way, fault, looking, writing):
    store = impatient(way.url)
    way.faults = [fault, fault]
    with pytest.raises(looking):
        store.look(GRAPH)
    with pytest.raises(writing):
        store.replace(GRAPH, ONE, number=1)


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_any_answer_of_success_is_one(way, status):
    way.faults = [says(status)]
    impatient(way.url).replace(GRAPH, ONE, number=1)


def test_answers_that_make_no_sense_are_not_understood(way):
    store = impatient(way.url)
    way.faults = [says(200)] * 2
    for hashed in (False, True):
        with pytest.raises(StoreUnavailable, match="store_not_understood"):
            store.look(GRAPH, hashed=hashed)


def test_refused_connection_is_surely_not_written(oxigraph):
    with way_to(oxigraph.url) as gone:
        url = gone.url
    with pytest.raises(StoreUnavailable, match="store_unreachable"):
        impatient(url).replace(GRAPH, ONE, number=1)


def test_late_write_changes_nothing(way, oxigraph):
    """The client gave up, wrote anew with a higher number, and only then the first call arrived."""
    answer_now = threading.Event()
    way.faults = [silent_until(answer_now, then=late)]
    with pytest.raises(OutcomeUnknown, match="store_outcome_unknown"):
        impatient(way.url).replace(GRAPH, TEN, number=1)
    store = choosing.store()
    store.replace(GRAPH, TWO, number=2)

    answer_now.set()

    assert way.arrived.wait(10)
    assert held(store) == state(2, TWO)


def test_credentials_are_sent(way, settings):
    settings.TRIPLESTORE_URL = f"{way.url}/query"
    settings.TRIPLESTORE_UPDATE_URL = f"{way.url}/update"
    settings.TRIPLESTORE_USER, settings.TRIPLESTORE_PASSWORD = "waybill", "s:ecret"
    choosing.store().ask()
    settings.TRIPLESTORE_TOKEN = "a-token"
    choosing.store().replace(GRAPH, ONE, number=1)
    assert [headers["Authorization"] for *_, headers in way.asked] == [
        "Basic d2F5YmlsbDpzOmVjcmV0",
        "Bearer a-token",
    ]


def test_only_the_store_may_be_called_where_it_is(oxigraph):
    with pytest.raises(PermanentFailure, match="outbound_address_refused"):
        outbound.fetch(outbound.Call("GET", oxigraph.url))


def test_choosing_by_the_settings(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    settings.TRIPLESTORE_URL = settings.TRIPLESTORE_UPDATE_URL = ""
    with pytest.raises(StoreUnavailable):
        choosing.store()
    choosing.note().write_text("http://127.0.0.1:7878\n")
    assert choosing.store().update_url == "http://127.0.0.1:7878/update"
    settings.TRIPLESTORE_URL = "https://example.org/rdf4j-server/repositories/waybill/"
    chosen = choosing.store()
    assert isinstance(chosen, Rdf4jStore)
    assert chosen.query_url == "https://example.org/rdf4j-server/repositories/waybill"
    assert chosen.update_url == "https://example.org/rdf4j-server/repositories/waybill/statements?timeout=25"
    settings.TRIPLESTORE_UPDATE_URL = "https://example.org/update"
    assert (choosing.store().query_url, choosing.store().update_url) == (
        settings.TRIPLESTORE_URL,
        "https://example.org/update",
    )
