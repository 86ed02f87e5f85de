"""What the ground itself registers: consumers, pipelines, periodic jobs, invariants, kinds of attention."""

import datetime as dt

from work import (
    attention,
    attention_ground,
    consumers,
    invariants,
    invariants_deep,
    invariants_events,
    invariants_ground,
    invariants_rows,
    periodic,
    pipelines,
    trail,
    trail_head,
)
from work.jobs import Job
from work.periodic import PeriodicJob


def register() -> None:
    consumers.register(trail.CONSUMER)
    pipelines.register(invariants_deep.PIPELINE)
    for invariant in (*invariants_rows.EVERY, *invariants_events.EVERY, *invariants_ground.EVERY):
        invariants.register(invariant)
    for kind in attention_ground.kinds():
        attention.register(kind)
    for job in JOBS:
        periodic.register(job)


def check_invariants(job: Job) -> str:
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
)
