"""Verbs of schema drafts: beginning one, changing it, and what becomes of it. Only its maker sees a draft."""

import datetime as dt
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Organisation
from accounts.principals import Principal
from ingestion import samples
from ingestion.checking.shown import cell_text
from ingestion.checking.texts import shown
from ingestion.incoming import clean_filename
from ingestion.inferring.sampling import Sample
from ingestion.inferring.schema import Inferred
from ingestion.models import Dataset, SchemaDraft
from ingestion.reading.cells import WireCell
from ingestion.uploads import storage_unavailable, too_large
from work.failures import StateChanged
from work.identifiers import uuid7
from work.retention import Kept
from work.storage import copy_hashed, files, report_key

PREVIEW_ROWS, PREVIEW_COLUMNS = 8, 60
EMPTY: dict[str, Any] = {"fields": []}


def begin_from_sample(
    *, organisation: Organisation, file: Any, filename: str, by: Principal, locale: str = ""
) -> SchemaDraft:
    """Infer a schema and keep the file beside it. Raises Problem as `samples.read` does, and 413, 503."""
    if file.size > settings.MAX_UPLOAD_BYTES:
        raise too_large(settings.MAX_UPLOAD_BYTES)
    sample, inferred = samples.read(file=file.file, organisation=organisation, by=by, locale=locale)
    draft_id = uuid7()
    key = report_key(organisation.slug, f"sample-{draft_id}")
    _keep(file, key)
    return SchemaDraft.objects.create(
        id=draft_id,
        organisation=organisation,
        made_by=by.user,
        schema=inferred.schema,
        locale=inferred.locale,
        findings=_findings(sample, inferred),
        sample_key=key,
        sample_name=clean_filename(filename),
    )


def begin_empty(*, organisation: Organisation, by: Principal) -> SchemaDraft:
    return SchemaDraft.objects.create(
        organisation=organisation, made_by=by.user, schema=EMPTY, locale=organisation.locale
    )


def begin_for(*, dataset: Dataset, by: Principal) -> SchemaDraft:
    """The draft that this person has for the dataset already, or one that begins from the current version."""
    found = SchemaDraft.objects.filter(dataset=dataset, made_by=by.user).first()
    if found is not None:
        return found
    current = dataset.schema_versions.latest("number")
    made = SchemaDraft(
        organisation=dataset.organisation,
        dataset=dataset,
        made_by=by.user,
        base_version=current.number,
        schema=current.schema,
        locale=dataset.locale,
    )
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError:  # opened twice at the same moment
        return SchemaDraft.objects.get(dataset=dataset, made_by=by.user)
    return made


def change(*, draft: SchemaDraft, **fields: Any) -> None:
    """Raises StateChanged when another window changed it since `draft` was read."""
    written = SchemaDraft.objects.filter(pk=draft.pk, revision=draft.revision).update(
        **fields, revision=draft.revision + 1, changed_at=Now()
    )
    if not written:
        raise StateChanged("changed in another window")
    draft.revision += 1
    for name, value in fields.items():
        setattr(draft, name, value)


def throw_away(*, draft: SchemaDraft) -> None:
    """Safe to repeat."""
    _drop(SchemaDraft.objects.filter(pk=draft.pk))


def _keep(file: Any, key: str) -> None:
    with tempfile.NamedTemporaryFile() as copy:
        file.seek(0)
        copy_hashed(file, copy, limit=settings.MAX_UPLOAD_BYTES)
        copy.flush()
        try:
            files().put_file(key, Path(copy.name))
        except OSError as error:
            raise storage_unavailable() from error


def _findings(sample: Sample, inferred: Inferred) -> dict[str, Any]:
    return {
        "evidence": [each.as_json() for each in inferred.evidence],
        "assumptions": inferred.assumptions,
        "candidate_keys": inferred.candidate_keys,
        "sheet": sample.sheet,
        "header_row": sample.header_row,
        "rows": len(sample.rows),
        "is_whole": sample.is_whole,
        "preview": {
            "headings": sample.headings[:PREVIEW_COLUMNS],
            "rows": [
                {"number": row[0], "cells": [_short(cell) for cell in row[1][:PREVIEW_COLUMNS]]}
                for row in sample.rows[:PREVIEW_ROWS]
            ],
        },
    }  # fmt: skip


def _short(cell: WireCell) -> str:
    return shown(cell_text(cell), most=100)


def _drop(drafts: QuerySet[SchemaDraft]) -> None:
    keys = [key for key in drafts.values_list("sample_key", flat=True) if key]
    drafts.delete()
    for key in keys:
        transaction.on_commit(partial(files().delete, key))


FORGOTTEN = Kept(
    "drafts of schemas",
    dt.timedelta(days=30),
    "nobody worked on them since",
    lambda since: SchemaDraft.objects.filter(changed_at__lt=since),
    _drop,
)
