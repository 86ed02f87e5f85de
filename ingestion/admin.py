"""Mending of dataset titles and single record values; everything else of ingestion can be looked at."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin

from ingestion import datasets, records
from ingestion.models import (
    Dataset,
    ErrorCount,
    Record,
    RecordVersion,
    Report,
    RowError,
    SchemaVersion,
    Upload,
)
from work.admin_base import MendingAdmin, ReadOnlyAdmin
from work.failures import StateChanged


@admin.register(Dataset)
class DatasetAdmin(MendingAdmin):
    list_display = ("title", "slug", "organisation", "locale", "version", "created_at")
    list_select_related = ("organisation",)
    search_fields = ("title", "slug")
    ordering = ("title",)
    open_fields = ("title", "locale")

    def mend(self, *, row: Any, fields: Mapping[str, Any], by: Any, why: str) -> None:
        datasets.change(dataset=row, fields=fields, by=by, why=why)


@admin.register(Record)
class RecordAdmin(MendingAdmin):
    """Goes through the checks of the schema; the key stays."""

    list_display = ("key", "dataset", "version", "changed_at")
    list_select_related = ("dataset",)
    list_filter = ("dataset",)
    search_fields = ("key",)
    hidden_fields = ("digest",)
    ordering = ("id",)
    open_fields = ("data",)
    refusals = (StateChanged, records.NotValid)

    def mend(self, *, row: Any, fields: Mapping[str, Any], by: Any, why: str) -> None:
        records.mend(record=row, data=fields["data"], by=by, why=why)


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ("filename", "dataset", "state", "rows_read", "refused", "accepted_at", "finished_at")
    list_select_related = ("dataset",)
    list_filter = ("state",)
    search_fields = ("filename", "sha256")
    ordering = ("-id",)


@admin.register(SchemaVersion)
class SchemaVersionAdmin(ReadOnlyAdmin):
    list_display = ("dataset", "number", "made_by", "made_at")
    list_select_related = ("dataset", "made_by")
    ordering = ("-id",)


@admin.register(RowError)
class RowErrorAdmin(ReadOnlyAdmin):
    list_display = ("upload", "sheet", "row")
    ordering = ("-id",)


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("upload", "kind", "state", "requested_at", "swept_at")
    list_filter = ("state", "kind")
    ordering = ("-id",)


@admin.register(RecordVersion)
class RecordVersionAdmin(ReadOnlyAdmin):
    list_display = ("key", "version", "replaced_at")
    hidden_fields = ("digest",)
    search_fields = ("key",)
    ordering = ("-id",)


admin.site.register(ErrorCount, ReadOnlyAdmin)
