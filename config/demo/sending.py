"""Sends files as people would, and waits for what real workers make of them."""

import io
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from config.demo.people import Cast
from ingestion import answers, questions, reports, uploads
from ingestion.models import Dataset, Upload
from ingestion.report_pipeline import REPORTS
from ingestion.states import UploadState
from ingestion.upload_options import UploadOptions
from work import correlation, health, leases, pipelines, runner
from work.failures import StateChanged
from work.problems import Problem

PATIENCE_SECONDS = 600
WITHDRAWALS_TRIED = 5


@dataclass(frozen=True)
class Sending:
    """`content` makes the file when it is needed. A `withdrawn` one is taken back at once, one that
    `is_refused` is not even accepted, and where `is_agreed` its sender agrees to the columns that were
    suggested; other questions stay open."""

    dataset: str
    filename: str
    by: str
    content: Callable[[], bytes]
    withdrawn: bool = False
    is_refused: bool = False
    is_agreed: bool = False
    options: UploadOptions = field(default_factory=UploadOptions)


def send(cast: Cast, datasets: dict[str, Dataset], plan: Iterable[Sending]) -> Iterator[str]:
    """Send what is missing, in order, each after the verdict of the one before; a sentence for each."""
    sent_before: dict[tuple[str, str], int] = {}
    for sending in plan:
        if sending.is_refused:
            yield _refused(cast, datasets[sending.dataset], sending)
            continue
        place = (sending.dataset, sending.filename)
        sent_before[place] = sent_before.get(place, 0) + 1
        upload = _sent(datasets[sending.dataset], sending, sent_before[place])
        if upload is None:
            with correlation.bound(""):
                upload = _send(cast, datasets[sending.dataset], sending)
        upload = settled(upload)
        if sending.is_agreed and upload.question == questions.WHICH_COLUMNS:
            reading = {"confirm": [questions.WHICH_COLUMNS]}
            answers.answer(upload=upload, reading=reading, by=cast.people[sending.by])
            upload = settled(upload)
        yield f"{upload.filename}: {upload.state}"
        if upload.state == UploadState.PARTIAL:
            report = reports.request(upload=upload, kind="xlsx", by=cast.people[sending.by])
            _work_when_alone(pipelines.get(REPORTS.name))
            yield f"  its report of refused rows: {type(report).objects.get(pk=report.pk).state}"


def settled(upload: Upload) -> Upload:
    """As it is when it has a verdict, or asks a person."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends:
        found = Upload.objects.select_related("dataset", "organisation").get(pk=upload.pk)
        if found.finished_at is not None or found.state == UploadState.NEEDS_ANSWER:
            return found
        if not _work_when_alone(pipelines.get("upload")):
            time.sleep(0.2)
    raise TimeoutError(f"{upload.filename} has no verdict after {PATIENCE_SECONDS} seconds")


def _refused(cast: Cast, dataset: Dataset, sending: Sending) -> str:
    try:
        _send(cast, dataset, sending)
    except Problem as problem:
        return f"{sending.filename}: not accepted. {problem.message}"
    raise AssertionError(f"{sending.filename} was accepted")


def _sent(dataset: Dataset, sending: Sending, number: int) -> Upload | None:
    """What an earlier run of the demo sent: the n-th file of this name, drafts that escaped left out, and
    files that were read again."""
    found = Upload.objects.filter(dataset=dataset, filename=sending.filename, reprocesses=None)
    if sending.withdrawn:
        return found.filter(state=UploadState.CANCELLED).first()
    return found.order_by("sequence")[number - 1 : number].first()


def _send(cast: Cast, dataset: Dataset, sending: Sending) -> Upload:
    by, content = cast.people[sending.by], sending.content()
    for _ in range(WITHDRAWALS_TRIED if sending.withdrawn else 1):
        upload = uploads.accept(
            dataset=dataset, stream=io.BytesIO(content), filename=sending.filename, by=by, size=len(content),
            options=sending.options,
        ).upload  # fmt: skip
        if not sending.withdrawn:
            break
        try:
            uploads.withdraw(upload=upload, by=by, why="Sent by mistake: this was a draft.")
            break
        except StateChanged:
            continue  # a fast worker had its verdict first
    return upload


def _work_when_alone(pipeline: pipelines.Pipeline) -> bool:
    """Without living workers this process is the worker; the way of the rows is the same."""
    if health.alive_workers(pipelines.PIPELINES).exists():
        return False
    lease = leases.claim_next(pipeline)
    if lease is not None:
        runner.run(lease)
    return lease is not None
