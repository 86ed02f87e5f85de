import dataclasses
import datetime as dt

import pytest
from django.utils import timezone

from accounts.principals import Principal
from ingestion.models import Upload
from ingestion.states import UploadState
from tests.factories import DatasetFactory, MembershipFactory, UploadFactory, UserFactory
from work import ledger, pipelines
from work.ledger import LedgerLine

pytestmark = pytest.mark.django_db

LINE = LedgerLine(
    "upload",
    "Uploads",
    "uploads",
    {"processed": "finished", "partial": "partly", "failed": "failed", "cancelled": "cancelled"},
)


@pytest.fixture(autouse=True)
def only_uploads(monkeypatch, pipeline):
    monkeypatch.setattr(ledger, "_lines", {"upload": LINE})
    monkeypatch.setattr(pipelines, "_registered", {"upload": pipeline})


@pytest.fixture
def operator():
    return Principal(UserFactory(operator=True))


def in_state(state, **columns):
    ended = {"due_at": None, "finished_at": timezone.now()} if state in ("failed", "cancelled") else {}
    return UploadFactory(state=state, **ended, **columns)


def test_read_counts_every_row_once(operator):
    UploadFactory()
    UploadFactory(running=True)
    in_state(UploadState.FAILED)
    in_state(UploadState.CANCELLED)
    UploadFactory(
        state=UploadState.NEEDS_ANSWER, due_at=None, asked_at=timezone.now(), question="which_column"
    )

    (row,) = ledger.read(operator)

    assert row.accepted == 5
    assert row.cells == [0, 0, 1, 1, 1, 1, 1]
    assert sum(row.counts.values()) == row.accepted


def test_read_of_a_parked_row_counts_it_for_a_person_whatever_its_state(operator):
    UploadFactory(
        state=UploadState.PROCESSING, due_at=None, asked_at=timezone.now(), question="recovery_failed"
    )

    (row,) = ledger.read(operator)

    assert (row.counts["for_a_person"], row.counts["running"]) == (1, 0)


def test_read_says_what_is_unfinished_from_earlier_days(operator):
    old = UploadFactory()
    yesterday = timezone.now() - dt.timedelta(days=2)
    Upload.objects.filter(pk=old.pk).update(accepted_at=yesterday)

    (row,) = ledger.read(operator)

    assert (row.accepted, row.carried, row.oldest) == (0, 1, yesterday)


def test_read_shows_a_member_only_the_own_organisation():
    mine, other = DatasetFactory(), DatasetFactory()
    UploadFactory(dataset=mine)
    UploadFactory(dataset=other)
    member = Principal(MembershipFactory(organisation=mine.organisation).user)

    (row,) = ledger.read(member)
    (elsewhere,) = ledger.read(member, organisation=other.organisation)

    assert (row.accepted, elsewhere.accepted) == (1, 0)


def test_read_by_the_hour_has_24_hours_that_end_now(operator):
    UploadFactory()

    (row,) = ledger.read(operator)

    assert len(row.hours) == 24
    assert row.hours[-1] == 1


def test_check_finds_nothing_when_the_columns_add_up():
    UploadFactory()
    in_state(UploadState.FAILED)

    assert ledger.check(True) == []


def test_check_names_a_terminal_state_without_a_column(monkeypatch):
    columns = {state: under for state, under in LINE.columns.items() if state != "cancelled"}
    monkeypatch.setattr(ledger, "_lines", {"upload": dataclasses.replace(LINE, columns=columns)})
    in_state(UploadState.CANCELLED)

    sentences = [breach.sentence for breach in ledger.check(False)]

    assert sentences == [
        "the state cancelled stands in no column of the ledger",
        "1 were accepted, but the columns of the ledger add up to 0",
    ]
