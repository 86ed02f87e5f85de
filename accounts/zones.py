"""The time zones that people and organisations can have."""

from functools import lru_cache
from zoneinfo import available_timezones


@lru_cache(maxsize=1)
def known() -> tuple[str, ...]:
    """By place, and UTC; the old short names stay out of choices."""
    return tuple(sorted(zone for zone in available_timezones() if zone == "UTC" or "/" in zone))
