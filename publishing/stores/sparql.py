"""Any server of the SPARQL 1.1 Protocol, by its query and its update address.

Every outcome of a call is one of four: done, not done, never to be done, unknown.
"""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import pyoxigraph

from publishing.stores import canonical
from publishing.stores.protocol import (
    WRITE_NUMBER,
    GraphState,
    OutcomeUnknown,
    StoreRefused,
    StoreUnavailable,
)
from work import outbound
from work.failures import NotSent, PermanentFailure, TemporaryFailure
from work.outbound import Answer, Call, Rules

QUERY_SECONDS = 15.0
UPDATE_SECONDS = 30.0
LARGEST_ANSWER = 64 << 20
GRAPHS_A_PAGE = 500

UNREACHABLE = "store_unreachable"
FAILING = "store_failing"
OVERLOADED = "store_overloaded"
NOT_UNDERSTOOD = "store_not_understood"
REFUSES_US = "store_refuses_us"
REFUSES = "store_refuses"
OUTCOME_UNKNOWN = "store_outcome_unknown"

# The old triples come before the new ones: servers that delete and insert row by row then keep what stands in
# both. The new ones are rows too, not a template, which would be inserted once for every old triple.
REPLACE = """DELETE {{ GRAPH {graph} {{ ?s ?p ?o }} }}
INSERT {{ GRAPH {graph} {{ ?a ?b ?c }} }}
WHERE {{
  {{ GRAPH {graph} {{ ?s ?p ?o }} }}
  UNION
  {{ VALUES (?a ?b ?c) {{
{rows}
  }} }}
  FILTER NOT EXISTS {{ GRAPH {graph} {{ {graph} {write_number} ?stored FILTER(?stored >= {number}) }} }}
}}"""
LOOK = """SELECT ?number ?triples WHERE {{
  {{ SELECT (MAX(?n) AS ?number) WHERE {{ GRAPH {graph} {{ {graph} {write_number} ?n }} }} }}
  {{ SELECT (COUNT(*) AS ?triples) WHERE {{ GRAPH {graph} {{ ?s ?p ?o }} }} }}
}}"""
READ = "CONSTRUCT {{ ?s ?p ?o }} WHERE {{ GRAPH {graph} {{ ?s ?p ?o }} }}"
GRAPHS = """SELECT ?g (MAX(?n) AS ?number) (COUNT(*) AS ?triples) WHERE {{
  {{ SELECT ?g (MAX(?m) AS ?n) WHERE {{ GRAPH ?g {{ ?g {write_number} ?m }} FILTER(STR(?g) > {after}) }}
     GROUP BY ?g ORDER BY STR(?g) LIMIT {limit} }}
  GRAPH ?g {{ ?s ?p ?o }}
}} GROUP BY ?g ORDER BY STR(?g)"""
NUMBER = f"<{WRITE_NUMBER}>"


@dataclass(frozen=True)
class Access:
    """By bearer token, else by name and password, else open to all who reach it."""

    username: str = ""
    password: str = ""
    token: str = ""

    def headers(self) -> dict[str, str]:
        if self.token:
            return {"Authorization": f"Bearer {self.token}"}
        if self.username:
            given = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            return {"Authorization": f"Basic {given}"}
        return {}


