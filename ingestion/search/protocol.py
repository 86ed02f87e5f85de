"""What an index of records must be able to do, whatever holds it; `tests/contract` has a suite for it.

Writes come late, twice and in any order: every document carries a version, and only a higher one is
applied. A dataset has one live generation; a rebuild fills another beside it, and the swap makes that live.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Kind = Literal["text", "number", "date", "moment", "boolean"]
Operator = Literal["is", "from", "to"]
Status = Literal["applied", "older", "refused"]

LAST_VERSION = 2**63 - 1
"""Of the tombstone of a record that is gone for good: its id is never used again."""

_PRIME, _OF_IDS, _OF_VERSIONS = 2**31 - 1, 1_103_515_245, 69_069


@dataclass(frozen=True)
class Field:
    """A field by which records are filtered and sorted."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Document:
    """A record as it is to be found. Without `data` it is a tombstone: found no more, its version kept."""

    id: int
    version: int
    data: dict[str, Any] | None


@dataclass(frozen=True)
class Outcome:
    """`older`: a version at least as high was there, so nothing was to do. `reason` is a stable code."""

    id: int
    status: Status
    reason: str = ""


@dataclass(frozen=True)
class Condition:
    """`value` is in the form that `values.typed` gives for the field's kind."""

    field: str
    operator: Operator
    value: Any


@dataclass(frozen=True)
class Query:
    """`text` is as a person typed it; `sort` is a field, with `-` before it downwards, else the order of ids.
    Records without a value come last both ways.
    """

    text: str = ""
    conditions: Sequence[Condition] = ()
    sort: str = ""
    cursor: str = ""
    limit: int = 50
    count: bool = True


@dataclass(frozen=True)
class Hits:
    """Ids in their order. `total` counts up to a bound; `is_more` says that there are more than that."""

    ids: list[int]
    next_cursor: str | None = None
    previous_cursor: str | None = None
    total: int = 0
    is_more: bool = False


@dataclass(frozen=True)
class Digest:
    """Of the live documents, tombstones left out: equal digests are equal sets of (id, version)."""

    count: int
    sum: int


@dataclass(frozen=True)
class Generation:
    """One whole index of a dataset. `key` names it for the index that made it."""

    key: str
    dataset: Any
    fields: tuple[Field, ...] = field(default_factory=tuple)


class UnknownField(ValueError):
    """The live generation is not made for filtering and sorting by this field."""


class BadCursor(ValueError):
    """The cursor was not given for this order."""


class GenerationGone(LookupError):
    """It was swapped out or abandoned meanwhile."""


class SearchIndex(Protocol):
    """Every method may be repeated after a death in the middle of it. None is part of a caller's transaction:
    a caller must not count on its writes being undone.
    """

    def open(self, dataset: Any, fields: Sequence[Field]) -> Generation:
        """The live generation; an empty one is made where there is none."""
        ...

    def live(self, dataset: Any) -> Generation | None: ...

    def apply(self, dataset: Any, documents: Sequence[Document]) -> list[Outcome]:
        """Write to every generation of the dataset; one outcome per document, as the live one took it."""
        ...

    def settle(self, dataset: Any) -> None:
        """After many writes: whatever makes searches quick, or their hits visible."""
        ...

    def search(self, dataset: Any, query: Query) -> Hits:
        """Raises UnknownField and BadCursor; any text is a valid text."""
        ...

    def begin_rebuild(self, dataset: Any, fields: Sequence[Field]) -> Generation:
        """A generation that nobody searches yet, and that `apply` writes to from now on."""
        ...

    def rebuilds(self) -> list[Generation]:
        """Those that are begun, and neither swapped in nor abandoned."""
        ...

    def fill(self, generation: str, documents: Sequence[Document]) -> list[Outcome]:
        """Raises GenerationGone."""
        ...

    def swap(self, generation: str) -> None:
        """Make it the live one, at once. Again changes nothing. Raises GenerationGone."""
        ...

    def abandon(self, generation: str) -> None:
        """Give up a rebuild. A live generation stays."""
        ...

    def remove_old(self) -> int:
        """Free what generations that were swapped out or abandoned hold; how many were removed."""
        ...

    def digest(self, dataset: Any, *, leaving_out: Collection[int] = ()) -> Digest: ...

    def versions(self, dataset: Any, *, after: int, limit: int) -> list[tuple[int, int]]:
        """Id and version of the live documents with ids above `after`, by id."""
        ...


def term(id: int, version: int) -> int:
    """What a document adds to the digest, in whole numbers below 2⁶³ that any store can calculate."""
    mixed = (id % _PRIME * _OF_IDS + version % _PRIME * _OF_VERSIONS) % _PRIME
    return mixed * mixed % _PRIME


def term_sql(*, id: str, version: str) -> str:
    mixed = f"mod(mod({id}, {_PRIME}) * {_OF_IDS} + mod({version}, {_PRIME}) * {_OF_VERSIONS}, {_PRIME})"
    return f"mod({mixed} * {mixed}, {_PRIME})"
