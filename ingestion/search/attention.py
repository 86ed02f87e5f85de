"""What of the search index only an operator can decide."""

import datetime as dt
from typing import Any

from django.db.models import Count, Min, QuerySet
from django.db.models.functions import Now
from django.urls import reverse

from ingestion.models import Dataset, IndexChange, IndexComparison, ParkedDocument
from work.attention import AttentionKind, Case
from work.wording import number

BEHIND_AFTER = dt.timedelta(minutes=30)


def parked(principal: Any) -> list[Dataset]:
    if not _decides(principal):
        return []
    counted = ParkedDocument.objects.values("dataset").annotate(n=Count("pk"), since=Min("since"))
    return _with(counted.order_by("since")[:100])


def behind(principal: Any) -> list[Dataset]:
    """Datasets with changes that wait for long, although nobody works on them."""
    if not _decides(principal):
        return []
    counted = IndexChange.objects.values("dataset").annotate(n=Count("pk"), since=Min("noted_at"))
    return _with(counted.filter(since__lt=Now() - BEHIND_AFTER).order_by("since")[:100])


def differed(principal: Any) -> QuerySet[IndexComparison]:
    if not _decides(principal):
        return IndexComparison.objects.none()
    found = IndexComparison.objects.exclude(missing=0, stale=0, extra=0)
    return found.select_related("dataset__organisation")


def _decides(principal: Any) -> bool:
    return principal is None or principal.is_operator


def _with(counted: Any) -> list[Dataset]:
    rows = {row["dataset"]: row for row in counted}
    datasets = {
        dataset.pk: dataset for dataset in Dataset.objects.select_related("organisation").filter(pk__in=rows)
    }
    found = []
    for pk, row in rows.items():
        if pk in datasets:
            datasets[pk].waits = row  # type: ignore[attr-defined]
            found.append(datasets[pk])
    return found


def _parked_case(dataset: Any) -> Case:
    return _case(
        dataset, "search_parked", f"{dataset.title}: the search index refused records",
        "Is the cause gone, so that they can be tried again?", dataset.waits["since"],
        (("Records", number(dataset.waits["n"])),),
    )  # fmt: skip


def _behind_case(dataset: Any) -> Case:
    return _case(
        dataset, "search_behind", f"{dataset.title}: the search index is behind",
        "Do workers run, and what do its updates fail of?", dataset.waits["since"],
        (("Changes wait since", dataset.waits["since"].strftime("%Y-%m-%d %H:%M UTC")),),
    )  # fmt: skip


def _differed_case(found: IndexComparison) -> Case:
    return _case(
        found.dataset, "search_differed", f"{found.dataset.title}: the search index differed",
        "They were written anew. Is it known how they came to differ?", found.compared_at,
        (("Missing", found.missing), ("In another version", found.stale), ("Too many", found.extra)),
    )  # fmt: skip


def _case(dataset: Dataset, kind: str, title: str, question: str, since: dt.datetime, evidence: Any) -> Case:
    page = reverse("search_index", args=[dataset.organisation.slug, dataset.slug])
    return Case(
        key=str(dataset.pk), kind=kind, title=title, url=page, question=question, since=since,
        action="Look at its search index", action_url=page, organisation=dataset.organisation,
        evidence=evidence,
    )  # fmt: skip


KINDS = (
    AttentionKind("search_parked", "Records that cannot be searched", parked, _parked_case),
    AttentionKind("search_behind", "Search indexes that are behind", behind, _behind_case),
    AttentionKind(
        "search_differed", "Search indexes that differed", differed, _differed_case, since="compared_at"
    ),
)
