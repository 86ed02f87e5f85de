"""Finding a thing by its id, file name, checksum or correlation id: apps register how theirs are found."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

AT_MOST = 20  # per kind: who gets more should type more
SHORTEST = 3


@dataclass(frozen=True)
class Hit:
    """`exact` says that the text is the thing's whole id or name, not a part of it."""

    kind: str
    label: str
    url: str
    note: str = ""
    exact: bool = False


Find = Callable[[Any, str], Iterable[Hit]]

_registered: dict[str, Find] = {}


def register(name: str, find: Find) -> None:
    """`find(principal, text)` gives what the principal may see, best first, at most AT_MOST."""
    _registered[name] = find


def hits(principal: Any, text: str) -> list[Hit]:
    """Exact hits first; when there is one, what only resembles it is left out."""
    text = text.strip().replace("\x00", "")
    if len(text) < SHORTEST:
        return []
    found = [hit for find in _registered.values() for hit in find(principal, text)]
    exact = {hit.url: hit for hit in found if hit.exact}
    return list(exact.values()) or list({hit.url: hit for hit in found}.values())


def as_uuid(text: str) -> UUID | None:
    """The text as an id, or None: a filter by anything else would be an error of the database."""
    try:
        return UUID(text)
    except ValueError:
        return None
