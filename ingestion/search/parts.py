"""What the search index registers with the ground."""

from ingestion.search import attention, comparing, pipelines
from work import attention as ground_attention
from work import badges, consumers, failure_texts, invariants, ledger, navigation, periodic, retention
from work import pipelines as ground_pipelines
from work.badges import Badge
from work.ledger import LedgerLine

REINDEX_BADGES = {
    "requested": Badge("waiting", "Requested", "Asked for; a worker will rebuild it."),
    "rebuilding": Badge("running", "Rebuilding", "A worker fills the new index; the old one is searched."),
    "rebuilt": Badge("done", "Rebuilt", "The new index is the one that is searched."),
    "failed": Badge("bad", "Failed", "Given up. The index from before is searched."),
}
UPDATE_BADGES = {
    "waiting": Badge("waiting", "Waiting", "Records changed; a worker will bring them into the index."),
    "applying": Badge("running", "Applying", "A worker brings changed records into the index."),
    "applied": Badge("done", "Applied", "Nothing was left to bring into the index."),
    "failed": Badge("bad", "Failed", "Given up. What waits is tried again after a while."),
}
REINDEX_LINE = LedgerLine(
    pipeline="reindex",
    title="Rebuilds of the search index",
    url_name="reindexes",
    columns={"rebuilt": "finished", "failed": "failed"},
    order=30,
)
UPDATE_LINE = LedgerLine(
    pipeline="index_update",
    title="Updates of the search index",
    url_name="reindexes",
    columns={"applied": "finished", "failed": "failed"},
    visible_to=lambda principal: principal.is_operator,
    order=31,
)
REASONS = {
    "text_too_long": (
        "The text of the record is too long to be searched: more than 500,000 characters.",
        "Shorten it in the file and send that again, or leave it: the record itself is stored.",
    ),
    "value_not_indexable": (
        "A value of the record cannot be put into the index.",
        "Tell an operator. The record itself is stored.",
    ),
}


def register() -> None:
    badges.register("reindex", title="Rebuilds of the search index", badges=REINDEX_BADGES)
    badges.register("index_update", title="Updates of the search index", badges=UPDATE_BADGES)
    failure_texts.register(REASONS)
    ground_pipelines.register(pipelines.UPDATES)
    ground_pipelines.register(pipelines.REINDEXES)
    consumers.register(pipelines.INDEXING)
    periodic.register(pipelines.SWEEP)
    periodic.register(comparing.NIGHTLY)
    retention.register(pipelines.OLD_UPDATES)
    invariants.register(comparing.INVARIANT)
    ledger.register(REINDEX_LINE)
    ledger.register(UPDATE_LINE)
    for kind in attention.KINDS:
        ground_attention.register(kind)
    navigation.register("Records", "Search index", "reindexes", order=20)
