"""Consumers of events: each has its own deliveries, so that one which fails never delays another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from work.models import Event


@dataclass(frozen=True)
class Consumer:
    """`handle` runs in the transaction that finishes the deliveries, which makes a redelivery harmless.

    `types` are patterns such as `upload.*`. With `batch` above 1, `handle` gets up to so many events at
    once, and
    only one batch runs at a time. `handle` may raise TemporaryFailure or PermanentFailure (a dead letter).
    """

    name: str
    handle: Callable[[Sequence[Event]], None]
    types: tuple[str, ...] = ("*",)
    batch: int = 1

    def wants(self, event_type: str) -> bool:
        return any(fnmatchcase(event_type, pattern) for pattern in self.types)


_registered: dict[str, Consumer] = {}


def register(consumer: Consumer) -> None:
    if consumer.name in _registered:
        raise ValueError(f"consumer {consumer.name} is registered already")
    _registered[consumer.name] = consumer


def get(name: str) -> Consumer | None:
    return _registered.get(name)


def every() -> list[Consumer]:
    return list(_registered.values())


def of_type(event_type: str) -> list[Consumer]:
    return [consumer for consumer in _registered.values() if consumer.wants(event_type)]
