"""Writing an entry's graph: one writer at a time, one update, a commit that says what the store must hold.

A writer holds the entry's row, by a token and until a time of the database's clock. Each hold has a write
number of its own, higher than all before, by which the store tells a late write. Whatever goes wrong after
the sending leaves `look_at` behind: reconciling then puts the store back to what PostgreSQL wants.
"""

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from django.db import DatabaseError, connection, transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Greatest, Now

from publishing import iris
from publishing.models import CatalogueWrite
from publishing.stores import canonical, choosing
from publishing.stores.protocol import OutcomeUnknown, StoreUnavailable
from work.failures import LeaseLost, Postponed

log = structlog.get_logger(__name__)

# From the sending on, longer than an update and the look after it may take.
HOLD = timedelta(seconds=60)
FIRST_LOOK = timedelta(minutes=1)
AGAIN_IN = timedelta(seconds=5)

DIFFERS = "store_write_differs"
HOLDS_NEWER = "store_holds_newer"

# What stood in the row before is read under its lock, so that it is what this hold took over.
TAKE = """
UPDATE publishing_cataloguewrite w SET number = w.number + 1, holder = %(token)s,
  held_until = clock_timestamp() + %(hold)s, look_at = coalesce(w.look_at, clock_timestamp() + %(look)s)
FROM (SELECT entry_id, look_at FROM publishing_cataloguewrite WHERE entry_id = %(entry)s FOR UPDATE) before
WHERE w.entry_id = before.entry_id AND (w.holder IS NULL OR w.held_until < clock_timestamp())
RETURNING w.number, before.look_at, w.wanted_sha256
"""


@dataclass
class Hold:
    """The right to write an entry's graph, with a number. `wanted_sha256` is of what the graph must hold by
    the last commit; `is_certain` says that the store does hold it, as far as we know: with equal hashes there
    is then nothing to send.
    """

    entry: uuid.UUID
    number: int
    wanted_sha256: str
    is_certain: bool
    look_at: Any = field(repr=False)
    token: uuid.UUID = field(default_factory=uuid.uuid4, repr=False)
    is_sent: bool = False
    is_unknown: bool = False

    @property
    def graph(self) -> str:
        return iris.graph(self.entry)


@contextmanager
def holding(entry: uuid.UUID) -> Iterator[Hold]:
    """Hold the entry against other writers, until the block ends or `settle` is committed. Not inside a
    transaction. Raises Postponed when another writer holds it.

    After a write of unknown outcome the hold stays until its time is over: the write may still be under way.
    """
    hold = _take(entry)
    try:
        yield hold
    finally:
        if not hold.is_unknown:
            _release(hold)


def send(hold: Hold, triples: bytes) -> None:
    """Replace the entry's graph by these N-Triples (none: it leaves the catalogue) in one update, and see
    that the store has them. Not inside a transaction. Raises LeaseLost when another writer took over,
    OutcomeUnknown, StoreUnavailable, StoreRefused.
    """
    content = canonical.content(triples)
    store = choosing.store()
    _prolong(hold)
    hold.is_sent = True
    try:
        store.replace(hold.graph, triples, number=hold.number)
        _compare(hold, content)
    except OutcomeUnknown:
        hold.is_unknown = True
        raise


def settle(hold: Hold, triples: bytes) -> None:
    """Say that these triples are what the graph must hold, inside the open transaction of the effect, and
    end the hold. Without a `send` before it the store is taken to hold them. Raises LeaseLost.

    There is nothing to look at afterwards, unless the outcome of an earlier write was unknown: that one may
    still land, so its looks begin anew.
    """
    written = {"written_number": hold.number, "compared_at": Now(), "last_code": ""} if hold.is_sent else {}
    settled = _held(hold).update(
        holder=None,
        held_until=None,
        wanted=triples,
        wanted_sha256=hashlib.sha256(triples).hexdigest() if triples else "",
        wanted_at=Now(),
        look_at=None if hold.is_certain else F("look_at"),
        looks=0,
        **written,
    )
    if not settled:
        raise LeaseLost("another writer took the entry's graph over", tried="say what the graph must hold")


def _take(entry: uuid.UUID) -> Hold:
    token = uuid.uuid4()
    given: dict[str, Any] = {"entry": entry, "token": token, "hold": HOLD, "look": FIRST_LOOK}
    for _ in range(2):
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            cursor.execute(TAKE, given)
            if row := cursor.fetchone():
                number, look_at, wanted_sha256 = row
                return Hold(entry, number, wanted_sha256, look_at is None, look_at, token)
            # The first write of this entry, or another writer's hold: the next try tells.
            CatalogueWrite.objects.bulk_create([CatalogueWrite(entry_id=entry)], ignore_conflicts=True)
    raise Postponed("another writer holds the entry's graph", AGAIN_IN)


def _release(hold: Hold) -> None:
    """Nothing is left to do after `settle`. Whatever keeps the database from it, a hold ends by itself."""
    try:
        with transaction.atomic():
            look_at = F("look_at") if hold.is_sent else Value(hold.look_at)
            _held(hold).update(holder=None, held_until=None, look_at=look_at)
    except DatabaseError:
        log.warning("catalogue.hold_not_released", entry=str(hold.entry), number=hold.number)


def _prolong(hold: Hold) -> None:
    """Committed before the sending, so that whoever finds this writer dead looks at the store."""
    with transaction.atomic(durable=True):
        prolonged = _held(hold).update(
            held_until=Now() + HOLD, look_at=Now() + FIRST_LOOK, looks=0, last_code=""
        )
    if not prolonged:
        raise LeaseLost("another writer took the entry's graph over", tried="write the entry's graph")


def _compare(hold: Hold, wanted: canonical.Content) -> None:
    """By number and count; by hash where a store counts otherwise, which rewrites one literal to another."""
    store = choosing.store()
    try:
        state = store.look(hold.graph)
        if state.number == hold.number and state.triples != wanted.triples:
            state = store.look(hold.graph, hashed=True)
    except StoreUnavailable as failure:
        raise OutcomeUnknown(failure.code, **failure.detail) from failure
    if state.number is not None and state.number > hold.number:
        outnumber(hold.entry, state.number)
        raise StoreUnavailable(HOLDS_NEWER, stored=state.number, number=hold.number)
    if state.number != hold.number or (state.sha256 or wanted.sha256) != wanted.sha256:
        raise OutcomeUnknown(DIFFERS, stored=state.triples, sent=wanted.triples)


def outnumber(entry: uuid.UUID, stored: int) -> None:
    """Let the next hold have a higher number than the store has: it may be ahead of a database that was
    restored from a backup.
    """
    CatalogueWrite.objects.filter(entry_id=entry).update(number=Greatest(F("number"), stored))


def _held(hold: Hold) -> QuerySet[CatalogueWrite]:
    return CatalogueWrite.objects.filter(entry_id=hold.entry, holder=hold.token)
