"""The HTTP API of rebuilding the search index: ask, and follow."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Status

from accounts.models import Organisation
from accounts.scoping import organisation_of, require
from ingestion import api_datasets
from ingestion.api_bodies import API
from ingestion.models import Dataset, Reindex
from ingestion.search import pipelines, reindexes
from work.bodies import WorkBody, work_body
from work.problems import Problem, responses

router = Router(tags=["search"])
RETRY_AFTER = "2"
LOCATION = {"Location": {"schema": {"type": "string"}}, "Retry-After": {"schema": {"type": "integer"}}}
ACCEPTED = {"responses": {202: {"description": "Accepted", "headers": LOCATION}}}


class ReindexBody(WorkBody):
    """`dataset` is null for the rebuild of a whole organisation."""

    organisation: str
    dataset: str | None
    cause: str
    datasets_done: int
    records_done: int
    refused: int


class AcceptedReindex(ReindexBody):
    already_accepted: bool


@router.post(
    "/datasets/{slug:slug}/reindex",
    response={202: AcceptedReindex, **responses()},
    summary="Rebuild the search index of a dataset",
    openapi_extra=ACCEPTED,
)
def reindex_dataset(
    request: HttpRequest, response: HttpResponse, slug: str, organisation: api_datasets.ORGANISATION
) -> Any:
    """By its managers. While a rebuild is unfinished, that one is answered. Searching goes on meanwhile."""
    owner = organisation_of(request, organisation)
    dataset = api_datasets.find(owner, slug)
    require(request, "manage", owner)
    return _ask(request, response, owner, dataset)


@router.post(
    "/organisations/{slug:slug}/reindex",
    response={202: AcceptedReindex, **responses()},
    summary="Rebuild the search indexes of an organisation",
    openapi_extra=ACCEPTED,
)
def reindex_organisation(request: HttpRequest, response: HttpResponse, slug: str) -> Any:
    """By operators: all datasets, one after the other."""
    owner = organisation_of(request, slug)
    require(request, "operate", owner)
    return _ask(request, response, owner, None)


@router.get(
    "/reindexes/{uuid:reindex_id}",
    response={200: ReindexBody, **responses()},
    summary="Where a rebuild of the search index stands",
)
def get_reindex(request: HttpRequest, reindex_id: uuid.UUID) -> Any:
    rows = Reindex.objects.select_related("organisation", "dataset").filter(pk=reindex_id)
    found = request.principal.sees(rows).first()  # type: ignore[attr-defined]
    if found is None:
        raise Problem(404, "reindex_not_found", "There is no such rebuild that you may see.")
    return _body(found)


def _ask(
    request: HttpRequest, response: HttpResponse, owner: Organisation, dataset: Dataset | None
) -> Status[Any]:
    by = request.principal  # type: ignore[attr-defined]
    reindex, is_new = reindexes.request(organisation=owner, dataset=dataset, by=by)
    body = _body(Reindex.objects.select_related("organisation", "dataset").get(pk=reindex.pk))
    response["Location"] = body["status_url"]
    response["Retry-After"] = RETRY_AFTER
    return Status(202, body | {"already_accepted": not is_new})


def _body(reindex: Reindex) -> dict[str, Any]:
    address = f"{API}/reindexes/{reindex.pk}"
    return work_body(pipelines.REINDEXES, reindex, status_url=address) | {
        "organisation": reindex.organisation.slug,
        "dataset": reindex.dataset.slug if reindex.dataset else None,
        "cause": reindex.cause,
        "datasets_done": reindex.datasets_done,
        "records_done": reindex.records_done,
        "refused": reindex.refused,
    }
