"""What of uploads only a person can decide: questions, files to mend or sent twice, and work we gave up."""

from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.urls import NoReverseMatch, reverse

from ingestion import failures, questions, stories
from ingestion.models import Dataset, Upload
from ingestion.states import UploadState
from work.attention import AttentionKind, Case
from work.failure_texts import describe
from work.recovery import DIED_REPEATEDLY
from work.wording import number

# Failures that say nothing about the file: an operator's, and not for its owner to mend.
OURS = (
    DIED_REPEATEDLY, "unforeseen_error", failures.READER_CRASHED, failures.ORIGINAL_MISSING,
    failures.VALUES_NOT_STORABLE, failures.DATABASE_UNAVAILABLE,
)  # fmt: skip


def asking(principal: Any) -> QuerySet[Upload]:
    """Those that wait for their owner's answer. Ones that recovery parked are for operators, elsewhere."""
    return _own(Upload.objects.asking().filter(state=UploadState.NEEDS_ANSWER), principal)


def to_mend(principal: Any) -> QuerySet[Upload]:
    """The newest upload of a dataset, when some or all of its rows were refused: its owners' to mend. Of a
    chain that mends, when something is left of its story."""
    refused = Q(state=UploadState.PARTIAL) | Q(state=UploadState.FAILED) & ~Q(failure_code__in=OURS)
    finished = stories.something_left(Upload.objects.filter(finished_at__isnull=False))
    left = Q(left_in_story__gt=0) | Q(has_added_rows=True)
    chapter = Q(story__isnull=False) & left & ~Q(failure_code__in=OURS)
    come_to_an_end = Q(left_in_story__lte=0) & (
        Q(state=UploadState.PARTIAL) | Q(failure_code=failures.EVERY_ROW_REFUSED)
    )
    newest = _newest(finished.filter(Q(story=None) & refused & ~come_to_an_end | chapter))
    return _own(newest.select_related("story"), principal).order_by("finished_at")


def sent_twice(principal: Any) -> QuerySet[Upload]:
    """Not yet finished, with the bytes of an earlier upload of the same dataset."""
    waiting = Upload.objects.unfinished().filter(repeats__isnull=False, dry_run=False)
    return _own(waiting.select_related("repeats"), principal).order_by("accepted_at")


def given_up(principal: Any) -> QuerySet[Upload]:
    failed = Upload.objects.filter(state=UploadState.FAILED, failure_code__in=OURS)
    if principal is not None and not principal.is_operator:
        return Upload.objects.none()
    return _newest(failed).select_related("dataset", "organisation").order_by("finished_at")


def _newest(uploads: QuerySet[Upload]) -> QuerySet[Upload]:
    """A newer file, whatever became of it, is the answer to the case of an older one; and so is reading the
    same file again. Asked of every page, so by one look into an index per dataset."""
    last = Upload.objects.filter(dataset=OuterRef("pk"), dry_run=False).exclude(state=UploadState.CANCELLED)
    newest = Subquery(last.order_by("-precedence", "-sequence").values("pk")[:1])
    return uploads.filter(pk__in=Dataset.objects.annotate(newest=newest).values("newest"))


def _own(uploads: QuerySet[Upload], principal: Any) -> QuerySet[Upload]:
    """Of the person's own organisations: operators have enough to decide that is theirs."""
    uploads = uploads.select_related("dataset", "organisation")
    return uploads if principal is None else uploads.filter(organisation__in=list(principal.roles))


def _asking_case(upload: Upload) -> Case:
    page = _page(upload)
    asked = upload.asking
    return Case(
        key=str(upload.pk),
        kind="upload_needs_answer",
        title=f"{upload.filename} needs an answer",
        url=page,
        question=questions.describe(asked)[0] if asked else "How is it to be read?",
        since=upload.asked_at or upload.accepted_at,
        action="Answer",
        action_url=page,
        organisation=upload.organisation,
        evidence=(("Dataset", upload.dataset.title), ("Sent by", upload.uploaded_by_label)),
    )


def _mend_case(upload: Upload) -> Case:
    if upload.story is not None:
        return _story_case(upload, upload.story)
    page = _page(upload)
    failed = upload.state == UploadState.FAILED
    evidence = (
        (("Reason", describe(upload.failure_code, upload.failure_detail)[0]),)
        if failed
        else (("Refused", f"{number(upload.refused)} of {number(upload.rows_read)} rows"),)
    )
    return Case(
        key=str(upload.pk),
        kind="upload_to_mend",
        title=f"{upload.filename} was {'not stored' if failed else 'stored in part'}",
        url=page,
        question="Will you mend the file and upload it again?",
        since=upload.finished_at or upload.accepted_at,
        action="See what was refused",
        action_url=page,
        organisation=upload.organisation,
        evidence=(("Dataset", upload.dataset.title), *evidence),
    )


def _story_case(upload: Upload, root: Upload) -> Case:
    """The newest chapter is where one goes on."""
    page = _page(upload)
    left = stories.of(upload).left
    return Case(
        key=str(upload.pk),
        kind="upload_to_mend",
        title=f"{root.filename}: {number(left)} row{'' if left == 1 else 's'} left to mend",
        url=page,
        question="Will you mend what is left?",
        since=upload.finished_at or upload.accepted_at,
        action="See what is left",
        action_url=page,
        organisation=upload.organisation,
        evidence=(
            ("Dataset", upload.dataset.title),
            ("Newest file", upload.filename),
            ("Left", f"{number(left)} of {number(root.rows_read - root.blank)} rows"),
        ),
    )


def _twice_case(upload: Upload) -> Case:
    page = _page(upload)
    return Case(
        key=str(upload.pk),
        kind="upload_sent_twice",
        title=f"{upload.filename} was sent before",
        url=page,
        question="Is it meant, or shall it be withdrawn?",
        since=upload.accepted_at,
        action="Compare and decide",
        action_url=page,
        organisation=upload.organisation,
        evidence=(
            ("Dataset", upload.dataset.title),
            ("The same bytes", upload.repeats.filename if upload.repeats else ""),
        ),
    )


def _given_up_case(upload: Upload) -> Case:
    page = _page(upload)
    return Case(
        key=str(upload.pk),
        kind="upload_given_up",
        title=f"{upload.filename} was given up, and not for what is in it",
        url=page,
        question="Is the cause gone, so that it can be sent again?",
        since=upload.finished_at or upload.accepted_at,
        action="Look at its attempts",
        action_url=page,
        organisation=upload.organisation,
        evidence=(
            ("Dataset", upload.dataset.title),
            ("Reason", describe(upload.failure_code, upload.failure_detail)[0]),
            ("Starts", upload.starts),
        ),
    )


def _page(upload: Upload) -> str:
    try:
        return reverse("upload", args=[upload.pk])
    except NoReverseMatch:
        return "/"


KINDS = (
    AttentionKind("upload_needs_answer", "Uploads that need an answer", asking, _asking_case),
    AttentionKind("upload_to_mend", "Files to mend", to_mend, _mend_case, since="finished_at"),
    AttentionKind("upload_sent_twice", "Files sent twice", sent_twice, _twice_case, since="accepted_at"),
    AttentionKind("upload_given_up", "Uploads given up", given_up, _given_up_case, since="finished_at"),
)
