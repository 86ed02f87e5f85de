"""What must always hold: checks that apps register, run together in one snapshot of the database.

They are the oracle of every crash test and a page for operators. A check reads; it never mends.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog
from django.db import connection, transaction
from django.db.models.functions import Now

from work import outbox
from work.models import CheckState, InvariantRun

log = structlog.get_logger(__name__)

SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
SECOND_LOOK_AFTER = 5.0
KEPT = 50


@dataclass(frozen=True)
class Breach:
    """One thing that is not as it must be. `subject` is what to look for (an id, a name)."""

    subject: str
    sentence: str


@dataclass(frozen=True)
class Invariant:
    """`check(deep)` returns what it found wrong; quick checks answer within a second on a large database.

    A check that `looks_outside` the database (at stored files, say) is run again after a few seconds when it
    found something, and only what it finds twice counts: the snapshot and the outside are not of one moment.
    """

    name: str
    title: str
    check: Callable[[bool], Sequence[Breach]]
    looks_outside: bool = False


@dataclass(frozen=True)
class Finding:
    """What one check found: up to 50 breaches, and how many there are."""

    name: str
    title: str
    seconds: float
    count: int = 0
    breaches: Sequence[Breach] = field(default_factory=tuple)


@dataclass(frozen=True)
class Result:
    findings: Sequence[Finding]
    is_deep: bool

    @property
    def broken(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.count]


_registered: dict[str, Invariant] = {}


def register(invariant: Invariant) -> None:
    if invariant.name in _registered:
        raise ValueError(f"invariant {invariant.name} is registered already")
    _registered[invariant.name] = invariant


def every() -> list[Invariant]:
    return list(_registered.values())


def run(*, deep: bool = False, on_each: Callable[[int, int], None] | None = None) -> Result:
    """Run every check in one read-only snapshot. `on_each(done, total)` is told after each of them."""
    findings = []
    with _snapshot():
        for number, invariant in enumerate(every(), start=1):
            findings.append(_look(invariant, deep))
            if on_each is not None:
                on_each(number, len(_registered))
    return Result(findings, deep)


def run_and_keep(*, by: Any = "") -> InvariantRun:
    """A quick run, kept for the page and for attention."""
    return keep(run(), by=by)


def keep(result: Result, *, by: Any = "") -> InvariantRun:
    """Store what a run found; an event tells of each invariant that held before and is broken now."""
    with transaction.atomic():
        tell_of_new_breaches(result)
        return InvariantRun.objects.create(
            state=CheckState.CHECKED,
            due_at=None,
            started_at=Now(),
            finished_at=Now(),
            requested_by_label=str(by)[:200],
            **columns(result),
        )


def columns(result: Result) -> dict[str, Any]:
    """The columns of a run that hold its result."""
    return {
        "is_deep": result.is_deep,
        "findings": [asdict(finding) for finding in result.findings],
        "broken": len(result.broken),
    }


def tell_of_new_breaches(result: Result) -> None:
    """One event per invariant that the run before this one found whole. Joins the caller's transaction."""
    before = last(deep=result.is_deep)
    known = {finding["name"] for finding in before.findings if finding["count"]} if before else set()
    for finding in result.broken:
        if finding.name not in known:
            outbox.record(
                "invariant.broken",
                subject=finding.name,
                kind="invariant",
                label=finding.title,
                payload={"count": finding.count, "first": finding.breaches[0].sentence},
            )


def last(*, deep: bool | None = None) -> InvariantRun | None:
    """The newest finished run; of one kind when `deep` is given."""
    runs = InvariantRun.objects.filter(state=CheckState.CHECKED)
    if deep is not None:
        runs = runs.filter(is_deep=deep)
    return runs.order_by("-finished_at").first()


@contextmanager
def _snapshot() -> Iterator[None]:
    """One moment for all checks. Inside a caller's transaction that transaction is the snapshot."""
    joined = connection.in_atomic_block
    with transaction.atomic():
        if not joined:
            with connection.cursor() as cursor:
                cursor.execute(SNAPSHOT)
        yield


def _look(invariant: Invariant, deep: bool) -> Finding:
    started = time.monotonic()
    found = _check(invariant, deep)
    if found and invariant.looks_outside:
        time.sleep(SECOND_LOOK_AFTER)
        again = set(_check(invariant, deep))
        found = [breach for breach in found if breach in again]
    seconds = round(time.monotonic() - started, 3)
    return Finding(invariant.name, invariant.title, seconds, len(found), tuple(found[:KEPT]))


def _check(invariant: Invariant, deep: bool) -> list[Breach]:
    """A check that raises has proven nothing, which is a breach of its own; the others go on."""
    try:
        with transaction.atomic():
            return list(invariant.check(deep))
    except Exception as error:  # one broken check hides no other
        log.exception("invariant.not_checked", invariant=invariant.name)
        return [Breach(invariant.name, f"The check itself failed: {type(error).__name__}.")]
