"""What the ground puts on the rail. Pages that are not there leave their entry out."""

from work.navigation import operators, register


def register_ground() -> None:
    register("", "Attention", "attention", order=20)
    register("", "Notifications", "notifications", order=30)
    register("Records", "Events", "events", order=20)
    register("Records", "Audit trail", "audit_trail", order=30)
    register("Records", "Decisions", "decisions", order=40)
    register("Operation", "Periodic jobs", "periodic_jobs", order=10, permission=operators)
    register("Operation", "Dead letters", "dead_letters", order=20, permission=operators)
    register("Operation", "Failures", "failures", order=30, permission=operators)
    register("Operation", "Invariants", "invariants", order=40, permission=operators)
    register("Operation", "Health", "health_panel", order=50, permission=operators)
    register("Operation", "Pipelines", "pipelines", order=60, permission=operators)
