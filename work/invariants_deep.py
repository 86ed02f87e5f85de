"""Deep runs of the invariants: leased work, since reading every file takes longer than a request may."""

import datetime as dt
from typing import Any

from django.db import IntegrityError, transaction

from work import decisions, doorbell, invariants
from work.failures import StateChanged
from work.jobs import Job
from work.models import CheckState, InvariantRun
from work.pipelines import PIPELINES, Ending, Limits, Pipeline, Step

# A deep run reads the bytes of every file and reports only between two checks.
AT_MOST = 12 * 3600.0


def request(*, by: Any) -> InvariantRun:
    """Ask for a deep run by a worker. Raises StateChanged when one is unfinished already."""
    try:
        with transaction.atomic():
            run = InvariantRun.objects.create(is_deep=True, requested_by_label=str(by)[:200])
            decisions.record(
                "invariants.requested",
                by=by,
                kind="invariant_run",
                subject=run,
                label="Deep run of the invariants",
            )
            doorbell.ring(PIPELINES)
    except IntegrityError:
        raise StateChanged("requested") from None
    return run


def request_nightly(job: Job) -> str:
    """The periodic job: a worker of the pipelines does the reading, so that the ground stays free."""
    try:
        request(by="the nightly job")
    except StateChanged:
        return "nothing: a deep run is unfinished"
    return "asked for a deep run"


def check_everything(job: Job, context: None) -> None:
    def on_each(done: int, total: int) -> None:
        job.progress(done, total=total, unit="invariants")

    result = invariants.run(deep=True, on_each=on_each)
    with transaction.atomic():
        invariants.tell_of_new_breaches(result)
        job.finish(state=CheckState.CHECKED, fields=invariants.columns(result))


def _failed(row: InvariantRun, code: str, detail: dict[str, Any]) -> Ending:
    return Ending(CheckState.FAILED)


PIPELINE = Pipeline(
    name="verification",
    title="Deep runs of the invariants",
    model=InvariantRun,
    steps=(Step("check_everything", check_everything, silent_for=AT_MOST, at_most=AT_MOST),),
    initial=CheckState.REQUESTED,
    running=CheckState.CHECKING,
    terminal=(CheckState.CHECKED, CheckState.FAILED),
    on_failure=_failed,
    cluster=PIPELINES,
    limits=Limits(running=1, gives_up_after=dt.timedelta(hours=12)),
)
