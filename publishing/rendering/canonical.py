"""Graphs without blank nodes as canonical N-Triples: one spelling per term, lines sorted by their bytes."""

import re
from collections.abc import Iterable

import pyoxigraph
from rdflib import Graph, Literal, URIRef
from rdflib.term import Node

from publishing.rendering.names import PREFIXES, XSD

ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
ESCAPED = re.compile(r'["\\\x00-\x1f\x7f]')
Triple = tuple[Node, Node, Node]


def sorted_triples(triples: Iterable[Triple]) -> bytes:
    lines = sorted(_line(triple) for triple in triples)
    return b"".join(lines)


def graph_of(triples: bytes) -> Graph:
    """The graph of N-Triples, each literal spelt as it is there, which rdflib's own parser would change.

    Raises SyntaxError.
    """
    parsed = pyoxigraph.parse(triples, pyoxigraph.RdfFormat.N_TRIPLES)
    return ordered_graph((_term(each.subject), _term(each.predicate), _term(each.object)) for each in parsed)


def ordered_graph(triples: Iterable[Triple]) -> Graph:
    """Filled in the order of the canonical lines, so that serialisers write the same for the same graph."""
    graph = Graph(bind_namespaces="none")
    for prefix, namespace in PREFIXES.items():
        graph.bind(prefix, namespace)
    for triple in sorted(triples, key=_line):
        graph.add(triple)
    return graph


def _line(triple: Triple) -> bytes:
    subject, predicate, object = triple
    return f"{_spelt(subject)} {_spelt(predicate)} {_spelt(object)} .\n".encode()


def _spelt(term: Node) -> str:
    if isinstance(term, URIRef):
        return f"<{term}>"
    if not isinstance(term, Literal):
        raise ValueError(f"neither IRI nor literal: {term!r}")
    quoted = f'"{ESCAPED.sub(_escape, str(term))}"'
    if term.language:
        return f"{quoted}@{term.language}"
    if term.datatype and term.datatype != XSD.string:
        return f"{quoted}^^<{term.datatype}>"
    return quoted


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return ESCAPES.get(character) or f"\\u{ord(character):04X}"


def _term(term: object) -> URIRef | Literal:
    if isinstance(term, pyoxigraph.NamedNode):
        return URIRef(term.value)
    if not isinstance(term, pyoxigraph.Literal):
        raise SyntaxError(f"neither IRI nor literal: {term}")
    if term.language:
        return Literal(term.value, lang=term.language)
    if term.datatype.value == str(XSD.string):
        return Literal(term.value)
    return Literal(term.value, datatype=URIRef(term.datatype.value), normalize=False)
