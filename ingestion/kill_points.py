"""Where the crash suite kills a process in the middle of an upload, an answer or a report, in their order.

`crash.point` is called with each of these names; a point that is never reached fails the suite.
"""

READ_BEFORE = "read.before"
MEND_KEPT = "mend.kept"
READ_BATCH = "read.batch"
READ_AFTER = "read.after"
KEYS_BEFORE = "keys.before"
KEYS_AFTER = "keys.after"
STORE_BEFORE = "store.before"
STORE_BEFORE_COMMIT = "store.before_commit"
STORE_AFTER_COMMIT = "store.after_commit"
ASK_BEFORE_COMMIT = "ask.before_commit"
ASK_AFTER_COMMIT = "ask.after_commit"
ANSWER_BEFORE_COMMIT = "answer.before_commit"
ANSWER_AFTER_COMMIT = "answer.after_commit"
REPROCESS_MADE = "reprocess.made"
REPORT_BUILT = "report.built"
REPORT_BEFORE_COMMIT = "report.before_commit"
REPORT_AFTER_COMMIT = "report.after_commit"

UPLOAD_POINTS = (
    READ_BEFORE, READ_BATCH, READ_AFTER, KEYS_BEFORE, KEYS_AFTER, STORE_BEFORE, STORE_BEFORE_COMMIT,
    STORE_AFTER_COMMIT,
)  # fmt: skip
MEND_POINTS = (MEND_KEPT,)
ASK_POINTS = (ASK_BEFORE_COMMIT, ASK_AFTER_COMMIT)
ANSWER_POINTS = (ANSWER_BEFORE_COMMIT, ANSWER_AFTER_COMMIT)
REPORT_POINTS = (REPORT_BUILT, REPORT_BEFORE_COMMIT, REPORT_AFTER_COMMIT)
REPROCESS_POINTS = (REPROCESS_MADE,)
POINTS = (
    *UPLOAD_POINTS, *MEND_POINTS, *ASK_POINTS, *ANSWER_POINTS, *REPORT_POINTS, *REPROCESS_POINTS,
)  # fmt: skip
