"""The history of one record: each version, what wrote it, what it changed; and finding a record by key."""

import datetime as dt
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from ingestion import queries
from ingestion.differences import ChangedValue, changed_values
from ingestion.models import Record, RecordVersion, Upload
from work import paging
from work.models import Decision

NEW, CHANGED, RETIRED, RETURNED, MENDED = "new", "changed", "retired", "returned", "mended"
WORDS = {
    NEW: "First written",
    CHANGED: "Changed",
    RETIRED: "Retired: absent from the whole file",
    RETURNED: "Back in use",
    MENDED: "Mended by hand",
}
LONGEST_KEY = 2000


@dataclass(frozen=True)
class Version:
    """`upload` wrote it, or the person of `decision` by hand; neither is known of what was erased since."""

    number: int
    kind: str
    at: dt.datetime | None
    upload: Upload | None
    decision: Decision | None
    changes: list[ChangedValue]

    @property
    def word(self) -> str:
        return WORDS[self.kind]


@dataclass(frozen=True)
class Versions:
    items: list[Version]
    next_cursor: str | None
    previous_cursor: str | None


def page_of(record: Record, *, cursor: str | None, limit: int = 20) -> Versions:
    """The newest version first; the last page ends with the first. Raises Problem 400 `bad_cursor`."""
    earlier = RecordVersion.objects.filter(dataset=record.dataset_id, key=record.key)
    found = paging.keyset(
        earlier.select_related("upload", "replaced_by"), cursor=cursor, limit=limit, by="version"
    )
    decisions = _decisions(record, found.items)
    items, later = [], _later(record, earlier, found.items)
    for held in found.items:
        items.append(_version(held, later, decisions))
        later = (held.data, held.retired)
    if found.next_cursor is None:
        items.append(_first(record, found.items, earlier))
    return Versions(items, found.next_cursor, found.previous_cursor)


def is_by_hand(record: Record) -> bool:
    """Whether its last version came from a person and not from an upload."""
    before = RecordVersion.objects.filter(dataset=record.dataset_id, key=record.key)
    return before.filter(version=record.version - 1, replaced_by=None).exists()


def find(dataset_id: uuid.UUID, text: str, *, by: str = "") -> Record | None:
    """By its id, or by its key: as it is kept, or as a person writes it. `by` says which of the two a number
    is; without it a number is an id first."""
    records = queries.every_record(dataset_id).select_related("upload")
    if by != "key" and text.isascii() and text.isdigit() and len(text) < 19:
        found: Record | None = records.filter(pk=int(text)).first()
        if found is not None or by == "id":
            return found
    if by == "id":
        return None
    return _by_key(records, text[:LONGEST_KEY])


def _by_key(records: QuerySet[Record], text: str) -> Record | None:
    """The kept key is compact JSON. A person writes the value, or several between slashes."""
    parts = [part.strip() for part in text.split(" / ")]
    wanted = [text, _compact([text]), _compact(parts), f"[{text}]", f"[{','.join(parts)}]"]
    found = {record.key: record for record in records.filter(key__in=dict.fromkeys(wanted))}
    return next((found[key] for key in wanted if key in found), None)


def _compact(parts: Sequence[str]) -> str:
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def _later(
    record: Record, earlier: QuerySet[RecordVersion], shown: Sequence[RecordVersion]
) -> tuple[dict[str, Any], bool]:
    """The values that came after the newest shown, and whether they were out of use."""
    if shown and (next_one := earlier.filter(version=shown[0].version + 1).first()):
        return next_one.data, next_one.retired
    return record.data, record.retired_at is not None


def _decisions(record: Record, shown: Sequence[RecordVersion]) -> dict[int, Decision]:
    """By the version that each made; asked only where something was mended by hand."""
    numbers = [held.version + 1 for held in shown if held.replaced_by_id is None]
    if not numbers:
        return {}
    made = Decision.objects.filter(
        what="record.mended", subject_kind="record", subject_id=str(record.pk), after__version__in=numbers
    )
    return {decision.after["version"]: decision for decision in made}


def _version(
    held: RecordVersion, later: tuple[dict[str, Any], bool], decisions: dict[int, Decision]
) -> Version:
    """The one that replaced `held`."""
    data, is_retired = later
    kind = CHANGED if held.replaced_by_id else MENDED
    if is_retired and not held.retired:
        kind = RETIRED
    elif held.retired and not is_retired:
        kind = RETURNED
    number = held.version + 1
    return Version(
        number,
        kind,
        held.replaced_at,
        held.replaced_by,
        decisions.get(number),
        changed_values(held.data, data),
    )


def _first(record: Record, shown: Sequence[RecordVersion], earlier: QuerySet[RecordVersion]) -> Version:
    """Hand mending leaves the upload that brought a record in its place, so it is the first one's."""
    held = shown[-1] if shown else earlier.order_by("version").select_related("upload").first()
    upload, data = (held.upload, held.data) if held else (record.upload, record.data)
    return Version(1, NEW, upload.finished_at, upload, None, changed_values({}, data))
