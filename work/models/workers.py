"""Who works, and what is held back."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Worker(models.Model):
    """One start of one worker process. `label` (host, process id) is for people; the id is a fresh uuid."""

    id = models.UUIDField(primary_key=True)
    cluster = models.CharField(max_length=40)
    label = models.CharField(max_length=120)
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    took_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)
    busy_since = models.DateTimeField(null=True)
    busy_with = models.CharField(max_length=90, blank=True, default="", db_default="")
    clock_skew_seconds = models.FloatField(default=0, db_default=0)

    class Meta:
        indexes = [models.Index(fields=["cluster", "seen_at"], name="worker_seen")]  # health, the claim's cap

    def __str__(self) -> str:
        return f"{self.label} of {self.cluster}"


class PipelinePause(models.Model):
    """While a row exists its pipeline claims nothing. Resuming deletes it; the decisions keep the story."""

    pipeline = models.CharField(max_length=40, primary_key=True)
    paused_at = models.DateTimeField(db_default=Now())
    paused_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    paused_by_label = models.CharField(max_length=150)
    reason = models.TextField()

    def __str__(self) -> str:
        return self.pipeline


class Canary(models.Model):
    """The last time a canary passed the whole path of a cluster: enqueue, queue, worker, database."""

    cluster = models.CharField(max_length=40, primary_key=True)
    sent_at = models.DateTimeField(null=True)
    passed_at = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.cluster
