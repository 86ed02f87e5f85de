"""What the operators' console registers: bulk actions, the ledger's line and invariant, words of states."""

from work import badges, bulk, bulk_letters, bulk_pipeline, invariants, ledger, pipelines
from work.badges import Badge
from work.ledger import LedgerLine


def register() -> None:
    pipelines.register(bulk_pipeline.PIPELINE)
    for kind in bulk_letters.KINDS:
        bulk.register(kind)
    invariants.register(ledger.INVARIANT)
    ledger.register(BULK_LINE)
    for machine, (title, words) in WORDS.items():
        badges.register(machine, title=title, badges=words)


BULK_LINE = LedgerLine(
    pipeline="bulk",
    title="Bulk actions",
    url_name="bulk",
    columns={"finished": "finished", "cancelled": "cancelled", "failed": "failed"},
    order=900,
)
WORDS = {
    "bulk_row": (
        "Rows of a bulk action",
        {
            "changed": Badge("done", "Changed", "The action was done to this row."),
            "not_eligible": Badge("cancelled", "Not eligible", "It had moved on; it was left as it is."),
            "failed": Badge("bad", "Failed", "The action raised an error; the row is as it was."),
        },
    ),
    "cluster": (
        "Clusters of workers",
        {
            "healthy": Badge("done", "Healthy", "Its canary passes, and workers are free."),
            "busy": Badge("running", "All busy", "Every worker is at work; what waits follows."),
            "silent": Badge("bad", "Silent", "No worker gives a sign of life."),
            "hung": Badge("bad", "Hung", "Workers live, but nothing passes."),
            "unknown": Badge("waiting", "Starting", "No canary has passed yet."),
        },
    ),
}
