"""What people are told of their uploads: each verdict, in one sentence with its numbers; each question."""

from functools import partial
from typing import Any

from django.urls import NoReverseMatch, reverse

from ingestion import questions
from ingestion.models import Upload
from work import notifications
from work.failure_texts import describe
from work.models import Event
from work.wording import number


def register() -> None:
    for pattern, title in TITLES.items():
        notifications.register(
            pattern,
            recipients=notifications.owner,
            title=partial(_title, title),
            text=_text,
            path=_path,
            needs_person=pattern != "upload.processed",
        )


def _title(title: str, event: Event) -> str:
    if event.payload.get("dry_run") and event.type in TRIED:
        title = TRIED[event.type]
    return title.format(name=event.subject_label)


TITLES = {
    "upload.processed": "{name} was processed",
    "upload.partial": "{name} was stored in part: some rows were refused",
    "upload.failed": "{name} failed: nothing was stored",
    "upload.needs_answer": "{name} needs an answer before it goes on",
}
TRIED = {
    "upload.processed": "{name} was tried: it would be stored",
    "upload.partial": "{name} was tried: it would be stored in part",
    "upload.failed": "{name} was tried: it would not be stored",
}


def _text(event: Event) -> str:
    counts = event.payload
    if event.type == "upload.needs_answer":
        return _question(event)
    if counts.get("code") and (not counts["refused"] or counts["valid"]):
        return " ".join(describe(counts["code"], _detail(event)))
    stored = f"{number(counts['valid'])} of {number(counts['rows_read'] - counts['blank'])} rows are valid"
    changes = (
        f"{number(counts['inserted'])} new, {number(counts['updated'])} changed, "
        f"{number(counts['unchanged'])} unchanged"
    )
    if counts["superseded"]:
        changes += f", {number(counts['superseded'])} left out because a newer file has them"
    if counts.get("retired"):
        changes += f", {number(counts['retired'])} records retired"
    if not counts["refused"]:
        return f"{stored}: {changes}."
    refused = f"{number(counts['refused'])} were refused; the page says why, row by row."
    return f"{stored}: {changes}. {refused}" if counts["valid"] else f"All rows were refused. {refused}"


def _question(event: Event) -> str:
    """As it stands with the upload; one that was answered meanwhile asks nothing any more."""
    found = Upload.objects.filter(pk=event.subject_id).values_list("asking", flat=True).first()
    return " ".join(questions.describe(found)) if found else "It was answered meanwhile."


def _detail(event: Event) -> dict[str, Any]:
    """Events carry ids and counts only; what the sentence names stands with the verdict itself."""
    found = Upload.objects.filter(pk=event.subject_id).values_list("failure_detail", flat=True)
    return found.first() or {}


def _path(event: Event) -> str:
    try:
        return reverse("upload", args=[event.subject_id])
    except NoReverseMatch:
        return "/"
