"""The story of one leased row, for any page: its attempts, and the late writes that the fence refused."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from work.models import Attempt, RefusedWrite

GAVE_NO_ANSWER = ("died", "hung")


@dataclass(frozen=True)
class Story:
    """For `work/_attempts.html`. `failed` and `died` are kept apart: an answer of the worker, and none."""

    attempts: list[Attempt]
    refused: list[RefusedWrite]

    @property
    def died(self) -> int:
        return sum(attempt.outcome in GAVE_NO_ANSWER for attempt in self.attempts)

    @property
    def failed(self) -> int:
        return sum(attempt.outcome in ("failed", "temporary_failure") for attempt in self.attempts)


def attempts_of(pipeline: str, subject: Any) -> Story:
    """The newest first. Each attempt is one start with its worker; none is ever overwritten."""
    return Story(list(_attempts(pipeline, subject)[:100]), list(_refused(pipeline, subject)[:100]))


def _attempts(pipeline: str, subject: Any) -> QuerySet[Attempt]:
    return Attempt.objects.filter(pipeline=pipeline, subject=subject).order_by("-number")


def _refused(pipeline: str, subject: Any) -> QuerySet[RefusedWrite]:
    return RefusedWrite.objects.filter(pipeline=pipeline, subject=subject).order_by("-refused_at")
