"""Wakes workers. A doorbell carries nothing: the table is the truth; a lost ring costs a sweep's period."""

import structlog
from django.conf import settings
from django.db import transaction
from django_q.brokers import get_broker
from django_q.tasks import async_task

from work.pipelines import GROUND, PIPELINES

log = structlog.get_logger(__name__)

PUMP = "work.tasks.pump"
CANARY = "work.tasks.canary"
OTHER_TASKS = 2


def ring(cluster: str = PIPELINES) -> None:
    """Ring on commit. Never raises into the caller, whose work is already safe in its table."""
    # not a partial: Django names the function in its log when it raises, and a partial has no name
    transaction.on_commit(lambda: _ring(cluster), robust=True)


def workers_of(cluster: str) -> int:
    if cluster == GROUND:
        return int(settings.Q_CLUSTER["workers"])
    return int(settings.Q_CLUSTER["ALT_CLUSTERS"][cluster]["workers"])


def send_canary(cluster: str) -> None:
    """Through the whole path: queue, pusher, worker, database. Not sent while many rings wait before it."""
    if get_broker(cluster).queue_size() < 4 * workers_of(cluster):
        async_task(CANARY, cluster=cluster)


def _ring(cluster: str) -> None:
    """Not when as many wait as there are workers. A tick and a canary may wait with them: were they counted
    as rings, a cluster of one worker would hardly ever be rung."""
    if get_broker(cluster).queue_size() < workers_of(cluster) + OTHER_TASKS:
        async_task(PUMP, cluster=cluster)
