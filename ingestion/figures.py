"""The daily sums of uploads: verdicts, rows by outcome, errors by rule, and how long verdicts took."""

from collections.abc import Iterator

from work import analytics
from work.analytics import Figure
from work.models import Event

VERDICTS = ("upload.processed", "upload.partial", "upload.failed")
ROWS = ("inserted", "updated", "unchanged", "superseded", "refused", "blank")


def register() -> None:
    for verdict in VERDICTS:
        analytics.register(verdict, _of_verdict)


def _of_verdict(event: Event) -> Iterator[Figure]:
    told, dataset = event.payload, event.payload["dataset"]
    if told.get("dry_run"):
        return
    yield Figure(dataset, "verdicts", event.type.partition(".")[2])
    for outcome in ROWS:
        yield Figure(dataset, "rows", outcome, told.get(outcome, 0))
    for code, rows in told.get("errors", {}).items():
        yield Figure(dataset, "errors", code, rows)
    yield analytics.lasted(dataset, "seconds_to_verdict", told["seconds"])
