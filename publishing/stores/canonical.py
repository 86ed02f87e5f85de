"""What of a graph may be compared with what a store says of it: stores rewrite literals.

Oxigraph makes an integer of a nonNegativeInteger, `Z` of `+00:00`, `1` of `1.0`; others keep what was
written. So both sides go through the same rewriting, that of pyoxigraph's own store, and are compared then.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

import pyoxigraph

# A backslash and what it escapes; the pair of backslashes before a `u` apart.
ESCAPES = re.compile(r"(\\\\)([uU])|\\.")
U_SPELT = {"u": r"\u0075", "U": r"\u0055"}


@dataclass(frozen=True)
class Content:
    """How many different triples, and the hash of their canonical form in lower-case hex."""

    triples: int
    sha256: str


def parsed(triples: bytes) -> list[pyoxigraph.Triple]:
    """The different triples of N-Triples without blank nodes, in order. Raises SyntaxError, ValueError."""
    found = pyoxigraph.parse(triples, pyoxigraph.RdfFormat.N_TRIPLES)
    return list(dict.fromkeys(_named(each.triple) for each in found))


def content(triples: bytes) -> Content:
    return content_of(parsed(triples))


def content_of(triples: Iterable[pyoxigraph.Triple]) -> Content:
    given = list(triples)
    store = pyoxigraph.Store()
    store.extend(pyoxigraph.Quad(each.subject, each.predicate, each.object) for each in given)
    lines = sorted(f"{each.triple} .\n".encode() for each in store)
    return Content(len(given), hashlib.sha256(b"".join(lines)).hexdigest())


def in_sparql(term: object) -> str:
    """A term as it stands in SPARQL, where `\\u` is looked for before anything else, even after a backslash:
    what somebody typed as backslash, u, 0022 must not become a quote.
    """
    return ESCAPES.sub(lambda found: found[1] + U_SPELT[found[2]] if found[1] else found[0], str(term))


def _named(triple: pyoxigraph.Triple) -> pyoxigraph.Triple:
    if not isinstance(triple.subject, pyoxigraph.NamedNode) or not isinstance(
        triple.object, (pyoxigraph.NamedNode, pyoxigraph.Literal)
    ):
        raise ValueError(f"neither IRI nor literal in {triple}")
    return triple
