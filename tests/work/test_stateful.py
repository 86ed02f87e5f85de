"""Claim, heartbeat, expire, finish, release, ask, answer, cancel, recover, pause in any order: rows do what
a model in plain Python says, and the laws of the ground hold after every step."""

import datetime as dt
from dataclasses import dataclass, field
from functools import partial

import pytest
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ingestion.models import Upload
from ingestion.states import TERMINAL, UPLOAD_MOVES, UploadState
from tests.factories import DatasetFactory, UploadFactory
from tests.work.conftest import PLAIN
from work import cancelling, leases, pauses, recovery
from work.failures import LeaseLost, StateChanged
from work.models import Attempt, Delivery, Event, Outcome, PipelinePause
from work.models.leased import MAX_UNANSWERED

ACCEPTED, PROCESSING = UploadState.ACCEPTED, UploadState.PROCESSING
ASKING, FAILED, CANCELLED = UploadState.NEEDS_ANSWER, UploadState.FAILED, UploadState.CANCELLED


@dataclass
class Model:
    """One upload as it should stand. `token` is that of its lease, `ended` the closed attempts."""

    state: str = ACCEPTED
    token: object = None
    expired: bool = False
    due: bool = True
    starts: int = 0
    unanswered: int = 0
    postponed: int = 0
    ended: list = field(default_factory=list)

    def answer(self, state, outcome, *, due=False):
        self.ended.append(outcome)
        self.unanswered -= 1
        self.lose(state, due=due)

    def lose(self, state, *, due=False):
        self.state, self.token, self.expired, self.due = state, None, False, due


