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
