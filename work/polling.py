"""How often a live fragment reads: often while the work is young, seldom when it is old."""

from datetime import datetime, timedelta

from django.utils import timezone

STAGES = ((timedelta(minutes=1), 2), (timedelta(minutes=10), 5))
SLOWEST_SECONDS = 15


def seconds_since(started_at: datetime | None) -> int:
    """The interval for work that began then; work that has not begun yet reads like young work."""
    age = timezone.now() - started_at if started_at else timedelta()
    return next((seconds for limit, seconds in STAGES if age < limit), SLOWEST_SECONDS)
