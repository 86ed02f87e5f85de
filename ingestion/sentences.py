"""What is the case with an upload, said in one sentence; and what to do next."""

from dataclasses import dataclass

from ingestion import questions
from ingestion.models import Upload
from ingestion.states import UploadState
from ingestion.stories import Story
from work.failure_texts import describe
from work.wording import number

GO_ON = "Mend them here, or take the workbook “Rows to mend”, mend it and send it: its rows join this file."


@dataclass(frozen=True)
class Said:
    """`title` is the page's heading, `missing` what is not stored and why, `remedy` the next step."""

    title: str
    missing: str = ""
    remedy: str = ""


def of(upload: Upload) -> Said:
    if upload.dry_run and upload.state in TRIED:
        return _tried(upload)
    return SAYINGS[UploadState(upload.state)](upload)


def of_story(story: Story) -> Said:
    """Of a file and those that mend it, as one: "3,800 of 4,000 rows are stored, 180 mended, 20 left"."""
    left_out = f"{number(story.left_out)} left out, " if story.left_out else ""
    title = (
        f"{number(story.stored)} of {number(story.rows)} rows are stored, "
        f"{number(story.mended)} mended, {left_out}{number(story.left)} left"
    )
    under_way = [chapter for chapter in story.chapters if chapter.finished_at is None]
    if under_way:
        return Said(title, f"{under_way[-1].filename} is under way, and counts with its verdict.")
    if not story.left:
        return Said(title, "Nothing is left to mend.")
    left = "One row is" if story.left == 1 else f"{number(story.left)} rows are"
    return Said(title, f"{left} still to be mended; nothing else is missing.", GO_ON)


def with_data(upload: Upload) -> int:
    return upload.rows_read - upload.blank


def _accepted(upload: Upload) -> Said:
    return Said(f"{upload.filename} is accepted", "Nothing of it has been read yet.")


def _processing(upload: Upload) -> Said:
    return Said(f"{upload.filename} is being processed", "Nothing of it is stored before its verdict.")


def _needs_answer(upload: Upload) -> Said:
    """A row that was parked, or asked by an earlier version, has no question of its own."""
    title = f"{upload.filename} needs an answer"
    if not upload.asking:
        return Said(title, "It goes on when its owner has decided.")
    return Said(title, *questions.describe(upload.asking))


def _processed(upload: Upload) -> Said:
    rows = with_data(upload)
    title = f"All {number(rows)} rows are stored" if rows != 1 else "The one row is stored"
    if upload.superseded:
        return Said(
            f"{number(upload.stored)} of {number(rows)} rows are stored",
            f"{number(upload.superseded)} were left out, since a newer upload holds values for their keys."
            f"{_retired(upload)}",
        )
    return Said(title, f"Nothing is missing.{_retired(upload)}")


def _partial(upload: Upload) -> Said:
    left_out = f" {number(upload.superseded)} stand back behind a newer upload." if upload.superseded else ""
    refused = (
        "One was refused and waits"
        if upload.refused == 1
        else f"{number(upload.refused)} were refused and wait"
    )
    return Said(
        f"{number(upload.stored)} of {number(with_data(upload))} rows are stored",
        f"{refused} to be mended; nothing else is missing.{left_out}{_retired(upload)}",
        GO_ON,
    )


def _tried(upload: Upload) -> Said:
    """Of a dry run that would have stored something."""
    rows = with_data(upload)
    title = f"Dry run: {number(upload.stored)} of {number(rows)} rows would be stored"
    refused = f" {number(upload.refused)} would be refused." if upload.refused else ""
    left_out = (
        f" {number(upload.superseded)} would stand back behind a newer upload." if upload.superseded else ""
    )
    return Said(
        title,
        f"Nothing of the file is stored: it was only tried.{refused}{left_out}{_retired(upload)}",
        "Store it now, or send it anew once it is mended."
        if upload.refused
        else "Store it now if that is meant.",
    )


def _retired(upload: Upload) -> str:
    """Of a snapshot: how many records are absent from it."""
    if not upload.retired:
        return ""
    one, verb = (
        upload.retired == 1,
        "would be" if upload.dry_run else "was" if upload.retired == 1 else "were",
    )
    who = "One record" if one else f"{number(upload.retired)} records"
    return f" {who} absent from the file {verb} retired."


def _failed(upload: Upload) -> Said:
    message, remedy = describe(upload.failure_code, upload.failure_detail)
    return Said(f"Nothing of {upload.filename} is stored", message, remedy)


def _cancelled(upload: Upload) -> Said:
    why = f" Reason: {upload.cancel_reason}" if upload.cancel_reason else ""
    return Said(
        f"{upload.filename} was withdrawn",
        f"By {upload.cancelled_by_label or 'somebody'}, before its verdict. Nothing of it is stored.{why}",
    )


TRIED = (UploadState.PROCESSED, UploadState.PARTIAL)
SAYINGS = {
    UploadState.ACCEPTED: _accepted,
    UploadState.PROCESSING: _processing,
    UploadState.NEEDS_ANSWER: _needs_answer,
    UploadState.PROCESSED: _processed,
    UploadState.PARTIAL: _partial,
    UploadState.FAILED: _failed,
    UploadState.CANCELLED: _cancelled,
}
