"""Starts a django-q2 cluster with our parts in place; takes the name of django-q2's own command."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from work import canaries, cluster, pipelines, schedules


class Command(BaseCommand):
    help = "Starts the workers of a cluster: ground, or with Q_CLUSTER_NAME=pipelines the pipelines."

    def handle(self, *args: Any, **options: Any) -> None:
        name = os.environ.setdefault("Q_CLUSTER_NAME", pipelines.GROUND)
        cluster.prepare()
        schedules.sync()
        canaries.start(name)
        started = cluster.Cluster()
        started.start()
        if name == pipelines.GROUND and settings.TICK_SECONDS < 60:
            cluster.start_ticker(settings.TICK_SECONDS)
