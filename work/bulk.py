"""Acting on many rows: a preview first, then leased work that applies the stored rule again at act time.

Kinds of action register here in apps.ready(). Nothing here loads all rows: an action may match any number.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet
from django.http import QueryDict

from work import correlation, decisions, doorbell, outbox
from work.failures import StateChanged
from work.models import BulkAction, BulkOutcome
from work.pipelines import PIPELINES

CHOSEN_AT_MOST = 3000
"""Ids that one preview takes; more than a page of ticked boxes is said by a filter instead."""

Rule = Mapping[str, Any]


@dataclass(frozen=True)
class BulkKind:
    """One thing that can be done to many rows of a leased table.

    - `queryset(filters)` gives the rows a list page shows under these filters (its query string); with None
      every row of the table, since a chosen row keeps its outcome whatever became of it meanwhile.
    - `eligible(rows)` narrows them to those that can be acted on now; `found` names the column that says why
      the others cannot.
    - `act(row, by, why)` acts on one row and raises StateChanged when it cannot any more. It runs in the
      transaction that stores the outcome.
    - `label(row)` names a row for people, on the preview and beside its outcome.
    - `right` is needed in the organisation of every row; `path` leads from a row to that organisation.
    """

    action: str
    title: str
    verb: str
    queryset: Callable[[QueryDict | None], QuerySet[Any]]
    eligible: Callable[[QuerySet[Any]], QuerySet[Any]]
    act: Callable[[Any, Any, str], None]
    right: str = "operate"
    path: str = "organisation"
    found: str = "state"
    url_name: str = ""
    label: Callable[[Any], str] = str
    is_grave: bool = False


@dataclass(frozen=True)
class Preview:
    """How many rows match now, and how many of them cannot be acted on, by what was found in `found`."""

    matching: int
    not_eligible: Mapping[str, int] = field(default_factory=dict)

    @property
    def eligible(self) -> int:
        return self.matching - sum(self.not_eligible.values())

    def stored(self) -> dict[str, Any]:
        return {
            "matching": self.matching,
            "eligible": self.eligible,
            "not_eligible": dict(self.not_eligible),
        }


_registered: dict[str, BulkKind] = {}


def register(kind: BulkKind) -> None:
    if kind.action in _registered:
        raise ValueError(f"bulk action {kind.action} is registered already")
    _registered[kind.action] = kind


def get(action: str) -> BulkKind | None:
    return _registered.get(action)


def every() -> list[BulkKind]:
    return list(_registered.values())


def rule_for(
    kind: BulkKind, principal: Any, *, ids: Sequence[uuid.UUID] = (), filters: QueryDict | None = None
) -> dict[str, Any]:
    """The rule that will be stored: which rows, and in which organisations the person may act on them."""
    rule: dict[str, Any] = (
        {"ids": [str(pk) for pk in ids]} if filters is None else {"filter": _lists(filters)}
    )
    if not principal.is_operator or principal.token is not None:
        organisations = [each for each in principal.organisations() if principal.can(kind.right, each)]
        rule["organisations"] = [str(each.pk) for each in organisations]
    return rule


def rows(kind: BulkKind, rule: Rule) -> QuerySet[Any]:
    """What the rule selects at this moment, eligible or not."""
    if "filter" in rule:
        selected = kind.queryset(_query(rule["filter"]))
    else:
        selected = kind.queryset(None).filter(pk__in=rule["ids"])
    if "organisations" in rule:
        selected = selected.filter(**{f"{kind.path}__in": rule["organisations"]})
    return selected


def preview(kind: BulkKind, rule: Rule) -> Preview:
    """Count without touching anything."""
    selected = rows(kind, rule)
    others = selected.exclude(pk__in=kind.eligible(selected).order_by().values("pk"))
    counted = others.order_by().values_list(kind.found).annotate(number=Count("pk"))
    return Preview(selected.count(), {str(found): number for found, number in counted.order_by("-number")})


def accept(
    *, kind: BulkKind, rule: Rule, shown: Preview, by: Any, why: str, key: uuid.UUID
) -> tuple[BulkAction, bool]:
    """Store the rule and ring for a worker. The same key twice gives the first action, and True."""
    person = getattr(by, "user", by)
    try:
        with transaction.atomic():
            action = BulkAction.objects.create(
                pk=key,
                action=kind.action,
                rule=dict(rule),
                reason=why,
                organisation_id=_one_organisation(rule),
                requested_by=person,
                requested_by_label=str(by)[:200],
                previewed=shown.stored(),
                correlation_id=correlation.current(),
            )
            decisions.record(
                "bulk.accepted",
                by=by,
                kind="bulk",
                subject=action,
                label=kind.title,
                organisation=action.organisation_id,
                why=why,
                rule=rule,
                shown=shown.stored(),
                before={"matching": shown.matching},
            )
            doorbell.ring(PIPELINES)
    except IntegrityError:
        return BulkAction.objects.get(pk=key, requested_by=person), True
    return action, False


def remaining(action: BulkAction, kind: BulkKind) -> QuerySet[Any]:
    """Rows the rule selects now that have no outcome yet, in the order of their ids.

    Rows that a filter matches but that were accepted after the action are not what the person saw.
    """
    last = (
        BulkOutcome.objects.filter(bulk=action).order_by("-subject").values_list("subject", flat=True).first()
    )
    selected = rows(kind, action.rule).order_by("pk")
    if "filter" in action.rule:
        selected = selected.filter(accepted_at__lte=action.accepted_at)
    return selected.filter(pk__gt=last) if last else selected


def tell(what: str, action: BulkAction, **payload: Any) -> None:
    """Write an event about the action, in the caller's transaction."""
    kind = get(action.action)
    outbox.record(
        what,
        subject=action,
        kind="bulk",
        label=kind.title if kind else action.action,
        organisation=action.organisation_id,
        by=action.requested_by_label,
        payload={"owner": action.requested_by_id, **payload},
    )


def sentence(preview: Preview) -> str:
    """`312 match, 9 not eligible: 6 running, 3 superseded`."""
    said = f"{preview.matching} match" if preview.matching != 1 else "1 matches"
    if not preview.not_eligible:
        return f"{said}, all of them eligible" if preview.matching else said
    parts = ", ".join(f"{number} {found.replace('_', ' ')}" for found, number in preview.not_eligible.items())
    return f"{said}, {sum(preview.not_eligible.values())} not eligible: {parts}"


def found_now(kind: BulkKind, row: Any, error: StateChanged) -> str:
    """What stood in the way of one row, for its outcome."""
    return str(error.found or getattr(row, kind.found, ""))[:60]


def _one_organisation(rule: Rule) -> str | None:
    organisations = rule.get("organisations", ())
    return organisations[0] if len(organisations) == 1 else None


def _lists(filters: QueryDict) -> dict[str, list[str]]:
    return {name: [value for value in values if value] for name, values in filters.lists() if any(values)}


def _query(filters: Mapping[str, Sequence[str]]) -> QueryDict:
    query = QueryDict(mutable=True)
    for name, values in filters.items():
        query.setlist(name, list(values))
    return query
