"""Finds uploads by id, file name, sha256 or correlation id, and datasets by slug or title."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q
from django.urls import reverse

from ingestion import queries
from ingestion.models import Dataset
from work import finding
from work.finding import AT_MOST, Hit, as_uuid
from work.wording import relative


def register() -> None:
    finding.register("uploads", find_uploads)
    finding.register("datasets", find_datasets)


def find_uploads(principal: Any, text: str) -> Iterator[Hit]:
    uploads = queries.visible(principal)
    lower = text.lower()
    exact = Q(filename__iexact=text) | Q(sha256=lower) | Q(correlation_id=text)
    if identifier := as_uuid(text):
        exact |= Q(pk=identifier) | Q(dataset=identifier)
    found = {upload.pk: True for upload in uploads.filter(exact).order_by("-pk")[:AT_MOST]}
    resembling = uploads.filter(exact | Q(filename__icontains=text) | Q(sha256__startswith=lower))
    for upload in resembling.order_by("-pk")[:AT_MOST]:
        yield Hit(
            kind="upload",
            label=upload.filename,
            url=reverse("upload", args=[upload.pk]),
            note=f"{upload.dataset.title}, {upload.state}, accepted {relative(upload.accepted_at)}",
            exact=upload.pk in found,
        )


def find_datasets(principal: Any, text: str) -> Iterator[Hit]:
    named = Q(slug__icontains=text) | Q(title__icontains=text)
    datasets = principal.sees(Dataset.objects.select_related("organisation")).filter(named)
    for dataset in datasets.order_by("title")[:AT_MOST]:
        yield Hit(
            kind="dataset",
            label=dataset.title,
            url=reverse("dataset", args=[dataset.organisation.slug, dataset.slug]),
            note=dataset.organisation.title,
            exact=text in (dataset.slug, dataset.title),
        )
