"""A chain of uploads that mend one another, read as one story about the rows of the first file."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from ingestion import queries
from ingestion.failures import EVERY_ROW_REFUSED
from ingestion.models import RowError, Upload
from ingestion.states import UploadState


@dataclass(frozen=True)
class Story:
    """`stored` counts rows that the first file brought itself, `mended` those that later ones did; `left_out`
    are refused and shall never be stored, as a person decided; `left` are refused and in no later file.
    rows = stored + superseded + mended + left_out + left, but for rows that a later file has added, which are
    left or left out when they were refused.
    """

    root: Upload
    chapters: list[Upload]  # in the order of acceptance, the first file in front
    rows: int
    stored: int
    mended: int
    left_out: int
    left: int

    @property
    def newest(self) -> Upload:
        """Where one goes on."""
        return self.chapters[-1]

    @property
    def is_chain(self) -> bool:
        """Whether there is a story to tell: a verdict whose refused rows later files could bring."""
        return (len(self.chapters) > 1 or self.left_out > 0) and may_be_mended(self.root)

    @property
    def goes_on_with(self) -> Upload | None:
        """The file whose open rows come next: the newest that has any."""
        if not self.left:
            return None
        mendable = (one for one in reversed(self.chapters) if may_be_mended(one) and open_rows(one).exists())
        return next(mendable, None)


def of(upload: Upload) -> Story:
    root = upload.story or upload
    later = list(_chapters(root.pk))
    mended = sum(chapter.mended for chapter in later)
    added = added_and_open(root.pk).count() if later else 0
    own_left_out = left_out_rows(root).count()
    left_out = own_left_out + (_added(root.pk).filter(left_out__isnull=False).count() if later else 0)
    return Story(
        root=root,
        chapters=[root, *later],
        rows=root.rows_read - root.blank,
        stored=root.stored,
        mended=mended,
        left_out=left_out,
        left=root.refused - mended - own_left_out + added,
    )


def may_be_mended(upload: Upload) -> bool:
    """Whether all that its file lacks in the dataset is its refused rows."""
    if upload.run is None or upload.dry_run or not upload.refused:
        return False
    return upload.state == UploadState.PARTIAL or (
        upload.state == UploadState.FAILED and upload.failure_code == EVERY_ROW_REFUSED
    )


def open_rows(upload: Upload) -> QuerySet[RowError]:
    """The refused rows of one verdict that no later file has brought, and that are not left out."""
    return queries.error_rows(upload).filter(mended_by=None, left_out=None)


def left_out_rows(upload: Upload) -> QuerySet[RowError]:
    return queries.error_rows(upload).filter(mended_by=None, left_out__isnull=False)


def added_and_open(root: uuid.UUID | OuterRef) -> QuerySet[RowError]:
    """Refused rows that stand in a later file only."""
    return _added(root).filter(left_out=None)


def _added(root: uuid.UUID | OuterRef) -> QuerySet[RowError]:
    return RowError.objects.filter(
        upload__story=root, upload__dry_run=False, run=F("upload__run"), origin=None, mended_by=None
    )


def something_left(uploads: QuerySet[Upload]) -> QuerySet[Upload]:
    """Annotate `left_in_story`: refused rows of the first file that no later one has brought, those that are
    left out not counted; and
    `has_added_rows`: whether rows are open that stand in later files only.
    """
    later = Upload.objects.filter(story=OuterRef("first_of_story"), dry_run=False).order_by()
    brought = later.values("story").annotate(total=Sum("mended")).values("total")
    refused = Upload.objects.filter(pk=OuterRef("first_of_story")).values("refused")
    decided = RowError.objects.filter(
        upload=OuterRef("first_of_story"), run=F("upload__run"), mended_by=None, left_out__isnull=False
    ).order_by()
    left_out = decided.values("upload").annotate(total=Count("pk")).values("total")
    return uploads.annotate(
        first_of_story=Coalesce("story_id", "id"),
        has_added_rows=Exists(added_and_open(OuterRef("first_of_story"))),
        left_in_story=Subquery(refused)
        - Coalesce(Subquery(brought), Value(0), output_field=IntegerField())
        - Coalesce(Subquery(left_out), Value(0), output_field=IntegerField()),
    )


def body(upload: Upload) -> dict[str, Any]:
    """The story as the API tells it."""
    story = of(upload)
    return {
        "root": str(story.root.pk),
        "chapters": [
            {
                "upload": str(chapter.pk),
                "filename": chapter.filename,
                "sent_by": chapter.uploaded_by_label,
                "accepted_at": chapter.accepted_at,
                "status": chapter.state,
                "mended": chapter.mended,
                "refused": chapter.refused,
                "superseded": chapter.superseded,
            }
            for chapter in story.chapters
        ],
        "rows": story.rows,
        "stored": story.stored,
        "mended": story.mended,
        "left_out": story.left_out,
        "left": story.left,
    }


def _chapters(root: uuid.UUID) -> QuerySet[Upload]:
    """A trial run brings nothing, and a withdrawn one told nothing."""
    cancelled = Q(state=UploadState.CANCELLED)
    return Upload.objects.filter(~cancelled, story=root, dry_run=False).order_by("sequence")
