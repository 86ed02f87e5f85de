"""What the ground itself registers: consumers, pipelines, periodic jobs, invariants, kinds of attention."""

import datetime as dt

from django.db.models.functions import Now

from work import (
    analytics,
    attention,
    attention_ground,
    consumers,
    digests,
    failure_texts,
    health,
    invariants,
    invariants_deep,
    invariants_events,
    invariants_ground,
    invariants_rows,
    mails,
    notices_ground,
    notifications,
    periodic,
    pipelines,
    retention,
    storage_checks,
    trail,
    trail_head,
    webhooks,
)
from work.jobs import Job
from work.periodic import PeriodicJob


def register() -> None:
    for consumer in (trail.CONSUMER, notifications.CONSUMER, analytics.CONSUMER):
        consumers.register(consumer)
    for pipeline in (invariants_deep.PIPELINE, mails.PIPELINE, webhooks.PIPELINE):
        pipelines.register(pipeline)
    failure_texts.register(
        {
            **mails.FAILURE_TEXTS,
            **webhooks.FAILURE_TEXTS,
            **trail_head.FAILURE_TEXTS,
            **storage_checks.FAILURE_TEXTS,
        }
    )
    notices_ground.register()
    for invariant in (*invariants_rows.EVERY, *invariants_events.EVERY, *invariants_ground.EVERY):
        invariants.register(invariant)
    for kind in attention_ground.kinds():
        attention.register(kind)
    for job in JOBS:
        periodic.register(job)


def check_invariants(job: Job) -> str:
    """Not while the ground comes back from a rest: what lay still meanwhile has yet to be taken up."""
    since = Now() - dt.timedelta(seconds=invariants_rows.patience())
    if not health.alive_workers(pipelines.GROUND).filter(started_at__lt=since).exists():
        return "nothing: the workers have just started"
    run = invariants.run_and_keep(by="the periodic job")
    return (
        f"{run.broken} of {len(run.findings)} invariants are broken" if run.broken else "all invariants hold"
    )


JOBS = (
    PeriodicJob("invariants", "Check the invariants", check_invariants, every=dt.timedelta(minutes=10)),
    PeriodicJob(
        "invariants_deep",
        "Ask for a deep check of the invariants",
        invariants_deep.request_nightly,
        cron="0 3 * * *",
    ),
    PeriodicJob("trail_head", "Keep the head of the audit trail", trail_head.keep, cron="7 * * * *"),
    PeriodicJob("digests", "Write the daily digests", digests.write, cron="0 * * * *"),
    PeriodicJob("retention", "Prune what is kept for a time", retention.prune, cron="37 * * * *"),
)
