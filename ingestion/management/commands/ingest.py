"""`manage.py ingest FILE`: accepts a file from the shell, as the API would, and can wait for its verdict."""

import getpass
import json
import time
from argparse import ArgumentParser, FileType
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import InterfaceError, OperationalError, connection

from ingestion import api_bodies, questions, uploads
from ingestion.models import Dataset, Upload
from ingestion.pipeline import PIPELINE
from ingestion.states import UploadState
from ingestion.upload_options import UploadOptions
from work import correlation, waiting
from work.failure_texts import describe
from work.problems import Problem
from work.wording import number

LOOK_EVERY_SECONDS = 0.5
SAY_WHY_EVERY_SECONDS = 15.0
NOTHING_STORED = (UploadState.FAILED, UploadState.CANCELLED, UploadState.NEEDS_ANSWER)


@dataclass(frozen=True)
class Shell:
    """Who runs the command, by the name the system knows. Has no account here, and every right."""

    name: str
    user: None = None

    @property
    def actor(self) -> str:
        return f"shell:{self.name}"

    def __str__(self) -> str:
        return f"{self.name} in the shell"


class Command(BaseCommand):
    help = (
        "Accept a file for a dataset. Without --wait this ends when the file is accepted, which is not done. "
        "With --wait it ends with the verdict or a question, and exits with 1 when nothing was stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=FileType("rb"))
        parser.add_argument("--organisation", required=True, metavar="SLUG")
        parser.add_argument("--dataset", required=True, metavar="SLUG")
        parser.add_argument(
            "--key", default="", help="an Idempotency-Key: repeated, it gives the first upload"
        )
        parser.add_argument("--sheet", default="", help="name of the sheet")
        parser.add_argument("--header-row", type=int, metavar="ROW", help="row with the names of the columns")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="FIELD=HEADING",
            help="heading or letters of the column of a field; nothing after = when the file has none",
        )
        parser.add_argument(
            "--on-doubt",
            choices=Upload.OnDoubt.values,
            default=Upload.OnDoubt.ASK,
            help="when only a person can decide: wait for an answer, or fail",
        )
        parser.add_argument("--dry-run", action="store_true", help="give the verdict, and store nothing")
        parser.add_argument("--wait", action="store_true", help="wait for the verdict")
        parser.add_argument("--json", action="store_true", help="print the upload as the API does")
        parser.add_argument("--timeout", type=float, default=3600.0, metavar="SECONDS", help="of --wait")

    def handle(
        self, *args: Any, file: BinaryIO, organisation: str, dataset: str, key: str, wait: bool,
        timeout: float, **options: Any,
    ) -> None:  # fmt: skip
        with file, correlation.bound(""):
            upload = self._accept(file, organisation, dataset, key, _options(options))
        if wait:
            upload = self._wait(upload, timeout)
        if options["json"]:
            body = api_bodies.upload_detail(upload)
            self.stdout.write(json.dumps(body, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2))
        else:
            self.stdout.write(_sentence(upload))
        if wait and upload.state in NOTHING_STORED:
            raise SystemExit(1)

    def _accept(
        self, file: BinaryIO, organisation: str, slug: str, key: str, options: UploadOptions
    ) -> Upload:
        found = Dataset.objects.select_related("organisation").filter(
            organisation__slug=organisation, slug=slug
        )
        dataset = found.first()
        if dataset is None:
            raise CommandError(f"There is no dataset {slug} of an organisation {organisation}.")
        try:
            accepted = uploads.accept(
                dataset=dataset,
                stream=file,
                filename=file.name,
                by=Shell(getpass.getuser()),
                idempotency_key=key,
                options=options,
            )
        except Problem as problem:
            raise CommandError(f"{problem.message} {problem.remedy}".strip()) from problem
        return accepted.upload

    def _wait(self, upload: Upload, timeout: float) -> Upload:
        """Says on the error stream why nothing moves; the result alone goes to the output."""
        started = said = time.monotonic()
        while True:
            now = time.monotonic()
            is_time_to_say = now - said > SAY_WHY_EVERY_SECONDS
            try:
                found = Upload.objects.select_related("dataset", "organisation").get(pk=upload.pk)
                if found.finished_at is not None or found.asking:
                    return found
                reason = _why(found) if is_time_to_say else ""
            except (OperationalError, InterfaceError):
                connection.close()  # a database that restarts loses nothing that was accepted
                reason = "The database does not answer at the moment."
            if now - started > timeout:
                raise CommandError(f"No verdict after {timeout:g} seconds; the upload {upload.pk} goes on.")
            if is_time_to_say:
                self.stderr.write(reason)
                said = now
            time.sleep(LOOK_EVERY_SECONDS)


def _mapped(text: str) -> tuple[str, str | None]:
    field, sign, heading = text.partition("=")
    if not field or not sign:
        raise CommandError(f"--map takes FIELD=HEADING, and {text} is none.")
    return field, heading or None


def _options(given: dict[str, Any]) -> UploadOptions:
    reading = {
        "sheet": given["sheet"],
        "header_row": given["header_row"],
        "mapping": dict(map(_mapped, given["map"])),
    }
    return UploadOptions(reading=reading, on_doubt=given["on_doubt"], dry_run=given["dry_run"])


def _why(upload: Upload) -> str:
    reason = waiting.why(PIPELINE, upload)
    return reason.sentence if reason else f"At {upload.step}: {upload.progress_done}"


def _sentence(upload: Upload) -> str:
    if upload.asking:
        return f"{upload.filename} needs an answer: {' '.join(questions.describe(upload.asking))}"
    if upload.finished_at is None:
        return f"{upload.filename} was accepted as {upload.pk}. It is not processed yet."
    if upload.failure_code:
        message, remedy = describe(upload.failure_code, upload.failure_detail)
        return f"{upload.filename} {upload.state}: {message} {remedy}"
    return (
        f"{upload.filename} {upload.state}: {number(upload.valid)} of {number(upload.rows_read)} rows valid, "
        f"{number(upload.refused)} refused; {number(upload.inserted)} new, {number(upload.updated)} changed, "
        f"{number(upload.unchanged)} unchanged, {number(upload.superseded)} superseded."
    )
