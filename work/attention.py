"""What needs a person: kinds that apps register, one list over all of them, and "I am on this" claims.

A case is derived from rows whenever it is read, never stored: when its cause is gone, so is the case.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from work import outbox
from work.failures import StateChanged
from work.models import CaseClaim

CLAIM_SECONDS = 15 * 60
COUNTED_AT_MOST = 100
"""A badge says "100" for anything above: nobody needs the exact number, and the count stays cheap."""


@dataclass(frozen=True)
class Case:
    """One thing that waits for a person: the question, the evidence, and where it is decided.

    `evidence` is pairs of a label and a value for people. `key` is unique in its kind and stable while the
    case lasts. `claim` is filled in by `cases`.
    """

    key: str
    kind: str
    title: str
    url: str
    question: str
    since: dt.datetime
    action: str
    action_url: str
    organisation: Any = None
    evidence: Sequence[tuple[str, Any]] = field(default_factory=tuple)
    claim: CaseClaim | None = None

    @property
    def id(self) -> str:
        """What a claim is on."""
        return f"{self.kind}:{self.key}"


@dataclass(frozen=True)
class AttentionKind:
    """`query(principal)` gives what that person may see and decide, as a queryset or a short list.

    A queryset is ordered by `since`, the name of its column; a list comes oldest first. `case(row)` makes
    the case. For no principal the query gives everything: so the installation counts for itself.
    """

    name: str
    title: str
    query: Callable[[Any], "QuerySet[Any] | Sequence[Any]"]
    case: Callable[[Any], Case]
    since: str = "asked_at"


@dataclass(frozen=True)
class Looked:
    """The oldest cases, and how many there are of each kind, each counted up to 100."""

    cases: list[Case]
    counts: dict[str, int]

    @property
    def total(self) -> int:
        return min(COUNTED_AT_MOST, sum(self.counts.values()))


_registered: dict[str, AttentionKind] = {}


def register(kind: AttentionKind) -> None:
    if kind.name in _registered:
        raise ValueError(f"attention kind {kind.name} is registered already")
    _registered[kind.name] = kind


def kinds() -> list[AttentionKind]:
    return list(_registered.values())


def cases(principal: Any, *, kind: str = "", organisation: Any = None, limit: int = 50) -> list[Case]:
    """The oldest cases first, over all kinds or one of them, with who is on each."""
    found: list[Case] = []
    for each in kinds():
        if not kind or each.name == kind:
            among = None if organisation is not None else limit
            found += [each.case(row) for row in _oldest(each, each.query(principal), among)]
    return _first(found, organisation, limit)


def look(principal: Any, *, kind: str = "", organisation: Any = None, limit: int = 50) -> Looked:
    """`cases` and `counts` at once: of a kind of which there are fewer than the limit, the cases that are
    read are the count."""
    found: list[Case] = []
    counts: dict[str, int] = {}
    among = None if organisation is not None else limit
    for each in kinds():
        rows = each.query(principal)
        if kind and each.name != kind:
            counts[each.name] = _count(rows)
            continue
        oldest = list(_oldest(each, rows, among))
        found += [each.case(row) for row in oldest]
        is_all = among is None or len(oldest) < among
        counts[each.name] = min(COUNTED_AT_MOST, len(oldest)) if is_all else _count(rows)
    return Looked(_first(found, organisation, limit), counts)


def counts(principal: Any) -> dict[str, int]:
    """How many cases of each kind, each counted up to 100: a small query per kind, by what asks."""
    return {kind.name: _count(kind.query(principal)) for kind in kinds()}


def count(principal: Any) -> int:
    """For the rail's badge: up to 100 over all kinds."""
    return min(COUNTED_AT_MOST, sum(counts(principal).values()))


def claim(case_id: str, *, by: Any) -> CaseClaim:
    """Say "I am on this" for a quarter of an hour; again by the same person renews it. `by` is a person.

    Raises StateChanged with the name of whoever is on it already.
    """
    person, until = getattr(by, "user", by), outbox.seconds_from_now(CLAIM_SECONDS)
    free = Q(until__lt=Now()) | Q(by=person)
    taken = CaseClaim.objects.filter(free, case=case_id).update(by=person, claimed_at=Now(), until=until)
    if not taken:
        try:
            with transaction.atomic():
                CaseClaim.objects.create(case=case_id, by=person, until=until)
        except IntegrityError:
            holder = CaseClaim.objects.filter(case=case_id).select_related("by").first()
            raise StateChanged(str(holder.by) if holder else None) from None
    return CaseClaim.objects.select_related("by").get(case=case_id)


def leave(case_id: str, *, by: Any) -> None:
    """Give one's own claim back. Harmless when it has expired or is another's."""
    CaseClaim.objects.filter(case=case_id, by=getattr(by, "user", by)).delete()


def _first(found: list[Case], organisation: Any, limit: int) -> list[Case]:
    if organisation is not None:
        found = [case for case in found if _is_of(case, organisation)]
    return _with_claims(sorted(found, key=lambda case: (case.since, case.id))[:limit])


def _oldest(kind: AttentionKind, rows: "QuerySet[Any] | Sequence[Any]", limit: int | None) -> Iterable[Any]:
    if isinstance(rows, QuerySet):
        rows = rows.order_by(kind.since, "pk")
    return rows[:limit]


def _count(rows: "QuerySet[Any] | Sequence[Any]") -> int:
    if isinstance(rows, QuerySet):
        return rows.order_by()[:COUNTED_AT_MOST].count()
    return min(COUNTED_AT_MOST, len(rows))


def _is_of(case: Case, organisation: Any) -> bool:
    return case.organisation is not None and case.organisation.pk == getattr(organisation, "pk", organisation)


def _with_claims(found: Sequence[Case]) -> list[Case]:
    live = CaseClaim.objects.filter(case__in=[case.id for case in found], until__gt=Now()).select_related(
        "by"
    )
    claims = {claim.case: claim for claim in live}
    return [replace(case, claim=claims.get(case.id)) for case in found]
