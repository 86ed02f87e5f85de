"""A small pipeline over the upload table, so that the ground is tested apart from ingestion's steps."""

import dataclasses

import pytest

from ingestion.models import Upload
from ingestion.states import TERMINAL, UploadState
from work import identity, pipelines
from work.models import Worker
from work.pipelines import Ending, Limits, Pipeline, Step


def end_at_once(job, context):
    from django.db import transaction

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
    on_failure=lambda row, code, detail: Ending(UploadState.FAILED),
    limits=Limits(running=None),
)


@pytest.fixture
def pipeline():
    return PLAIN


@pytest.fixture
def with_steps():
    """The same pipeline with other steps, given as functions of (job, context)."""

    def make(*functions, **changes):
        steps = tuple(Step(function.__name__, function) for function in functions)
        return dataclasses.replace(PLAIN, steps=steps, **changes)

    return make


@pytest.fixture
def worker_row(db):
    who = identity.current()
    return Worker.objects.create(id=who.id, cluster=pipelines.PIPELINES, label=who.label)
