import os
import signal
import time

from django.db import transaction

from tests.crash.plainwork.models import MOVES, TERMINAL, PlainEffect, PlainState, PlainWork
from work import crash, outbox
from work.pipelines import Ending, Limits, Pipeline, Step


def prepare(job, context):
    if job.row.deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    ends = time.monotonic() + job.row.seconds
    done = 0
    while time.monotonic() < ends:
        time.sleep(0.02)
        done += 1
        job.progress(done, unit="ticks")
    crash.point("plain.prepare.before")


def store(job, context):
    with transaction.atomic():
        PlainEffect.objects.create(work=job.row, token=job.token)
        outbox.record("plain.done", subject=job.row, kind="plain", organisation=job.row.organisation_id)
        job.finish(state=PlainState.DONE)


PLAIN = Pipeline(
    name="plain",
    title="Plain work",
    model=PlainWork,
    steps=(Step("prepare", prepare), Step("store", store)),
    initial=PlainState.WAITING,
    running=PlainState.WORKING,
    terminal=TERMINAL,
    moves=MOVES,
    on_failure=lambda row, code, detail: Ending(PlainState.FAILED),
    limits=Limits(running=None),
    backoff=lambda tries: 0.2,
)
