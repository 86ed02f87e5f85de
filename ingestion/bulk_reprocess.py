"""Reading many kept files again at once, by the filters of the list of uploads."""

from typing import Any

from django.db.models import Case, CharField, Exists, F, OuterRef, QuerySet, Value, When
from django.http import QueryDict

from ingestion import bulk_withdrawal, reprocessing
from ingestion.models import Upload
from work.bulk import BulkKind
from work.failures import StateChanged
from work.problems import Problem

IS_ONE, IS_TRIAL, IS_RUNNING = "reads another again", "a trial", "being read again"


def of_list(filters: QueryDict | None) -> QuerySet[Upload]:
    """As the list shows them, each with `found`: its state, or what else stands in the way. A reading again
    is left out, since its original is what is read; and a trial, since nobody asked to store it.
    """
    running = Upload.objects.filter(reprocesses=OuterRef("pk"), dry_run=False, finished_at__isnull=True)
    found = Case(
        When(reprocesses__isnull=False, then=Value(IS_ONE)),
        When(dry_run=True, then=Value(IS_TRIAL)),
        When(Exists(running), then=Value(IS_RUNNING)),
        default=F("state"),
        output_field=CharField(),
    )
    return bulk_withdrawal.of_list(filters).annotate(found=found)


def _reprocess(upload: Upload, by: Any, why: str) -> None:
    try:
        again = reprocessing.reprocess(upload=upload, by=by, why=why)
    except Problem as problem:
        raise StateChanged(str(problem.extra.get("state", problem.code))) from problem
    if again.already:
        raise StateChanged(IS_RUNNING)


KIND = BulkKind(
    action="upload.reprocess",
    title="Read uploads again",
    verb="Read again",
    queryset=of_list,
    eligible=lambda rows: rows.filter(found__in=reprocessing.WITH_A_VERDICT),
    act=_reprocess,
    right="upload",
    found="found",
    url_name="uploads",
)
