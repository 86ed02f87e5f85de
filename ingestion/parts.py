"""What ingestion registers with the ground: pipelines, invariants, cases, notices, figures, links."""

from ingestion import (
    attention,
    badges,
    bulk_reprocess,
    bulk_withdrawal,
    failures,
    figures,
    finders,
    invariants,
    notices,
    pipeline,
    report_pipeline,
    schema_drafts,
    sweeping,
)  # fmt: skip
from ingestion.search import parts as search_parts
from work import attention as ground_attention
from work import bulk, ledger, navigation, periodic, pipelines, retention
from work import invariants as ground_invariants
from work.ledger import LedgerLine


def register() -> None:
    badges.register_badges()
    failures.register()
    pipelines.register(pipeline.PIPELINE)
    pipelines.register(report_pipeline.REPORTS)
    periodic.register(sweeping.DEAD_RUNS)
    retention.register(sweeping.REPORT_FILES)
    retention.register(schema_drafts.FORGOTTEN)
    for invariant in invariants.EVERY:
        ground_invariants.register(invariant)
    for kind in attention.KINDS:
        ground_attention.register(kind)
    bulk.register(bulk_withdrawal.KIND)
    bulk.register(bulk_reprocess.KIND)
    ledger.register(UPLOAD_LINE)
    ledger.register(REPORT_LINE)
    notices.register()
    figures.register()
    finders.register()
    search_parts.register()
    navigation.register("Pipelines", "Uploads", "uploads", order=10)
    navigation.register("Records", "Datasets", "datasets", order=10)


UPLOAD_LINE = LedgerLine(
    pipeline="upload",
    title="Uploads",
    url_name="uploads",
    columns={"processed": "finished", "partial": "partly", "failed": "failed", "cancelled": "cancelled"},
    order=10,
)
REPORT_LINE = LedgerLine(
    pipeline="report",
    title="Reports of refused rows",
    url_name="uploads",
    columns={"built": "finished", "failed": "failed"},
    order=20,
)
