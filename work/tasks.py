"""Entry points of doorbells. None takes arguments; each may run any number of times at once."""

import time

import structlog
from django.db import connection

from work import canaries, crash, doorbell, identity, leases, periodic, pipelines, runner, stopping

log = structlog.get_logger(__name__)

PUMP_SECONDS = 30.0


def pump() -> None:
    """Claim over all pipelines of this cluster in turn, until nothing is claimable or the time is spent."""
    cluster = identity.current().cluster
    ends = time.monotonic() + PUMP_SECONDS
    while _one_turn(cluster):
        if stopping.is_asked():
            return
        if time.monotonic() > ends:
            doorbell.ring(cluster)  # give the queue a turn, so that canaries pass
            return


def _one_turn(cluster: str) -> bool:
    took = False
    for pipeline in pipelines.of_cluster(cluster):
        if stopping.is_asked():
            return took
        lease = _claim(pipeline)
        if lease is not None:
            runner.run(lease)
            took = True
    return took


def _claim(pipeline: pipelines.Pipeline) -> leases.Lease | None:
    """A pipeline that cannot be claimed from holds up no other. Its rows wait for the next doorbell."""
    try:
        return leases.claim_next(pipeline)
    except Exception:
        log.exception("claim.failed", pipeline=pipeline.name)
        connection.close()  # with whatever was wrong with it, a plan of an older table too
        return None


def tick() -> None:
    """Every minute: see what is due, and wake everybody. The periodic ledger decides who runs what."""
    crash.point("tick.before")
    periodic.recover_and_plan()
    for cluster in (pipelines.GROUND, pipelines.PIPELINES):
        doorbell.ring(cluster)
        canaries.send(cluster)


def canary() -> None:
    canaries.passed(identity.current().cluster)
