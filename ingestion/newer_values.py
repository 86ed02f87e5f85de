"""Mended rows that would replace what a newer upload has written since they were refused: a person decides.

What was agreed to holds for one version of the dataset. It is looked at under the lock of the dataset's
records, before the merge.
"""

import json
from typing import Any

from ingestion import asks, questions, staging
from ingestion.asking import NewerExample, NewerValues
from ingestion.checking import messages
from ingestion.checking.texts import shown
from ingestion.context import Context
from ingestion.models import Dataset

NAMED_EXAMPLES, NAMED_FIELDS, LONGEST_VALUE = 10, 10, 200
# A row that was left to what is stored is still one of them: it must be agreed to as often as that changes.
CONFLICTS = """
FROM upload_origin o JOIN upload_staging s ON s.row = o.row
JOIN ingestion_record r ON r.dataset_id = %(dataset)s AND r.key = s.key
JOIN ingestion_upload u ON u.id = r.upload_id
WHERE NOT o.gives_way AND NOT s.refused AND (o.kept OR NOT (s.superseded OR s.repeats))
  AND (r.digest IS DISTINCT FROM s.digest OR r.retired_at IS NOT NULL)
  AND u.id <> %(upload)s AND u.precedence > %(precedence)s
"""
COUNT = "SELECT count(*) " + CONFLICTS
KEEP = f"""
WITH found AS (SELECT o.row {CONFLICTS}),
kept AS (UPDATE upload_origin o SET kept = true FROM found f WHERE f.row = o.row)
UPDATE upload_staging s SET superseded = true FROM found f WHERE f.row = s.row AND NOT s.superseded
"""  # noqa: S608 (put together from a constant)
EXAMPLES = f"""
SELECT o.origin, s.key, r.data::text, s.data, r.retired_at IS NOT NULL, u.id::text, u.filename,
  r.changed_at::text {CONFLICTS} ORDER BY o.origin LIMIT %(most)s
"""


def send_mine(version: int) -> str:
    """What stands in `reading.confirm` when the mended values are to replace the newer ones."""
    return f"newer:{version}"


def keep_theirs(version: int) -> str:
    """The same when the newer values are to stay, and the rows to be left out."""
    return f"keep:{version}"


def leave_out(context: Context) -> None:
    """Mark the rows as superseded, where that was agreed to at the version that the dataset has now."""
    if _mends(context) and keep_theirs(_version(context)) in _agreed(context):
        staging.run(KEEP, _params(context))


def decide(context: Context) -> list[dict[str, Any]]:
    """What the verdict says of such rows; asks when nobody has decided. A dry run replaces nothing, so it
    does not ask."""
    rows = staging.rows(COUNT, _params(context))[0][0] if _mends(context) else 0
    if not rows:
        return []
    version, agreed = _version(context), _agreed(context)
    if keep_theirs(version) in agreed:
        return [messages.assumption("newer_values_kept", count=rows)]
    if send_mine(version) in agreed:
        return [messages.assumption("newer_values_replaced", count=rows)]
    if not context.upload.dry_run:
        newer: NewerValues = {"rows": rows, "version": version, "examples": list(_examples(context))}
        asks.ask(context.upload, {"code": questions.CONFIRM_NEWER_VALUES, "detail": {}, "newer": newer})
    return [messages.assumption("newer_values_ask", count=rows)]


def _mends(context: Context) -> bool:
    return context.mending is not None


def _params(context: Context) -> dict[str, Any]:
    assert context.mending is not None  # noqa: S101 (asked before)
    return {
        "dataset": context.dataset.pk,
        "upload": context.upload.pk,
        "precedence": context.mending.mended.precedence,
        "most": NAMED_EXAMPLES,
    }


def _version(context: Context) -> int:
    return Dataset.objects.values_list("version", flat=True).get(pk=context.dataset.pk)


def _agreed(context: Context) -> list[str]:
    return list(context.upload.reading.get("confirm", []))


def _examples(context: Context) -> Any:
    for origin, key, now, mine, retired, upload, filename, when in staging.rows(EXAMPLES, _params(context)):
        yield NewerExample(
            row=origin, key=_key(context, key), retired=retired, fields=_differing(now, mine),
            upload=upload, filename=filename, changed_at=when,
        )  # fmt: skip


def _key(context: Context, key: str) -> str:
    """As people write it; "" where a dataset has no key."""
    if not context.checker.primary_key:
        return ""
    return " / ".join("" if part is None else _words(part) for part in _exact(key))


def _differing(now: str, mine: str) -> list[dict[str, str]]:
    stored, sent = _exact(now), _exact(mine)
    names = [name for name in sent if sent.get(name) != stored.get(name)]
    return [
        {"field": name, "now": _words(stored.get(name)), "mine": _words(sent[name])}
        for name in names[:NAMED_FIELDS]
    ]


def _exact(text: str) -> Any:
    """Numbers as they are written, with all their digits."""
    return json.loads(text, parse_float=str, parse_int=str)


def _words(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shown(text, most=LONGEST_VALUE)
