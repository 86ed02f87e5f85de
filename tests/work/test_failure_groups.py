import datetime as dt
import uuid

import pytest
from django.utils import timezone

from work import failure_groups
from work.models import Attempt

pytestmark = pytest.mark.django_db


def attempt(fingerprint, *, ago=0, outcome="failed", subject=None, pipeline="upload"):
    started = timezone.now() - dt.timedelta(hours=ago)
    return Attempt.objects.create(
        pipeline=pipeline, subject=subject or uuid.uuid4(), number=ago + 1, token=uuid.uuid4(),
        worker=uuid.uuid4(), worker_label="host:1", started_at=started, ended_at=started, outcome=outcome,
        step="read", code="unreadable" if outcome == "failed" else "storage_away", fingerprint=fingerprint,
    )  # fmt: skip


def test_groups_join_what_shares_a_fingerprint():
    subject = uuid.uuid4()
    first, last = attempt("a", ago=5, subject=subject), attempt("a", ago=1, subject=subject)
    attempt("b", ago=3)
    attempt("", ago=0, outcome="finished")

    newest, other = failure_groups.groups()

    assert (newest.fingerprint, newest.number, newest.subjects) == ("a", 2, 1)
    assert (newest.first_seen, newest.last_seen) == (first.started_at, last.started_at)
    assert other.fingerprint == "b"


def test_groups_tell_final_from_passing_failures():
    attempt("a", ago=1, outcome="temporary_failure")

    (group,) = failure_groups.groups()

    assert (group.number, group.final) == (1, 0)


def test_groups_are_narrowed_by_pipeline_and_time():
    attempt("a", ago=30)
    attempt("b", ago=1, pipeline="report")

    recent = failure_groups.groups(within=dt.timedelta(hours=24))

    assert [group.fingerprint for group in recent] == ["b"]
    assert [group.fingerprint for group in failure_groups.groups(pipeline="upload")] == ["a"]


def test_find_gives_one_group_or_none():
    attempt("a", ago=1)

    assert failure_groups.find("a").number == 1
    assert failure_groups.find("unknown") is None
    assert failure_groups.find("") is None


def test_examples_are_the_newest_first():
    old, new = attempt("a", ago=4), attempt("a", ago=2)

    assert list(failure_groups.examples("a")) == [new, old]
