"""What every triple store does: replace a named graph whole, fenced by its write number, and read it back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from work.failures import PermanentFailure, TemporaryFailure

WRITE_NUMBER = "urn:waybill:writeNumber"


@dataclass(frozen=True)
class GraphState:
    """What a store holds under a graph's IRI: the write number (None where there is none), how many triples
    beside it, and the hash of those in canonical form (None unless it was asked for).
    """

    graph: str
    number: int | None
    triples: int
    sha256: str | None = None


class StoreUnavailable(TemporaryFailure):
    """The store could not be asked, or said that it did nothing: the write has surely not happened."""


class OutcomeUnknown(TemporaryFailure):
    """The write was sent and not answered: it may have happened, or still happen."""


class StoreRefused(PermanentFailure):
    """The store will not take the request, however often it is asked: malformed, or no right."""


class TripleStore(Protocol):
    """Every method raises StoreUnavailable, StoreRefused."""

    def replace(self, graph: str, triples: bytes, *, number: int) -> None:
        """Make the graph hold exactly these N-Triples and its write number, where the number it holds is
        lower; else change nothing. Without triples the number stays alone, as a tombstone that outlives
        late writes. One SPARQL update. Raises OutcomeUnknown.
        """

    def look(self, graph: str, *, hashed: bool = False) -> GraphState: ...

    def graphs(self) -> Iterator[GraphState]:
        """Every graph that has a write number, in the order of the IRIs."""

    def drop(self, graph: str) -> None:
        """Take away a graph that belongs to nothing we know."""

    def ask(self) -> None:
        """Whether the store answers."""
