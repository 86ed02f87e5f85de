"""A small pipeline over the upload table, so that the ground is tested apart from ingestion's steps."""

import dataclasses
import datetime as dt
import threading

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from ingestion.models import Upload
from ingestion.states import TERMINAL, UPLOAD_MOVES, UploadState
from work import heart, identity, pipelines, stopping
from work.models import Worker
from work.pipelines import Ending, Limits, Pipeline, Step


def end_at_once(job, context):
    with transaction.atomic():
        job.finish(state=UploadState.FAILED)


PLAIN = Pipeline(
    name="upload",
    title="Uploads",
    model=Upload,
    steps=(Step("end_at_once", end_at_once),),
    initial=UploadState.ACCEPTED,
    running=UploadState.PROCESSING,
    terminal=TERMINAL,
    moves=UPLOAD_MOVES,
    on_failure=lambda row, code, detail: Ending(UploadState.FAILED),
    limits=Limits(running=None),
)


@pytest.fixture
def pipeline():
    return PLAIN


@pytest.fixture
def with_steps():
    """The same pipeline with other steps, given as functions of (job, context) or as Steps."""

    def make(*given, **changes):
        steps = tuple(one if isinstance(one, Step) else Step(one.__name__, one) for one in given)
        return dataclasses.replace(PLAIN, steps=steps or PLAIN.steps, **changes)

    return make


@pytest.fixture
def worker_row(db):
    who = identity.current()
    Worker.objects.filter(pk=who.id).delete()  # what the heart of an earlier test has committed
    return Worker.objects.create(id=who.id, cluster=pipelines.PIPELINES, label=who.label)


@pytest.fixture
def expire():
    """Age the lease of a row until it has run out."""

    def age(row):
        long_ago = Now() - dt.timedelta(seconds=1)
        type(row).objects.filter(pk=row.pk).update(locked_until=long_ago)
        row.refresh_from_db()

    return age


@pytest.fixture
def at_once():
    """Run functions in threads that start at the same instant; their results in order, errors raised."""

    def run(*functions):
        barrier = threading.Barrier(len(functions))
        results, errors = [None] * len(functions), []

        def call(number, function):
            try:
                barrier.wait(10)
                results[number] = function()
            except Exception as error:
                errors.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=call, args=pair) for pair in enumerate(functions)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        if errors:
            raise errors[0]
        return results

    return run


@pytest.fixture
def short_lease(settings):
    settings.LEASE_SECONDS = 1


@pytest.fixture(autouse=True)
def nobody_asks_to_stop():
    yield
    stopping.reset()


@pytest.fixture
def make_due():
    """What backs off is due now."""

    def make(row):
        type(row).objects.filter(pk=row.pk, due_at__isnull=False).update(due_at=Now())

    return make


@pytest.fixture
def accepted_long_ago():
    def age(row, delta):
        type(row).objects.filter(pk=row.pk).update(accepted_at=F("accepted_at") - delta)

    return age


@pytest.fixture
def beating():
    return heart.the()