class SparqlStore:
    """Its own addresses come from the settings and may be called although they are not public; nobody else's
    calls may go there.
    """

    def __init__(
        self,
        query_url: str,
        update_url: str,
        *,
        access: Access | None = None,
        query_seconds: float = QUERY_SECONDS,
        update_seconds: float = UPDATE_SECONDS,
    ) -> None:
        self.query_url, self.update_url = query_url, update_url
        self.headers = (access or Access()).headers()
        self.query_seconds, self.update_seconds = query_seconds, update_seconds
        self.allow = tuple(_host(url) for url in (query_url, update_url))

    def replace(self, graph: str, triples: bytes, *, number: int) -> None:
        name = iri(graph)
        rows = [
            f"({each.subject} {each.predicate} {canonical.in_sparql(each.object)})"
            for each in canonical.parsed(triples)
        ]
        rows.append(f"({name} {NUMBER} {number})")
        self._update(REPLACE.format(graph=name, write_number=NUMBER, number=number, rows="\n".join(rows)))

    def look(self, graph: str, *, hashed: bool = False) -> GraphState:
        name = iri(graph)
        if hashed:
            return _state(graph, self._read(name))
        [row] = self._rows(LOOK.format(graph=name, write_number=NUMBER))
        return _counted(graph, row)

    def graphs(self) -> Iterator[GraphState]:
        after = ""
        while True:
            query = GRAPHS.format(
                write_number=NUMBER, after=str(pyoxigraph.Literal(after)), limit=GRAPHS_A_PAGE
            )
            # without any graph, some servers answer with one empty row
            page = [_counted(row["g"], row) for row in self._rows(query) if "g" in row]
            yield from page
            if len(page) < GRAPHS_A_PAGE:
                return
            after = page[-1].graph

    def drop(self, graph: str) -> None:
        self._update(f"DROP SILENT GRAPH {iri(graph)}")

    def ask(self) -> None:
        self._query("ASK {}", "application/sparql-results+json", seconds=min(self.query_seconds, 2.0))

    def _read(self, name: str) -> list[pyoxigraph.Triple]:
        answer = self._query(READ.format(graph=name), "application/n-triples")
        try:
            return canonical.parsed(answer.body)
        except (SyntaxError, ValueError) as error:
            raise StoreUnavailable(NOT_UNDERSTOOD, status=answer.status) from error

    def _rows(self, query: str) -> list[dict[str, str]]:
        answer = self._query(query, "application/sparql-results+json")
        try:
            bindings = json.loads(answer.body)["results"]["bindings"]
            return [{name: term["value"] for name, term in row.items()} for row in bindings]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreUnavailable(NOT_UNDERSTOOD, status=answer.status) from error

    def _query(self, query: str, accept: str, *, seconds: float | None = None) -> Answer:
        call = self._call(self.query_url, "application/sparql-query", query, accept)
        try:
            answer = outbound.fetch(call, self._rules(seconds or self.query_seconds))
        except TemporaryFailure as failure:
            raise StoreUnavailable(UNREACHABLE, **failure.detail, said=failure.code) from failure
        except PermanentFailure as failure:
            raise StoreRefused(failure.code, **failure.detail) from failure
        _judge_query(answer)
        return answer

    def _update(self, update: str) -> None:
        self._write(self._call(self.update_url, "application/sparql-update", update, "*/*"))

    def _write(self, call: Call, *, gone_is_done: bool = False) -> None:
        """Also for whatever other call changes something."""
        try:
            answer = outbound.fetch(call, self._rules(self.update_seconds))
        except NotSent as failure:
            raise StoreUnavailable(UNREACHABLE, **failure.detail, said=failure.code) from failure
        except TemporaryFailure as failure:
            raise OutcomeUnknown(OUTCOME_UNKNOWN, **failure.detail, said=failure.code) from failure
        except PermanentFailure as failure:
            raise StoreRefused(failure.code, **failure.detail) from failure
        if not (gone_is_done and answer.status == 404):
            _judge_update(answer)

    def _call(self, url: str, media_type: str, body: str, accept: str) -> Call:
        headers = {**self.headers, "Content-Type": f"{media_type}; charset=utf-8", "Accept": accept}
        return Call("POST", url, body.encode(), headers)

    def _rules(self, seconds: float) -> Rules:
        return Rules(seconds=seconds, limit_bytes=LARGEST_ANSWER, redirects=0, allow=self.allow)


def _judge_query(answer: Answer) -> None:
    _refuse_refused(answer)
    if answer.status >= 500:
        raise StoreUnavailable(FAILING, status=answer.status)


def _judge_update(answer: Answer) -> None:
    """A server's own errors undo what the update did. A gateway before it knows nothing of that."""
    _refuse_refused(answer)
    if answer.status in (500, 501, 503, 507):
        raise StoreUnavailable(FAILING, status=answer.status)
    if answer.status > 500:
        raise OutcomeUnknown(OUTCOME_UNKNOWN, status=answer.status)


def _refuse_refused(answer: Answer) -> None:
    """A redirect is one of them: followed, an update could become a mere look at another page."""
    if answer.status in (401, 403):
        raise StoreRefused(REFUSES_US, status=answer.status)
    if answer.status in (408, 425, 429):
        raise StoreUnavailable(OVERLOADED, status=answer.status)
    if not 200 <= answer.status < 300 and answer.status < 500:
        raise StoreRefused(REFUSES, status=answer.status, said=_said(answer))


def _said(answer: Answer) -> str:
    return answer.body[:200].decode(errors="replace")


def _counted(graph: str, row: Mapping[str, str]) -> GraphState:
    """A second number, which only mixed writers leave behind, counts as a triple too many."""
    try:
        number = int(row["number"]) if "number" in row else None
        triples = int(row["triples"])
    except (KeyError, ValueError) as error:
        raise StoreUnavailable(NOT_UNDERSTOOD, graph=graph) from error
    return GraphState(graph, number, triples - (number is not None))


def _state(graph: str, found: Sequence[pyoxigraph.Triple]) -> GraphState:
    def is_number(each: pyoxigraph.Triple) -> bool:
        return each.predicate.value == WRITE_NUMBER and each.subject == pyoxigraph.NamedNode(graph)

    try:
        numbers = sorted((each for each in found if is_number(each)), key=_number)
        number = _number(numbers[-1]) if numbers else None
    except ValueError as error:
        raise StoreUnavailable(NOT_UNDERSTOOD, graph=graph) from error
    content = canonical.content_of([each for each in found if not is_number(each)] + numbers[:-1])
    return GraphState(graph, number, content.triples, content.sha256)


def _number(triple: pyoxigraph.Triple) -> int:
    return int(str(getattr(triple.object, "value", "")))


def iri(graph: str) -> str:
    return str(pyoxigraph.NamedNode(graph))


def _host(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
