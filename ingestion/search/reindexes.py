"""Asking for a rebuild, and what becomes of one that is given up."""

from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import Organisation
from ingestion.models import Dataset, Reindex
from ingestion.search import rebuilding
from ingestion.search.index import index
from ingestion.search.values import sortable_fields
from ingestion.states import ReindexState
from work import correlation, doorbell, outbox
from work.pipelines import Ending

Cause = Reindex.Cause


def request(
    *, organisation: Organisation, dataset: Dataset | None = None, by: Any = "", cause: Cause = Cause.ASKED
) -> tuple[Reindex, bool]:
    """The rebuild of a dataset, or of all of the organisation's: the unfinished one, or a new one (True)."""
    unfinished = Reindex.objects.unfinished().filter(organisation=organisation, dataset=dataset)
    while True:
        found = unfinished.select_related("organisation", "dataset").first()
        if found is not None:
            return found, False
        try:
            with transaction.atomic():
                return _make(organisation, dataset, by, cause), True
        except IntegrityError:
            continue  # somebody else asked at the same moment


def follow_schema(dataset: Dataset) -> None:
    """A rebuild when other fields are marked than those that can be filtered and sorted by now."""
    live = index().live(dataset.pk)
    marked = sortable_fields(dataset.schema_versions.latest("number").schema)
    if live is not None and live.fields != marked:
        request(organisation=dataset.organisation, dataset=dataset, by="schema", cause=Cause.SCHEMA)


def failed(reindex: Reindex, code: str, detail: dict[str, Any]) -> Ending:
    """What was filled so far is given up; the index from before is searched as before."""
    if reindex.generation:
        index().abandon(reindex.generation)
    outbox.record(
        "search.rebuild_failed", subject=reindex, kind="reindex", label=rebuilding.label(reindex),
        organisation=reindex.organisation_id, payload={"code": code},
    )  # fmt: skip
    return Ending(ReindexState.FAILED)


def _make(organisation: Organisation, dataset: Dataset | None, by: Any, cause: Cause) -> Reindex:
    made = Reindex.objects.create(
        organisation=organisation,
        dataset=dataset,
        cause=cause,
        requested_by_label=str(by)[:200],
        correlation_id=correlation.current(),
    )
    outbox.record(
        "search.rebuild_requested", subject=made, kind="reindex", label=rebuilding.label(made),
        organisation=organisation, by=by,
        payload={"dataset": dataset and str(dataset.pk), "cause": str(cause)},
    )  # fmt: skip
    doorbell.ring()
    return made
