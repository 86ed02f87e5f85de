"""What was answered for one file and holds for the next: headings that mean a field, and the usual sheet."""

import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from ingestion import answers_layout
from ingestion.answers_layout import Layout
from ingestion.asking import Asking, Reading
from ingestion.checking.texts import loose
from ingestion.models import Dataset, HeaderAlias
from work import decisions

LONGEST = 200


def aliases(dataset_id: uuid.UUID) -> dict[str, str]:
    """The loose form of a heading to the field that it means."""
    return dict(of_dataset(dataset_id).values_list("header", "field"))


def of_dataset(dataset_id: uuid.UUID) -> QuerySet[HeaderAlias]:
    return HeaderAlias.objects.filter(dataset=dataset_id).order_by("field", "header")


def learn(
    dataset: Dataset, asking: Asking, given: Reading, layout: Layout, schema: Mapping[str, Any], *, by: Any
) -> None:
    """In the transaction of the answer, which counts more than what was answered before."""
    if given.get("sheet") and len(answers_layout.sheet_names(asking)) > 1:
        Dataset.objects.filter(pk=dataset.pk).update(usual_sheet=given["sheet"][:100])
    mapping = given.get("mapping", {})
    said = _headings(mapping, layout)
    _forget_contradicted(dataset, mapping, said, layout)
    known = {loose(name) for field in schema["fields"] for name in (field["name"], field.get("title", ""))}
    for header, field in said.items():
        if header in known:
            continue  # it is found without being remembered
        HeaderAlias.objects.update_or_create(
            dataset=dataset, header=header, defaults={"field": field, "learnt_by_label": str(by)[:200]}
        )


def forget(*, alias: HeaderAlias, by: Any) -> None:
    """The next file with this heading asks again, or is read by what the heading says itself."""
    with transaction.atomic():
        alias.delete()
        decisions.record(
            "dataset.alias_forgotten", by=by, kind="dataset", subject=alias.dataset,
            label=alias.dataset.title, organisation=alias.dataset.organisation_id,
            rule={"heading": alias.header, "field": alias.field},
        )  # fmt: skip


def _headings(mapping: Mapping[str, str | None], layout: Layout) -> dict[str, str]:
    """The loose headings of the columns that were chosen; not those that stand over several columns."""
    times = Counter(column.loose for column in layout.columns)
    said = {}
    for field, name in mapping.items():
        header = layout.find(name)[0].loose if name is not None else ""
        if header and times[header] == 1:
            said[header[:LONGEST]] = field
    return said


def _forget_contradicted(
    dataset: Dataset, mapping: Mapping[str, str | None], said: Mapping[str, str], layout: Layout
) -> None:
    """Headings of this file that meant a field which the answer finds elsewhere, or not at all."""
    here = {column.loose[:LONGEST] for column in layout.columns} - {""}
    now = [header for header in here if header not in said]
    HeaderAlias.objects.filter(dataset=dataset, header__in=now, field__in=list(mapping)).delete()
