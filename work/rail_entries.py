"""What the ground puts on the rail, with how much waits there. A page that does not exist is left out."""

from django.http import HttpRequest

from work import attention
from work.models import Notification
from work.navigation import operators, register


def register_ground() -> None:
    register("", "Attention", "attention", order=20, badge=_cases)
    register("", "Notifications", "notifications", order=30, badge=_unread)
    register("Records", "Events", "events", order=20)
    register("Records", "Audit trail", "audit_trail", order=30)
    register("Records", "Decisions", "decisions", order=40)
    register("Operation", "Periodic jobs", "periodic_jobs", order=10, permission=operators)
    register("Operation", "Dead letters", "dead_letters", order=20, permission=operators)
    register("Operation", "Failures", "failures", order=30, permission=operators)
    register("Operation", "Invariants", "invariants", order=40, permission=operators)
    register("Operation", "Health", "health_panel", order=50, permission=operators)
    register("Operation", "Pipelines", "pipelines", order=60, permission=operators)


def _cases(request: HttpRequest) -> int | None:
    counted: int | None = getattr(request, "cases_counted", None)
    if counted is not None:
        return counted
    principal = getattr(request, "principal", None)
    return attention.count(principal) if principal else None


def _unread(request: HttpRequest) -> int:
    reader = request.user.pk
    unread = (
        Notification.objects.filter(user_id=reader, read_at=None) if reader else Notification.objects.none()
    )
    return unread.order_by()[: attention.COUNTED_AT_MOST].count()
