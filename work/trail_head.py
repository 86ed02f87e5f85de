"""The newest link of the trail, kept hourly outside the database: the table alone shows no cut tail."""

import datetime as dt
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from work import decisions, storage, trail
from work.failures import PermanentFailure, StateChanged
from work.jobs import Job
from work.models import AuditEntry
from work.periodic import database_now
from work.trail import Head

KEY = "trail/head.json"
CUT = "trail_is_cut"
FAILURE_TEXTS = {
    CUT: (
        "The audit trail does not hold the entry that was kept outside of it. {found}",
        "Find out who could write to the database, before anything else is done with it.",
    )
}


@dataclass(frozen=True)
class Kept:
    number: int
    hash: str
    at: dt.datetime


def keep(job: Job) -> str:
    """Write the head to file storage. A trail that lost what was kept before is never written over it."""
    head = trail.head()
    before = kept()
    if before is not None and (wrong := what_is_missing(before)):
        raise PermanentFailure(CUT, number=before.number, found=wrong)
    if not head.number:
        return "nothing is sealed yet"
    _write(head)
    return f"kept the head of entry {head.number}"


def accept_loss(*, by: Any, why: str) -> Kept:
    """After the database was restored from a backup: keep the present head in place of the lost one.

    The decision says what was lost and is sealed like any other. Raises StateChanged when nothing is.
    """
    lost, head = kept(), trail.head()
    wrong = what_is_missing(lost) if lost else ""
    if lost is None or not wrong:
        raise StateChanged("whole")
    with transaction.atomic():
        decisions.record(
            "trail.loss_accepted",
            by=by,
            kind="trail",
            subject=lost.number,
            label=f"entry {lost.number}",
            why=why,
            shown={"found": wrong, "kept_at": lost.at.isoformat()},
            before={"number": lost.number, "hash": lost.hash},
            after={"number": head.number, "hash": head.hash},
        )
    _write(head)
    return lost


def kept() -> Kept | None:
    """The head that was kept last; None before the first time."""
    try:
        with storage.files().open(KEY) as file:
            said = json.loads(file.read())
    except storage.FileMissing:
        return None
    return Kept(int(said["number"]), str(said["hash"]), dt.datetime.fromisoformat(said["at"]))


def what_is_missing(head: Kept) -> str:
    """One sentence when the table does not hold the link that was kept; empty when it does."""
    if not head.number:
        return ""
    found = AuditEntry.objects.filter(number=head.number).values_list("hash", flat=True).first()
    if found is None:
        return (
            f"Entry {head.number} was kept in file storage and is missing from the table: the tail was cut."
        )
    if found != head.hash:
        return f"Entry {head.number} has another hash than was kept in file storage: the trail was rewritten."
    return ""


def _write(head: Head) -> None:
    said = {"number": head.number, "hash": head.hash, "at": database_now().isoformat()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "head.json"
        path.write_text(json.dumps(said))
        storage.files().put_file(KEY, path)
