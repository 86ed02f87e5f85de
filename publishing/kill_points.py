"""Where the crash suite kills a process in the middle of a publication or of what follows it, in order.

`crash.point` is called with each of these names; a point that is never reached fails the suite.
"""

REQUEST_MADE = "publication.made"
EXPORT_STARTED = "export.started"
EXPORT_HALF = "export.half"
EXPORT_FETCHED = "export.fetched"
FETCH_BEFORE_COMMIT = "fetch.before_commit"
PERSIST_RENDERED = "persist.rendered"
PERSIST_SENT = "persist.sent"
PERSIST_BEFORE_COMMIT = "persist.before_commit"
PERSIST_AFTER_COMMIT = "persist.after_commit"
