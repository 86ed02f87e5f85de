"""The demo's uploads, sent as people would send them and worked on by real workers."""

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from config.demo import tables
from config.demo.files import as_csv, as_workbook
from config.demo.people import Cast
from config.demo.spoiling import airports_with_mistakes, with_words_for_numbers, without_column
from ingestion import reports, uploads
from ingestion.models import Dataset, Upload
from ingestion.report_pipeline import REPORTS
from ingestion.states import UploadState
from work import correlation, health, leases, pipelines, runner
from work.failures import StateChanged

PATIENCE_SECONDS = 600
WITHDRAWALS_TRIED = 5


@dataclass(frozen=True)
class Sending:
    """`content` makes the file when it is needed; a `withdrawn` one is taken back at once."""

    dataset: str
    filename: str
    by: str
    content: Callable[[], bytes]
    withdrawn: bool = False


def _table(make: Callable[[], tables.Table], **how: str) -> Callable[[], bytes]:
    return lambda: as_csv(make(), **how)


def _book(make: Callable[[], tables.Table], **how: str) -> Callable[[], bytes]:
    return lambda: as_workbook(make(), **how)


PLAN: tuple[Sending, ...] = (
    Sending(
        "airports-europe", "airports-dach.csv", "uploader",
        _table(lambda: tables.airports({"AT", "CH", "DE"}), delimiter=";"),
    ),
    Sending(
        "airports-europe", "airports-europe.xlsx", "uploader",
        _book(lambda: tables.airports(tables.EUROPE)),
    ),
    Sending(
        "airports-americas", "airports-americas.csv", "manager",
        _table(lambda: tables.airports(tables.AMERICAS)),
    ),
    Sending("countries", "airports-by-country.xlsx", "manager", _book(tables.countries)),
    Sending("metropolitan-areas", "metropolitan-areas.csv", "uploader", _table(tables.metropolitan_areas)),
    Sending("time-zones", "time-zones.xlsx", "operator2", _book(tables.time_zones)),
    Sending(
        "currency-signs", "currency-signs.csv", "operator2",
        _table(tables.currency_signs, encoding="utf-8-sig"),
    ),
    Sending("media-types", "media-types.csv", "operator2", _table(tables.media_types, delimiter="\t")),
    Sending(
        "metropolitan-areas", "metropolitan-areas without airports.csv", "uploader",
        _table(lambda: without_column(tables.metropolitan_areas(), "airport")),
    ),
    Sending(
        "countries", "airports-by-country in words.csv", "manager",
        _table(lambda: with_words_for_numbers(tables.countries(), "Airports")),
    ),
    Sending(
        "airports-americas", "airports-americas (draft).csv", "manager",
        _table(lambda: tables.airports(tables.AMERICAS | {"US"})), withdrawn=True,
    ),
    Sending(
        "airports-europe", "airports-france corrected by hand.xlsx", "uploader",
        _book(lambda: airports_with_mistakes(tables.airports({"FR"})), sheet="Aéroports"),
    ),
    Sending(
        "time-zones", "time-zones in july.xlsx", "operator2",
        _book(lambda: tables.time_zones(tables.JULY)),
    ),
    Sending(
        "time-zones", "time-zones in july.xlsx", "operator2",
        _book(lambda: tables.time_zones(tables.JULY)),
    ),
)  # fmt: skip


def send(cast: Cast, datasets: dict[str, Dataset]) -> Iterator[str]:
    """Send what is missing, in order, each after the verdict of the one before; a sentence for each."""
    sent_before: dict[tuple[str, str], int] = {}
    for sending in PLAN:
        place = (sending.dataset, sending.filename)
        sent_before[place] = sent_before.get(place, 0) + 1
        upload = _sent(datasets[sending.dataset], sending, sent_before[place])
        if upload is None:
            with correlation.bound(""):
                upload = _send(cast, datasets[sending.dataset], sending)
        upload = _finished(upload)
        yield f"{upload.filename}: {upload.state}"
        if upload.state == UploadState.PARTIAL:
            report = reports.request(upload=upload, kind="xlsx", by=cast.people[sending.by])
            _work_when_alone(pipelines.get(REPORTS.name))
            yield f"  its report of refused rows: {type(report).objects.get(pk=report.pk).state}"


def _sent(dataset: Dataset, sending: Sending, number: int) -> Upload | None:
    """What an earlier run of the demo sent: the n-th file of this name, drafts that escaped left out."""
    found = Upload.objects.filter(dataset=dataset, filename=sending.filename).order_by("sequence")
    if sending.withdrawn:
        return found.filter(state=UploadState.CANCELLED).first()
    return found[number - 1 : number].first()


def _send(cast: Cast, dataset: Dataset, sending: Sending) -> Upload:
    by, content = cast.people[sending.by], sending.content()
    for _ in range(WITHDRAWALS_TRIED if sending.withdrawn else 1):
        stream = io.BytesIO(content)
        upload = uploads.accept(
            dataset=dataset, stream=stream, filename=sending.filename, by=by, size=len(content)
        ).upload
        if not sending.withdrawn:
            break
        try:
            uploads.withdraw(upload=upload, by=by, why="Sent by mistake: this was a draft.")
            break
        except StateChanged:
            continue  # a fast worker had its verdict first
    return upload


def _finished(upload: Upload) -> Upload:
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends:
        found = Upload.objects.get(pk=upload.pk)
        if found.finished_at is not None:
            return found
        if not _work_when_alone(pipelines.get("upload")):
            time.sleep(0.2)
    raise TimeoutError(f"{upload.filename} has no verdict after {PATIENCE_SECONDS} seconds")


def _work_when_alone(pipeline: pipelines.Pipeline) -> bool:
    """Without living workers this process is the worker; the way of the rows is the same."""
    if health.alive_workers(pipelines.PIPELINES).exists():
        return False
    lease = leases.claim_next(pipeline)
    if lease is not None:
        runner.run(lease)
    return lease is not None
