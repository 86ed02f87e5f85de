"""The HTTP API of changes to datasets: their settings, and what a schema would mean for their records."""

import dataclasses
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Body

from accounts.scoping import organisation_of, require
from ingestion import api_bodies as bodies
from ingestion import datasets, schema_impact
from ingestion.api_datasets import ORGANISATION, find, router
from work.problems import responses

__all__ = ["router"]  # that of api_datasets: one address belongs to one router


@router.patch(
    "/datasets/{slug:slug}",
    response={200: bodies.DatasetDetail, **responses()},
    by_alias=True,
    summary="Change how a dataset takes files",
)
def change(request: HttpRequest, slug: str, body: bodies.DatasetChange, organisation: ORGANISATION) -> Any:
    """It counts for files that are read from now on."""
    dataset = find(organisation_of(request, organisation), slug)
    require(request, "manage", dataset.organisation)
    fields = body.dict(exclude_unset=True, exclude={"why"})
    datasets.change(dataset=dataset, fields=fields, by=request.principal, why=body.why)  # type: ignore[attr-defined]
    changed = find(dataset.organisation, slug)
    return bodies.dataset_item(changed) | {"schema": changed.schema_versions.latest("number").schema}


@router.post(
    "/datasets/{slug:slug}/schema/preview",
    response={200: bodies.ImpactBody, **responses()},
    summary="What a schema would mean for the records that are there; nothing is changed",
)
def preview_schema(
    request: HttpRequest,
    slug: str,
    body: Annotated[bodies.TableSchema, Body(...)],
    organisation: ORGANISATION,
) -> Any:
    dataset = find(organisation_of(request, organisation), slug)
    require(request, "manage", dataset.organisation)
    datasets.refuse_invalid(body, dataset.organisation, dataset.slug)
    return dataclasses.asdict(schema_impact.preview(dataset=dataset, schema=body))
