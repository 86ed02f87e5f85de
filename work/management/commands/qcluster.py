"""Starts a django-q2 cluster with our parts in place; takes the name of django-q2's own command."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections

from work import canaries, cluster, pipelines, schedules


class Command(BaseCommand):
    help = "Starts the workers of a cluster: ground, or with Q_CLUSTER_NAME=pipelines the pipelines."

    def handle(self, *args: Any, **options: Any) -> None:
        """Returns after a stop; exits with 1 when the cluster died, so that its keeper starts it anew."""
        name = os.environ.setdefault("Q_CLUSTER_NAME", pipelines.GROUND)
        cluster.prepare()
        schedules.sync()
        canaries.start(name)
        connections.close_all()  # nothing open is shared with what forks now
        started = cluster.Cluster()
        started.start()
        if name == pipelines.GROUND and settings.TICK_SECONDS < 60:
            cluster.start_ticker(settings.TICK_SECONDS)
        if not started.wait():
            sys.exit(1)
