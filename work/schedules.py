"""The one django-q2 schedule: the tick of every minute. Set by every start of a cluster, under a lock."""

from django.db import connection, transaction
from django.utils import timezone
from django_q.models import Schedule

from work import pipelines

TICK = "tick"


@transaction.atomic
def sync() -> None:
    """Exactly one schedule row, with no arguments that could be malformed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('work.schedules'))")
    Schedule.objects.exclude(name=TICK).delete()
    wanted = {
        "func": "work.tasks.tick", "schedule_type": Schedule.MINUTES, "minutes": 1, "repeats": -1,
        "cluster": pipelines.GROUND, "args": None, "kwargs": None, "hook": None,
    }  # fmt: skip
    ticks = Schedule.objects.filter(name=TICK)
    if ticks.count() == 1:
        ticks.update(**wanted)
    else:
        ticks.delete()
        Schedule.objects.create(name=TICK, next_run=timezone.now(), **wanted)
