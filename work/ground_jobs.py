"""The periodic jobs of the ground itself."""

import datetime as dt

from django.conf import settings

from work import doorbell, periodic, pipelines, recovery
from work.jobs import Job


def recover_all(job: Job) -> str:
    """Every pipeline's expired rows. The ledger's own are freed by the tick."""
    parts = []
    for number, pipeline in enumerate(pipelines.every(), start=1):
        recovered = recovery.recover(pipeline)
        job.progress(number, total=len(pipelines.every()), unit="pipelines")
        if recovered:
            parts.append(f"{pipeline.title}: {recovered}")
    return "; ".join(parts) or "nothing to recover"


def sweep(job: Job) -> str:
    """Ring for every cluster, so that a lost doorbell delays work by a minute and never loses it."""
    for cluster in (pipelines.GROUND, pipelines.PIPELINES):
        doorbell.ring(cluster)
    return "rang for every cluster"


def register() -> None:
    periodic.register(
        periodic.PeriodicJob(
            name="recovery",
            title="Recover rows of dead workers",
            function=recover_all,
            every=dt.timedelta(seconds=settings.RECOVERY_SECONDS),
        )
    )
    periodic.register(
        periodic.PeriodicJob(
            name="sweep",
            title="Wake the workers",
            function=sweep,
            every=dt.timedelta(seconds=settings.SWEEP_SECONDS),
        )
    )
