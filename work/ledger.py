"""The ledger of today: what was accepted, and where every piece of it stands. Its columns always add up.

Finished rows are counted by their state, unfinished ones by what they wait for, which the second law makes
exactly one of running, waiting and for a person.
"""

import datetime as dt
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import TruncHour
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from work import pipelines
from work.identifiers import first_uuid7
from work.invariants import Breach, Invariant

FINISHED, PARTLY, FAILED, CANCELLED = "finished", "partly", "failed", "cancelled"
RUNNING, WAITING, FOR_A_PERSON = "running", "waiting", "for_a_person"
ENDED = (FINISHED, PARTLY, FAILED, CANCELLED)
COLUMNS = (*ENDED, RUNNING, WAITING, FOR_A_PERSON)
HOURS = 24
# Said by what each waits for, since these have small indexes and "not finished" has none.
UNFINISHED = Q(lease_token__isnull=False) | Q(due_at__isnull=False) | Q(asked_at__isnull=False)
CLOCK_TOLERANCE = dt.timedelta(hours=2)  # ids carry the clock of the machine that made them


@dataclass(frozen=True)
class LedgerLine:
    """`columns` says under which of finished, partly, failed and cancelled each terminal state is counted."""

    pipeline: str
    title: str
    url_name: str
    columns: Mapping[str, str]
    visible_to: Callable[[Any], bool] = lambda principal: True
    order: int = 100

    @property
    def url(self) -> str:
        try:
            return reverse(self.url_name)
        except NoReverseMatch:
            return ""


@dataclass(frozen=True)
class LedgerRow:
    """`counts` holds every column that the line can have; `carried` are unfinished rows of earlier days."""

    line: LedgerLine
    accepted: int
    counts: Mapping[str, int]
    carried: int
    oldest: dt.datetime | None
    hours: list[int]

    @property
    def cells(self) -> list[int | None]:
        """In the order of COLUMNS; None where the pipeline has no such ending."""
        return [self.counts.get(column) for column in COLUMNS]


_lines: dict[str, LedgerLine] = {}


def register(line: LedgerLine) -> None:
    if line.pipeline in _lines:
        raise ValueError(f"the ledger has a line for {line.pipeline} already")
    _lines[line.pipeline] = line


def lines() -> list[LedgerLine]:
    return sorted(_lines.values(), key=lambda line: (line.order, line.title))


def read(principal: Any, *, organisation: Any = None) -> list[LedgerRow]:
    """One row per pipeline the person may see, since the midnight of their zone."""
    since = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    return [
        read_line(line, visible(line, principal, organisation), since)
        for line in lines()
        if line.visible_to(principal)
    ]


def read_line(line: LedgerLine, rows: QuerySet[Any], since: dt.datetime) -> LedgerRow:
    today = accepted_since(rows, since)
    counted = today.aggregate(
        accepted=Count("pk"), **{name: Count("pk", filter=q) for name, q in wheres(line)}
    )
    unfinished = rows.filter(UNFINISHED).aggregate(
        oldest=Min("accepted_at"), carried=Count("pk", filter=Q(accepted_at__lt=since))
    )
    return LedgerRow(
        line=line,
        accepted=counted.pop("accepted"),
        counts=counted,
        carried=unfinished["carried"],
        oldest=unfinished["oldest"],
        hours=accepted_per_hour(rows),
    )


def visible(line: LedgerLine, principal: Any, organisation: Any = None) -> QuerySet[Any]:
    rows = pipelines.get(line.pipeline).rows
    if not any(field.name == "organisation" for field in rows.model._meta.get_fields()):
        return rows if principal.is_operator and organisation is None else rows.none()
    rows = principal.sees(rows)
    return rows.filter(organisation=organisation) if organisation else rows


def wheres(line: LedgerLine) -> list[tuple[str, Q]]:
    """Each column as a condition; between them they hold every row exactly once."""
    ended = [
        (column, Q(state__in=[state for state, under in line.columns.items() if under == column]))
        for column in ENDED
        if column in line.columns.values()
    ]
    return [
        *ended,
        (RUNNING, Q(lease_token__isnull=False)),
        (WAITING, Q(due_at__isnull=False)),
        (FOR_A_PERSON, Q(asked_at__isnull=False)),
    ]


def accepted_since(rows: QuerySet[Any], since: dt.datetime) -> QuerySet[Any]:
    """By the primary key's time first, so that a table of millions is read by its index."""
    return rows.filter(pk__gte=lowest_id(since), accepted_at__gte=since)


def accepted_per_hour(rows: QuerySet[Any]) -> list[int]:
    """The last 24 hours, oldest first; the hour in progress is the last."""
    this_hour = timezone.now().astimezone(dt.UTC).replace(minute=0, second=0, microsecond=0)
    first = this_hour - dt.timedelta(hours=HOURS - 1)
    counted = dict(
        accepted_since(rows, first)
        .order_by()
        .values_list(TruncHour("accepted_at", tzinfo=dt.UTC))
        .annotate(number=Count("pk"))
    )
    return [counted.get(first + dt.timedelta(hours=hour), 0) for hour in range(HOURS)]


def lowest_id(since: dt.datetime) -> uuid.UUID:
    return first_uuid7(since - CLOCK_TOLERANCE)


def check(deep: bool) -> list[Breach]:
    """Every terminal state stands under one column, and the columns add up to what was accepted."""
    since = timezone.now() - dt.timedelta(hours=HOURS)
    return [breach for line in lines() for breach in (*_states_of(line), *_sum_of(line, since, deep))]


def _states_of(line: LedgerLine) -> list[Breach]:
    missing = sorted(set(map(str, pipelines.get(line.pipeline).terminal)) - set(map(str, line.columns)))
    return [
        Breach(line.pipeline, f"the state {state} stands in no column of the ledger") for state in missing
    ]


def _sum_of(line: LedgerLine, since: dt.datetime, deep: bool) -> list[Breach]:
    every = pipelines.get(line.pipeline).rows
    rows: QuerySet[Any] = every if deep else accepted_since(every, since)
    counted = rows.aggregate(
        accepted=Count("pk"), **{name: Count("pk", filter=q) for name, q in wheres(line)}
    )
    accepted, total = counted.pop("accepted"), sum(counted.values())
    if accepted == total:
        return []
    return [
        Breach(line.pipeline, f"{accepted} were accepted, but the columns of the ledger add up to {total}")
    ]


INVARIANT = Invariant("ledger_adds_up", "The columns of the ledger add up to what was accepted", check)
