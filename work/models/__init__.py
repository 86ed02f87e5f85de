from work.models.attempts import Attempt, Outcome, RefusedWrite
from work.models.attention import (
    CallState,
    CaseClaim,
    DailyFigure,
    Mail,
    MailState,
    Notification,
    Webhook,
    WebhookCall,
)
from work.models.bulk import BulkAction, BulkOutcome, BulkState
from work.models.events import Delivery, DeliveryState, Event
from work.models.leased import Leased, LeasedQuerySet, lease_constraints, lease_indexes
from work.models.periodic import PeriodicRun, PeriodicState
from work.models.rates import RateWindow
from work.models.requests import IdempotencyKey
from work.models.trail import AuditEntry, CheckState, Decision, InvariantRun
from work.models.workers import Canary, PipelinePause, Worker

__all__ = [
    "Attempt", "AuditEntry", "BulkAction", "BulkOutcome", "BulkState", "CallState", "Canary", "CaseClaim",
    "CheckState", "DailyFigure", "Decision", "Delivery", "DeliveryState", "Event", "IdempotencyKey",
    "InvariantRun", "Leased", "LeasedQuerySet", "Mail", "MailState", "Notification", "Outcome",
    "PeriodicRun", "PeriodicState", "PipelinePause", "RateWindow", "RefusedWrite", "Webhook",
    "WebhookCall", "Worker", "lease_constraints", "lease_indexes",
]  # fmt: skip
