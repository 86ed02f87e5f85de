"""Every pair of states of both machines: the allowed moves happen, the forbidden ones change nothing."""

import dataclasses
import itertools
import re

import pytest
from django.db import connection, transaction
from django.db.models import CharField

from ingestion.models import Report, Upload
from ingestion.states import (
    REPORT_MOVES,
    REPORT_TERMINAL,
    TERMINAL,
    UPLOAD_MOVES,
    ReportState,
    UploadState,
)  # fmt: skip
from tests.factories import UploadFactory
from work import cancelling, leases, recovery
from work.failures import ForbiddenMove, StateChanged
from work.models import Attempt, Outcome
from work.pipelines import Ending, Limits, Pipeline

pytestmark = pytest.mark.django_db

UPLOADS = Pipeline(
    name="upload", title="Uploads", model=Upload, steps=(), initial=UploadState.ACCEPTED,
    running=UploadState.PROCESSING, terminal=TERMINAL, moves=UPLOAD_MOVES, limits=Limits(running=None),
    on_failure=lambda row, code, detail: Ending(UploadState.FAILED),
)  # fmt: skip
REPORTS = Pipeline(
    name="report", title="Reports", model=Report, steps=(), initial=ReportState.REQUESTED,
    running=ReportState.BUILDING, terminal=REPORT_TERMINAL, moves=REPORT_MOVES, limits=Limits(running=None),
    on_failure=lambda row, code, detail: Ending(ReportState.FAILED),
)  # fmt: skip
COUNTED = {"rows_read": 2, "valid": 1, "inserted": 1, "run": "0" * 32}
COLUMNS = {
    UploadState.PROCESSED: {**COUNTED, "blank": 1},
    UploadState.PARTIAL: {**COUNTED, "refused": 1, "error_count": 1},
}
ASKING = UploadState.NEEDS_ANSWER


def pairs(states):
    return list(itertools.product(states, states))


def make(pipeline):
    upload = UploadFactory()
    if pipeline is UPLOADS:
        return upload
    return Report.objects.create(organisation=upload.organisation, upload=upload, kind="csv")


def put(pipeline, row, state):
    """The row in that state by claims and ends, as workers leave it; the lease that the last claim gave."""
    if state == pipeline.initial:
        return None
    lease = leases.claim_next(pipeline)
    assert lease.row.pk == row.pk
    if state == pipeline.running:
        return lease
    with transaction.atomic():
        if state == ASKING:
            leases.ask(lease, question="which_sheet", state=state)
        else:
            leases.finish(lease, state=state, fields=COLUMNS.get(state, {}))
    return lease


def try_to_move(pipeline, row, lease, new):
    """By the verb that leads from one kind of state to the other."""
    row.refresh_from_db()
    if row.lease_token is None or new == UploadState.CANCELLED:
        cancelling.cancel(
            pipeline=pipeline, row=row, state=new, allowed=[row.state], by="test", why="", what="test.moved",
            label="", fields=COLUMNS.get(new, {}),
        )  # fmt: skip
        return
    with transaction.atomic():
        if new in pipeline.terminal:
            leases.finish(lease, state=new, fields=COLUMNS.get(new, {}))
        else:
            leases.ask(lease, question="which_sheet", state=new)


def snapshot(row):
    return type(row).objects.filter(pk=row.pk).values().get()


@pytest.mark.parametrize(
    ("pipeline", "old", "new"),
    [
        pytest.param(pipeline, old, new, id=f"{pipeline.name}-{old}-{new}")
        for pipeline in (UPLOADS, REPORTS)
        for old, new in pairs(pipeline.moves)
        if old != new and new not in (pipeline.initial, pipeline.running)
    ],
)
def test_worker_or_person_moves_along_the_arrows_only(pipeline, old, new):
    row = make(pipeline)
    lease = put(pipeline, row, old)
    before = snapshot(row)

    if new not in pipeline.moves[old]:
        with pytest.raises((ForbiddenMove, StateChanged)):
            try_to_move(pipeline, row, lease, new)
        assert snapshot(row) == before
    else:
        try_to_move(pipeline, row, lease, new)
        assert snapshot(row)["state"] == new


@pytest.mark.parametrize("pipeline", [UPLOADS, REPORTS], ids=lambda pipeline: pipeline.name)
def test_claim_leads_from_the_first_state_only(pipeline):
    for old in pipeline.moves:
        row = make(pipeline)
        put(pipeline, row, old)

        claimed = leases.claim_next(pipeline)

        assert (claimed is not None) == (old == pipeline.initial)
        type(row).objects.all().delete()
        Attempt.objects.all().delete()


@pytest.mark.parametrize("pipeline", [UPLOADS, REPORTS], ids=lambda pipeline: pipeline.name)
def test_release_leads_back_to_the_first_state(pipeline):
    row = make(pipeline)
    lease = put(pipeline, row, pipeline.running)

    with pytest.raises(ForbiddenMove):
        leases.release(lease, leases.Account(Outcome.POSTPONED), due_in=0, state="invented")
    leases.release(lease, leases.Account(Outcome.POSTPONED), due_in=0)

    assert snapshot(row)["state"] == pipeline.initial


@pytest.mark.parametrize(
    ("pipeline", "new"),
    [
        pytest.param(pipeline, new, id=f"{pipeline.name}-{new}")
        for pipeline in (UPLOADS, REPORTS)
        for new in (*pipeline.moves, "invented")
        if new not in COLUMNS and new != ASKING
    ],
)
def test_recovery_moves_along_the_arrows_only(pipeline, new, expire_any):
    row = make(pipeline)
    expire_any(put(pipeline, row, pipeline.running).row)
    moving = dataclasses.replace(pipeline, on_expiry=lambda row, died: Ending(new))

    counts = recovery.recover(moving)

    allowed = new == pipeline.running or new in pipeline.moves[pipeline.running]
    assert counts.parked == (0 if allowed else 1)
    assert snapshot(row)["state"] == (new if allowed else pipeline.running)


@pytest.fixture
def expire_any():
    def age(row):
        with connection.cursor() as cursor:
            cursor.execute(
                f"UPDATE {row._meta.db_table} SET locked_until = now() - interval '1 s' WHERE id = %s",
                [row.pk],
            )

    return age


@pytest.mark.parametrize(
    ("moves", "states", "terminal"),
    [(UPLOAD_MOVES, UploadState, TERMINAL), (REPORT_MOVES, ReportState, REPORT_TERMINAL)],
)
def test_moves_name_every_state_and_end_in_the_terminal_ones(moves, states, terminal):
    assert set(moves) == set(states)
    assert {state for state in moves if not moves[state]} == set(terminal)
    reached = set(itertools.chain.from_iterable(moves.values()))
    assert reached | {next(iter(states))} == set(states)


@pytest.mark.parametrize(
    ("model", "terminal"), [(Upload, TERMINAL), (Report, REPORT_TERMINAL)], ids=["upload", "report"]
)
def test_constraint_names_the_terminal_states(model, terminal):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE conname LIKE %s AND conrelid = %s::regclass",
            ["%_finished_at_iff_terminal", model._meta.db_table],
        )
        ((text,),) = cursor.fetchall()

    assert set(re.findall(r"'(\w+)'", text)) == {str(state) for state in terminal}


@pytest.mark.parametrize(("model", "states"), [(Upload, UploadState), (Report, ReportState)])
def test_column_has_room_for_every_state(model, states):
    field = model._meta.get_field("state")

    assert isinstance(field, CharField)
    assert max(map(len, states.values)) <= field.max_length
