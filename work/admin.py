"""The ledgers of the ground, to look at: nothing here is ever changed by hand."""

from django.contrib import admin

from work import models
from work.admin_base import ReadOnlyAdmin


@admin.register(models.Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("type", "organisation", "subject_kind", "subject_label", "actor", "occurred_at")
    list_filter = ("type",)
    list_select_related = ("organisation",)
    search_fields = ("=subject_id", "=correlation_id")
    ordering = ("-id",)


@admin.register(models.Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("what", "by_label", "subject_kind", "subject_label", "why", "decided_at")
    list_filter = ("what",)
    search_fields = ("=subject_id", "=correlation_id")
    ordering = ("-id",)


@admin.register(models.AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("number", "type", "organisation_label", "subject_label", "actor", "occurred_at")
    search_fields = ("=subject_id", "=correlation_id")
    ordering = ("-number",)


@admin.register(models.Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ("pipeline", "subject", "number", "worker_label", "outcome", "code", "started_at")
    list_filter = ("pipeline", "outcome")
    search_fields = ("=subject", "=fingerprint")
    ordering = ("-id",)


@admin.register(models.RefusedWrite)
class RefusedWriteAdmin(ReadOnlyAdmin):
    list_display = ("pipeline", "subject", "worker_label", "step", "tried", "refused_at")
    search_fields = ("=subject",)
    ordering = ("-id",)


@admin.register(models.Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("event_id", "consumer", "state", "starts", "failure_code", "finished_at")
    list_filter = ("consumer", "state")
    search_fields = ("=event__id",)
    ordering = ("-id",)


@admin.register(models.PeriodicRun)
class PeriodicRunAdmin(ReadOnlyAdmin):
    list_display = ("name", "slot", "state", "trigger", "did", "started_at", "finished_at")
    list_filter = ("name", "state")
    ordering = ("-id",)


@admin.register(models.Worker)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ("label", "cluster", "started_at", "seen_at", "stopped_at", "busy_with")
    list_filter = ("cluster",)
    ordering = ("-started_at",)


@admin.register(models.PipelinePause)
class PipelinePauseAdmin(ReadOnlyAdmin):
    list_display = ("pipeline", "paused_by_label", "paused_at", "reason")


@admin.register(models.BulkAction)
class BulkActionAdmin(ReadOnlyAdmin):
    list_display = ("action", "organisation", "requested_by_label", "state", "accepted_at")
    list_filter = ("action", "state")
    list_select_related = ("organisation",)
    ordering = ("-id",)


@admin.register(models.Mail)
class MailAdmin(ReadOnlyAdmin):
    """Without the text: it may hold what only its reader should see."""

    list_display = ("subject", "user", "state", "accepted_at", "finished_at")
    list_filter = ("state",)
    list_select_related = ("user",)
    hidden_fields = ("text",)
    ordering = ("-id",)
