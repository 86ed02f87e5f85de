"""How the states of the ground's own machines look, and what each says. The words are the states' names."""

from work.badges import Badge, register


def register_ground() -> None:
    register("attempt", title="Attempts", badges=ATTEMPT)
    register("periodic", title="Periodic runs", badges=PERIODIC)
    register("delivery", title="Deliveries of events", badges=DELIVERY)
    register("bulk", title="Bulk actions", badges=BULK)
    register("mail", title="Mails", badges=MAIL)
    register("webhook_call", title="Webhook calls", badges=WEBHOOK_CALL)


ATTEMPT = {
    "running": Badge("running", "Running", "A worker holds the work and is heard from."),
    "finished": Badge("done", "Finished", "The worker reached the end and stored what it found."),
    "failed": Badge("bad", "Failed", "The worker found that the work cannot succeed, and said why."),
    "temporary_failure": Badge(
        "part", "Temporary failure", "Something else was out of order. The work waits and is tried again."
    ),
    "postponed": Badge("waiting", "Postponed", "Given back to wait for something. It counts against nobody."),
    "asked": Badge("asking", "Asked", "The worker stopped at a question that only a person can answer."),
    "cancelled": Badge("cancelled", "Cancelled", "A person withdrew the work while it ran."),
    "died": Badge(
        "bad", "Died", "The worker was never heard again. Nothing that it did later could be stored."
    ),
    "hung": Badge("bad", "Hung", "The worker lived, but its step made no progress and was stopped."),
}

PERIODIC = {
    "waiting": Badge("waiting", "Waiting", "Its time has come; a worker will take it up."),
    "running": Badge("running", "Running", "A worker runs it now."),
    "succeeded": Badge("done", "Succeeded", "It ended well. The ledger says what it did."),
    "failed": Badge("bad", "Failed", "It ended with an error. Its next time is not affected."),
    "skipped": Badge("cancelled", "Skipped", "Its time came while the run before it was unfinished."),
}

DELIVERY = {
    "pending": Badge("waiting", "Pending", "Recorded with its event; a worker will deliver it."),
    "delivering": Badge("running", "Delivering", "A worker delivers it now."),
    "delivered": Badge("done", "Delivered", "Its effect is stored. A second delivery would change nothing."),
    "dead": Badge("asking", "Dead", "Given up after its tries. An operator replays or discards it."),
    "discarded": Badge("cancelled", "Discarded", "A person decided, with a reason, that it need not arrive."),
}

BULK = {
    "accepted": Badge("waiting", "Accepted", "Confirmed after the preview. No row has been changed yet."),
    "running": Badge("running", "Running", "The rows are being changed, one by one."),
    "finished": Badge("done", "Finished", "Every chosen row has an outcome."),
    "cancelled": Badge(
        "cancelled", "Cancelled", "Stopped by a person. What was changed before stays changed."
    ),
    "failed": Badge("bad", "Failed", "It could not go on. The outcomes up to then stand."),
}

MAIL = {
    "queued": Badge("waiting", "Queued", "Written; a worker will hand it to the mail server."),
    "sending": Badge("running", "Sending", "A worker hands it to the mail server."),
    "sent": Badge("done", "Sent", "The mail server took it. Whether it was read, nobody knows."),
    "failed": Badge("bad", "Failed", "The mail server refused it, or could not be reached for too long."),
}

WEBHOOK_CALL = {
    "queued": Badge("waiting", "Queued", "Made with its event; a worker will call."),
    "calling": Badge("running", "Calling", "A worker calls now."),
    "answered": Badge("done", "Answered", "The other side took it."),
    "failed": Badge("bad", "Failed", "Refused for good, or not reached for too long."),
}
