"""Withdrawing many uploads at once, by the filters of their list."""

from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from ingestion import list_filters, uploads
from ingestion.models import Upload
from work.bulk import BulkKind


def of_list(filters: QueryDict | None) -> QuerySet[Upload]:
    """What the page of uploads shows under its filters; every upload for None."""
    found: QuerySet[Upload] = Upload.objects.select_related("dataset", "organisation")
    if filters is None:
        return found
    return list_filters.apply(found, filters)


def _withdraw(upload: Upload, by: Any, why: str) -> None:
    uploads.withdraw(upload=upload, by=by, why=why)


KIND = BulkKind(
    action="upload.withdraw",
    title="Withdraw uploads",
    verb="Withdraw",
    queryset=of_list,
    eligible=lambda rows: rows.filter(finished_at__isnull=True),
    act=_withdraw,
    right="withdraw",
    url_name="uploads",
    is_grave=True,
)
