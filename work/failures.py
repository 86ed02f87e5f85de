"""How work ends early: what a step raises, and what the runner makes of it."""

from datetime import timedelta
from typing import Any

# The code of what no step had named.
UNFORESEEN = "unforeseen_error"


class WorkFailure(Exception):
    """The base of every failure a step names. `code` is stable; `detail` is data for the page, never cell
    values.
    """

    retryable = False

    def __init__(self, code: str, **detail: Any) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


class TemporaryFailure(WorkFailure):
    """Something outside is not well: the row goes back to waiting with a growing backoff."""

    retryable = True


class NotSent(TemporaryFailure):
    """A call that did surely not arrive: no connection to its server was made."""


class PermanentFailure(WorkFailure):
    """Trying again cannot help: the row ends, with the code and the detail."""


class Postponed(Exception):
    """The work is not ready (budget, rate limit, an external job): released until then, counted against
    nobody. With a `state`, the row waits in that one.
    """

    def __init__(self, reason: str, due_in: timedelta, *, state: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.due_in = due_in
        self.state = state


class Asks(Exception):
    """Only a person can decide: the row waits for the answer to `question`, held by no worker."""

    def __init__(self, question: str, state: str, **fields: Any) -> None:
        super().__init__(question)
        self.question = question
        self.state = state
        self.fields = fields


class LeaseLost(Exception):
    """The lease is gone (expired, cancelled, or recovered): nothing this worker does later may be stored.

    `tried` names the write that the fence refused; empty when the worker stopped before it tried one.
    """

    def __init__(self, reason: str, *, tried: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.tried = tried


class ForbiddenMove(Exception):
    """The machine has no arrow between these two states: an error in the code, caught before any write."""

    def __init__(self, pipeline: str, old: str, new: str) -> None:
        super().__init__(f"{pipeline}: there is no move from {old} to {new}")


class Stopping(Exception):
    """The process was asked to stop: the row is released at once and counted against nobody."""


class StateChanged(Exception):
    """A guarded UPDATE matched no row: somebody else moved it first. Carries the state found."""

    def __init__(self, found: str | None) -> None:
        super().__init__(f"the row is now {found}")
        self.found = found
