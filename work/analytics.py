"""Daily sums for the pages: apps register which figures an event adds, one consumer adds them up.

A day is one of UTC. Durations are kept as counts per length, so that the percentiles of any days and datasets
taken together can be read from them.
"""

import datetime as dt
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from django.db import connection
from django.db.models import QuerySet, Sum

from work.consumers import Consumer
from work.models import DailyFigure, Event

ADD = """
INSERT INTO work_dailyfigure (organisation_id, dataset, day, measure, key, value)
SELECT * FROM unnest(%s::uuid[], %s::text[], %s::date[], %s::text[], %s::text[], %s::bigint[])
ON CONFLICT (organisation_id, dataset, day, measure, key)
DO UPDATE SET value = work_dailyfigure.value + EXCLUDED.value
"""


@dataclass(frozen=True)
class Figure:
    """`value` is added to the day's sum of `measure` (by `key`, where it has several) of a dataset."""

    dataset: str
    measure: str
    key: str = ""
    value: int = 1


@dataclass(frozen=True)
class Figures:
    pattern: str
    of: Callable[[Event], Iterable[Figure]]


_registered: dict[str, Figures] = {}


def register(pattern: str, of: Callable[[Event], Iterable[Figure]]) -> None:
    """Say which figures events of a type (a pattern such as `upload.*`) add."""
    if pattern in _registered:
        raise ValueError(f"figures for {pattern} are registered already")
    _registered[pattern] = Figures(pattern, of)


def lasted(dataset: str, measure: str, seconds: float) -> Figure:
    """A duration: counted under its length, rounded to three digits so that a day has few different ones."""
    return Figure(dataset, measure, f"{_three_digits(seconds):g}")


def add(events: Sequence[Event]) -> None:
    """Add what the events tell, in the transaction that finishes their deliveries: once each for that reason.

    Rows are taken in one order, so that two consumers adding at once wait for each other and never deadlock.
    """
    sums: Counter[tuple[Any, ...]] = Counter()
    for event in events:
        if event.organisation_id is None:
            continue
        day = event.occurred_at.astimezone(dt.UTC).date()
        for figure in _figures(event):
            place = (event.organisation_id, figure.dataset, day, figure.measure, figure.key[:80])
            sums[place] += figure.value
    rows = [(*place, value) for place, value in sorted(sums.items()) if value]
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(ADD, [list(column) for column in zip(*rows, strict=True)])


def figures(
    measure: str, *, since: dt.date, until: dt.date, organisations: Any = None, dataset: str = ""
) -> QuerySet[DailyFigure]:
    """The rows of one measure, both days included; `organisations` is a queryset or a list, None for all."""
    rows = DailyFigure.objects.filter(measure=measure, day__range=(since, until))
    if organisations is not None:
        rows = rows.filter(organisation__in=organisations)
    return rows.filter(dataset=dataset) if dataset else rows


def by_day(rows: QuerySet[DailyFigure]) -> dict[dt.date, dict[str, int]]:
    """For each day that has any, the sum by key."""
    found: dict[dt.date, dict[str, int]] = {}
    for day, key, value in rows.values_list("day", "key").annotate(sum=Sum("value")).order_by("day", "key"):
        found.setdefault(day, {})[key] = value
    return found


def by_key(rows: QuerySet[DailyFigure]) -> dict[str, int]:
    """The sum of each key over all rows, largest first."""
    sums = rows.values_list("key").annotate(sum=Sum("value")).order_by("-sum", "key")
    return dict(sums)


def percentile(lengths: Mapping[str, int], part: float) -> float | None:
    """The length that `part` (0.5, 0.95) of the durations did not exceed, from counts per length."""
    total = sum(lengths.values())
    wanted = math.ceil(part * total)
    passed = 0
    for seconds, count in sorted((float(length), count) for length, count in lengths.items()):
        passed += count
        if total and passed >= wanted:
            return seconds
    return None


def _figures(event: Event) -> Iterable[Figure]:
    for registered in _registered.values():
        if fnmatchcase(event.type, registered.pattern):
            yield from registered.of(event)


def _three_digits(seconds: float) -> float:
    if seconds <= 0:
        return 0.0
    return round(seconds, 2 - math.floor(math.log10(seconds)))


class _Counted(Consumer):
    """Wants what figures are registered for, whenever that was: apps register in any order."""

    def wants(self, event_type: str) -> bool:
        return any(fnmatchcase(event_type, registered.pattern) for registered in _registered.values())


CONSUMER = _Counted("analytics", add)
