"""The serialisations in which the public reads a graph. None ever fetches anything: the context of JSON-LD
is embedded.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rdflib import Graph

from publishing.rendering.canonical import graph_of
from publishing.rendering.names import PREFIXES


@dataclass(frozen=True)
class Serialisation:
    """`suffix` stands behind an address; `media_type` goes without parameters."""

    name: str
    title: str
    suffix: str
    media_type: str


SERIALISATIONS = {
    each.name: each
    for each in (
        Serialisation("turtle", "Turtle", "ttl", "text/turtle"),
        Serialisation("jsonld", "JSON-LD", "jsonld", "application/ld+json"),
        Serialisation("rdfxml", "RDF/XML", "rdf", "application/rdf+xml"),
        Serialisation("ntriples", "N-Triples", "nt", "application/n-triples"),
    )
}
CONTEXT = {prefix: str(namespace) for prefix, namespace in PREFIXES.items()}


def serialise(triples: bytes, name: str) -> bytes:
    """N-Triples (of one entry, or of several) in the serialisation of this name, in UTF-8. The same bytes for
    the same graph. Raises KeyError for a name that there is not, SyntaxError.
    """
    if SERIALISATIONS[name].name == "ntriples":
        return triples
    return _written(graph_of(triples), name)


def turtle_of(graph: Graph) -> bytes:
    """Of a graph filled in canonical order."""
    return _written(graph, "turtle")


def _written(graph: Graph, name: str) -> bytes:
    if name == "jsonld":
        return graph.serialize(
            format="json-ld", context=CONTEXT, auto_compact=False, indent=2, sort_keys=True, encoding="utf-8"
        )
    return graph.serialize(format={"turtle": "turtle", "rdfxml": "xml"}[name], encoding="utf-8")


def media_types() -> Iterator[tuple[str, str]]:
    """Media type and name of each serialisation, the preferred first."""
    for each in SERIALISATIONS.values():
        yield each.media_type, each.name
