"""From the description of an entry to its graph, as the bytes that are kept, published and compared."""

import hashlib
from dataclasses import dataclass

from rdflib import Graph

from publishing.describing import Description
from publishing.rendering.canonical import sorted_triples
from publishing.rendering.graphs import entry_graph
from publishing.rendering.serialising import turtle_of

__all__ = ["Rendered", "render"]


@dataclass(frozen=True)
class Rendered:
    """`triples` are sorted N-Triples without blank nodes, so equal graphs are equal bytes; `sha256` is of
    them, in lower-case hex. `graph` is for reading only.
    """

    turtle: bytes
    triples: bytes
    sha256: str
    graph: Graph


def render(description: Description) -> Rendered:
    graph = entry_graph(description)
    triples = sorted_triples(graph)
    return Rendered(turtle_of(graph), triples, hashlib.sha256(triples).hexdigest(), graph)
