"""The filters of the list of uploads, read from a query string: for the page, and for acting on what it
shows.
"""

import datetime as dt
from collections.abc import Mapping

from django.db.models import QuerySet
from django.utils import timezone

from ingestion import queries
from ingestion.models import Upload
from ingestion.states import UploadState

PERIODS = [
    ("", "At any time"),
    ("1", "In the last day"),
    ("7", "In the last 7 days"),
    ("30", "In the last 30 days"),
]


def apply(
    uploads: QuerySet[Upload], given: Mapping[str, str], *, status: bool = True, among_few: bool = False
) -> QuerySet[Upload]:
    """Unknown words filter nothing, as the form shows them; `status=False` leaves the state out. `among_few`
    as in `queries.filtered`.
    """
    period = given.get("period", "")
    days = int(period) if period in dict(PERIODS) and period else None
    state = given.get("status", "") if status else ""
    return queries.filtered(
        uploads,
        dataset=given.get("dataset", ""),
        status=state if state in UploadState.values else "",
        organisation=given.get("organisation", ""),
        text=given.get("text", "").strip()[:100],
        sender=given.get("sender", "").strip()[:100],
        among_few=among_few,
        since=timezone.now() - dt.timedelta(days=days) if days else None,
    )
