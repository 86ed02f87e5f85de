"""Canaries: one per cluster and minute through queue, pusher, worker and database."""

from django.db.models.functions import Coalesce, Now

from work import doorbell
from work.models import Canary


def send(cluster: str) -> None:
    """Send one; `waiting_since` keeps the oldest that has not passed."""
    Canary.objects.get_or_create(cluster=cluster)
    Canary.objects.filter(cluster=cluster).update(
        sent_at=Now(), waiting_since=Coalesce("waiting_since", Now())
    )
    doorbell.send_canary(cluster)


def start(cluster: str) -> None:
    """A cluster starts: what was sent to the one before it says nothing about this one."""
    Canary.objects.update_or_create(cluster=cluster, defaults={"waiting_since": None})
    send(cluster)


def passed(cluster: str) -> None:
    Canary.objects.update_or_create(cluster=cluster, defaults={"passed_at": Now(), "waiting_since": None})
