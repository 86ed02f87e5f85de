"""Every state that a row can be in has a badge of its own, whose word is the state's name."""

import pytest

from ingestion.states import ReportState, UploadState
from work import badges
from work.models.attempts import Outcome
from work.models.attention import CallState, MailState
from work.models.bulk import BulkState
from work.models.events import DeliveryState
from work.models.periodic import PeriodicState


@pytest.mark.parametrize(
    ("machine", "states"),
    [
        ("upload", UploadState),
        ("report", ReportState),
        ("attempt", Outcome),
        ("delivery", DeliveryState),
        ("periodic", PeriodicState),
        ("bulk", BulkState),
        ("mail", MailState),
        ("webhook_call", CallState),
    ],
)
def test_every_state_has_a_badge_that_says_its_name(machine, states):
    for state in states:
        badge = badges.find(machine, state)

        assert badge.word == state.replace("_", " ").capitalize()
        assert badge.meaning
