"""Counts for pages: exact up to a bound, so that a page costs the same however long its list is."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from work.wording import number

COUNTED_AT_MOST = 10_000


@dataclass(frozen=True)
class Counted:
    """A bounded count: exact, or at least so many."""

    number: int
    is_more: bool = False

    def __str__(self) -> str:
        return f"more than {number(self.number)}" if self.is_more else number(self.number)

    def __bool__(self) -> bool:
        return self.number > 0


def bounded(rows: QuerySet[Any], most: int = COUNTED_AT_MOST) -> Counted:
    found = rows.order_by().values("pk")[: most + 1].count()
    return Counted(min(found, most), found > most)


def narrowed(rows: QuerySet[Any], counted: Counted) -> QuerySet[Any]:
    """The same rows, found first and ordered afterwards when they are few by `counted`. In the order of its
    page a list of few among many would be looked for from the newest row to the oldest.
    """
    if counted.is_more:
        return rows
    few = rows.model._default_manager.filter(pk__in=rows.order_by().values("pk")[: counted.number])
    return few.select_related(*_related(rows))


def _related(rows: QuerySet[Any]) -> list[str]:
    wanted = rows.query.select_related
    return list(wanted) if isinstance(wanted, dict) else []
