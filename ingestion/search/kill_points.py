"""Where the crash suite kills a worker that brings changes into the index, or rebuilds it, in that order."""

INDEX_BEFORE = "index.before"
GENERATION_WRITTEN = "index.generation_written"
INDEX_APPLIED = "index.applied"
INDEX_DROPPED = "index.dropped"
INDEX_FINISHED = "index.finished"
REBUILD_BEGUN = "rebuild.begun"
REBUILD_FILLED = "rebuild.filled"
REBUILD_NOTED = "rebuild.noted"
SWAP_BEFORE = "swap.before"
SWAP_BEFORE_COMMIT = "swap.before_commit"
SWAP_AFTER = "swap.after"
REBUILD_FINISHED = "rebuild.finished"

INDEX_POINTS = (INDEX_BEFORE, GENERATION_WRITTEN, INDEX_APPLIED, INDEX_DROPPED, INDEX_FINISHED)
REBUILD_POINTS = (
    REBUILD_BEGUN, REBUILD_FILLED, REBUILD_NOTED, SWAP_BEFORE, SWAP_BEFORE_COMMIT, SWAP_AFTER,
    REBUILD_FINISHED,
)  # fmt: skip
