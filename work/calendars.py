"""When a periodic job is due. Pure functions of time: no database, no settings."""

import datetime as dt
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from cronsim import CronSim

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def slots_every(every: dt.timedelta, *, after: dt.datetime, until: dt.datetime) -> Iterator[dt.datetime]:
    """Multiples of `every` since the epoch in (after, until], newest first."""
    slot = EPOCH + ((until - EPOCH) // every) * every
    while slot > after:
        yield slot
        slot -= every


def slots_cron(
    expression: str, zone: str, *, after: dt.datetime, until: dt.datetime
) -> Iterator[dt.datetime]:
    """Slots of a cron expression read in `zone` in (after, until], oldest first, as UTC.

    An hour that the clocks skip runs once, at the first valid minute; an hour they repeat runs once, at its
    first pass.
    """
    for local in CronSim(expression, after.astimezone(ZoneInfo(zone))):
        slot = local.astimezone(dt.UTC)
        if slot > until:
            return
        if slot > after:
            yield slot


def next_slot(*, every: dt.timedelta | None, cron: str, zone: str, after: dt.datetime) -> dt.datetime:
    """The first slot after an instant."""
    if every is not None:
        return EPOCH + ((after - EPOCH) // every + 1) * every
    return next(iter(CronSim(cron, after.astimezone(ZoneInfo(zone))))).astimezone(dt.UTC)
