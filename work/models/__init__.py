from work.models.attempts import Attempt, Outcome, RefusedWrite
from work.models.attention import CaseClaim, DailyFigure, Mail, MailState, Notification, Webhook
from work.models.bulk import BulkAction, BulkOutcome, BulkState
from work.models.events import Delivery, DeliveryState, Event
from work.models.leased import Leased, LeasedQuerySet, lease_constraints, lease_indexes
from work.models.periodic import PeriodicRun, PeriodicState
from work.models.requests import IdempotencyKey
from work.models.trail import AuditEntry, Decision
from work.models.workers import Canary, PipelinePause, Worker

__all__ = [
    "Attempt", "AuditEntry", "BulkAction", "BulkOutcome", "BulkState", "Canary", "CaseClaim", "DailyFigure",
    "Decision", "Delivery", "DeliveryState", "Event", "IdempotencyKey", "Leased", "LeasedQuerySet", "Mail",
    "MailState", "Notification", "Outcome", "PeriodicRun", "PeriodicState", "PipelinePause", "RefusedWrite",
    "Webhook", "Worker", "lease_constraints", "lease_indexes",
]  # fmt: skip