class Machine(RuleBasedStateMachine):
    uploads = Bundle("uploads")
    held = Bundle("held")

    @initialize()
    def start(self):
        self.models, self.paused, self.lost = {}, False, 0
        self.datasets = [DatasetFactory(), DatasetFactory()]

    @rule(target=uploads, which=st.integers(0, 1))
    def accept(self, which):
        upload = UploadFactory(dataset=self.datasets[which])
        self.models[upload.pk] = Model()
        return upload.pk

    @rule(target=held)
    def claim(self):
        lease = leases.claim_next(PLAIN)
        due = {pk for pk, model in self.models.items() if model.due}
        assert (lease is None) == (self.paused or not due)
        if lease is None:
            return multiple()
        assert lease.row.pk in due
        model = self.models[lease.row.pk]
        model.state, model.token, model.due = PROCESSING, lease.token, False
        model.starts += 1
        model.unanswered += 1
        return lease

    @rule(pk=uploads)
    def expire(self, pk):
        changed = Upload.objects.filter(pk=pk, lease_token__isnull=False).update(
            locked_until=Now() - dt.timedelta(seconds=1)
        )
        self.models[pk].expired = bool(changed)

    @rule(lease=held)
    def renew(self, lease):
        """What the heart's statement does."""
        matched = Upload.objects.filter(pk=lease.row.pk, lease_token=lease.token).update(
            locked_until=Now() + dt.timedelta(minutes=1),
            heartbeat_at=Now(),
            progress_done=F("progress_done") + 1,
        )
        model = self.models[lease.row.pk]
        assert bool(matched) == (model.token == lease.token)
        if matched:
            model.expired = False

    @rule(lease=held)
    def finish(self, lease):
        def end():
            with transaction.atomic():
                Upload.objects.filter(pk=lease.row.pk).update(filename="effect.csv")
                leases.finish(lease, state=FAILED)

        if self.holds(lease, end):
            self.models[lease.row.pk].answer(FAILED, Outcome.FINISHED)

    @rule(lease=consumes(held), postponed=st.booleans())
    def release(self, lease, postponed):
        outcome = Outcome.POSTPONED if postponed else Outcome.TEMPORARY_FAILURE
        account = leases.Account(outcome)
        if self.holds(lease, lambda: leases.release(lease, account, due_in=0, postponed=postponed)):
            model = self.models[lease.row.pk]
            model.postponed += postponed
            model.answer(ACCEPTED, outcome, due=True)

    @rule(lease=held)
    def ask(self, lease):
        def hand_over():
            with transaction.atomic():
                leases.ask(lease, question="which_sheet", state=ASKING)

        if self.holds(lease, hand_over):
            self.models[lease.row.pk].answer(ASKING, Outcome.ASKED)

    @rule(pk=uploads)
    def answer(self, pk):
        """The guarded move of whoever may answer."""
        moved = Upload.objects.filter(pk=pk, state=ASKING).update(
            state=ACCEPTED, asked_at=None, question=None, due_at=Now()
        )
        model = self.models[pk]
        assert bool(moved) == (model.state == ASKING)
        if moved:
            model.state, model.due = ACCEPTED, True

    @rule(pk=uploads)
    def cancel(self, pk):
        model = self.models[pk]
        verb = partial(
            cancelling.cancel, pipeline=PLAIN, row=Upload.objects.get(pk=pk), state=CANCELLED,
            allowed=(ACCEPTED, PROCESSING, ASKING), by="somebody", why="", what="upload.cancelled", label="",
        )  # fmt: skip
        if model.state in TERMINAL:
            with pytest.raises(StateChanged, match=model.state):
                verb()
            return
        verb()
        if model.token:
            model.ended.append(Outcome.CANCELLED)
        model.lose(CANCELLED)

    @rule()
    def recover(self):
        counts = recovery.recover(PLAIN)
        expired = [model for model in self.models.values() if model.expired]
        ends = [model for model in expired if model.unanswered >= MAX_UNANSWERED]
        assert (counts.returned, counts.ended) == (len(expired) - len(ends), len(ends))
        assert (counts.parked, counts.left) == (0, 0)
        for model in expired:
            model.ended.append(Outcome.DIED)
            model.lose(FAILED if model in ends else ACCEPTED, due=model not in ends)
        self.lost += len(expired)

    @precondition(lambda self: not self.paused)
    @rule()
    def pause(self):
        pauses.pause(pipeline=PLAIN, by="operator", why="maintenance")
        self.paused = True

    @precondition(lambda self: self.paused)
    @rule()
    def resume(self):
        pauses.resume(pipeline=PLAIN, by="operator", why="done")
        self.paused = False

    def holds(self, lease, write):
        """Do a fenced write; it must come through exactly when the model says that the lease is held."""
        if self.models[lease.row.pk].token == lease.token:
            write()
            return True
        before = Upload.objects.filter(pk=lease.row.pk).values().get()
        with pytest.raises(LeaseLost) as lost:
            write()
        assert lost.value.tried
        assert Upload.objects.filter(pk=lease.row.pk).values().get() == before
        return False

    @invariant()
    def rows_are_as_the_model_says(self):
        for row in Upload.objects.all():
            model = self.models[row.pk]
            told = (
                row.state,
                row.lease_token,
                row.starts,
                row.unanswered,
                row.postponed,
                row.due_at is not None,
            )
            assert told == (
                model.state, model.token, model.starts, model.unanswered, model.postponed, model.due,
            )  # fmt: skip
            assert (row.filename == "effect.csv") == (Outcome.FINISHED in model.ended)

    @invariant()
    def attempts_tell_every_start_and_how_it_ended(self):
        for pk, model in self.models.items():
            attempts = Attempt.objects.filter(subject=pk).order_by("number")
            outcomes = [attempt.outcome for attempt in attempts]
            assert outcomes == model.ended + [None] * bool(model.token)
            assert [attempt.number for attempt in attempts] == list(range(1, model.starts + 1))

    @invariant()
    def second_law_holds(self):
        one_of_four = Q()
        names = ("lease_token", "due_at", "asked_at", "finished_at")
        for name in names:
            one_of_four |= Q(**{f"{other}__isnull": other != name for other in names})
        assert not Upload.objects.exclude(one_of_four).exists()
        tokens = list(Attempt.objects.values_list("token", flat=True))
        assert len(tokens) == len(set(tokens))

    @invariant()
    def every_loss_is_told_once(self):
        assert Event.objects.filter(type="work.attempt_lost").count() == getattr(self, "lost", 0)

    @invariant()
    def moves_lead_along_the_arrows(self):
        assert all(model.state in UPLOAD_MOVES for model in getattr(self, "models", {}).values())

    def teardown(self):
        for table in (Delivery, Event, Attempt, PipelinePause, Upload):
            table.objects.all().delete()


@pytest.mark.django_db
def test_any_order_of_verbs_keeps_the_laws():
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=25, stateful_step_count=35, deadline=None, derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
